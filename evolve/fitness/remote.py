"""What a worker of a cluster does with a task: check that it is alike, then work."""

from __future__ import annotations

import pickle
import time
import traceback
from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from evolve import __version__
from evolve.agents.registry import reference_agent
from evolve.engine.compile import sources_hash
from evolve.errors import EvolveError
from evolve.fitness.answers import DONE, FAILED, RAISED, REFUSED, in_words
from evolve.fitness.games import play_games
from evolve.fitness.openings import START_POSITION


@dataclass(frozen=True)
class Make:
    """What two machines must have alike, so that they play the same games.

    engine: a hash of every compiled source.
    """

    evolve: str
    numba: str
    engine: str

    @classmethod
    def here(cls) -> Make:
        """Of this process."""
        return cls(__version__, numba.__version__, sources_hash())

    def __str__(self) -> str:
        return f"evolve {self.evolve}, numba {self.numba}, engine {self.engine}"


def payload_of(function: Callable[[Any], Any], task: Any) -> bytes:
    """A task for workers that are like this process; functions go by their names."""
    return pickle.dumps((*astuple(Make.here()), pickle.dumps((function, task))))


@cache
def _load_kernels() -> None:
    """Compile them, or load what was compiled, before anything is measured: a game does it."""
    agents = [reference_agent("zero").with_settings({"depth": 1}, "zero")] * 2
    play_games(agents, np.zeros((1, 3), np.int32), START_POSITION, "standard")


def work(payload: bytes) -> tuple[str, Any, float]:
    """Do a task; see `evolve.fitness.tasks.run_task`, and `Reply` for what comes of it.

    The payload comes from the one who started the work: a cluster runs what its clients send, and
    TLS is what keeps others out. What it asks for is unpacked only where both are alike.
    """
    *wanted, inner = pickle.loads(payload)
    mine = Make.here()
    if list(astuple(mine)) != wanted:
        return REFUSED, f"it has {mine}, not {Make(*wanted)}", 0.0
    _load_kernels()
    begin = time.thread_time()
    kind, answer = _done(inner)
    return kind, answer, time.thread_time() - begin


def _done(inner: bytes) -> tuple[str, Any]:
    """What came of a task, or of the attempt."""
    try:
        function, task = pickle.loads(inner)
        return DONE, pickle.dumps(function(task))
    except EvolveError as error:
        return RAISED, pickle.dumps(error)
    except Exception as error:  # of this worker, or of evolve's: others may do better
        *_, frame = traceback.extract_tb(error.__traceback__)
        return FAILED, f"{in_words(error)} ({Path(frame.filename).name}, line {frame.lineno})"
