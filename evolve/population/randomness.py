"""Make DEAP, which draws from global random state, use our generators."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from random import Random
from types import FunctionType, SimpleNamespace
from typing import Any, TypeVar, cast

import numpy as np

C = TypeVar("C", bound=Callable[..., Any])


def drawing_from(rng: np.random.Generator, operator: C) -> C:
    """Return a DEAP function that draws from `rng` instead of global state.

    It has the same code, with copies of its module's functions and with its own generators as
    `random` and `numpy.random`. Seeding the global generators during the call is not enough: other
    threads draw from them too, as Dask's do when they fetch an answer.
    """
    assert isinstance(operator, FunctionType)
    module = operator.__globals__
    number = int(rng.integers(1 << 63))
    words: Any = rng.integers(1 << 32, size=8, dtype=np.uint64).astype(np.uint32)
    space = {
        **module,
        "random": Random(number),
        "numpy": SimpleNamespace(**{**vars(np), "random": np.random.RandomState(words)}),
    }
    for name, value in module.items():
        if isinstance(value, FunctionType) and value.__globals__ is module:
            space[name] = _moved(value, space)
    return cast(C, _moved(operator, space))


def _moved(function: FunctionType, space: dict[str, Any]) -> FunctionType:
    """Copy a function with other globals, as if it were defined in another module."""
    moved = FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, function.__closure__
    )
    moved.__kwdefaults__ = function.__kwdefaults__
    return moved


class Use(IntEnum):
    """What a generator is for; changing the numbers changes the result of every seed."""

    TRAINING_OPENINGS = 0
    PANEL_OPENINGS = 1
    PLAYOFF_OPENINGS = 2
    BREEDING = 3
    PLAYING = 4
    FITNESS = 6
    RATING_OPENINGS = 7


def generator(seed: int, use: Use, generation: int = 0) -> np.random.Generator:
    """Return the generator for one use in one generation."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(use), generation)))
