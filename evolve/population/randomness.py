"""The one place where DEAP, which draws from global random state, meets our generators."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

C = TypeVar("C", bound=Callable[..., Any])


class _Numpy:
    """numpy, but for its global generator."""

    def __init__(self, random: np.random.RandomState) -> None:
        self.random = random

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def drawing_from(rng: np.random.Generator, operator: C) -> C:
    """A function of DEAP's that draws what `rng` says, in place of global state.

    It is the same code among copies of its module's functions, for which `random` and
    `numpy.random` are generators of its own. To seed the global ones for as long as it runs is not
    enough: other threads draw from them as well, as Dask's do whenever they fetch an answer, and
    then, now and then, the same seed bred other children.
    """
    assert isinstance(operator, FunctionType)
    module = operator.__globals__
    space = {
        **module,
        "random": Random(int(rng.integers(1 << 63))),
        "numpy": _Numpy(np.random.RandomState(_words(rng))),
    }
    for name, value in module.items():
        if isinstance(value, FunctionType) and value.__globals__ is module:
            space[name] = _moved(value, space)
    return cast(C, _moved(operator, space))


def _words(rng: np.random.Generator) -> Any:
    return rng.integers(1 << 32, size=8, dtype=np.uint64).astype(np.uint32)


def _moved(function: FunctionType, space: dict[str, Any]) -> FunctionType:
    """A function as if it stood in another module."""
    moved = FunctionType(
        function.__code__, space, function.__name__, function.__defaults__, function.__closure__
    )
    moved.__kwdefaults__ = function.__kwdefaults__
    return moved
