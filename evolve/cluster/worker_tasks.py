"""Run a task on a cluster worker, if its versions match those of the client."""

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

from evolve.agents.reference import reference_agent
from evolve.engine.compiled.compile import sources_hash
from evolve.errors import EvolveError
from evolve.fitness.answers import DONE, FAILED, RAISED, REFUSED, in_words
from evolve.fitness.openings import START_POSITION
from evolve.fitness.playing import play_games
from evolve.version import __version__


@dataclass(frozen=True)
class Make:
    """Versions that two machines must share to play the same games.

    engine: a hash of every compiled source.
    """

    evolve: str
    numba: str
    engine: str

    @classmethod
    def here(cls) -> Make:
        """Return the versions of this process."""
        return cls(__version__, numba.__version__, sources_hash())

    def __str__(self) -> str:
        return f"evolve {self.evolve}, numba {self.numba}, engine {self.engine}"


def payload_of(function: Callable[[Any], Any], task: Any) -> bytes:
    """Pickle a task for workers with this process's versions; functions are pickled by name."""
    return pickle.dumps((*astuple(Make.here()), pickle.dumps((function, task))))


@cache
def _load_kernels() -> None:
    """Compile the kernels or load compiled code, before any timing, by playing a game."""
    agents = [reference_agent("zero").with_settings({"depth": 1}, "zero")] * 2
    play_games(agents, np.zeros((1, 3), np.int32), START_POSITION, "standard")


def work(payload: bytes) -> tuple[str, Any, float]:
    """Run a task; see `evolve.cluster.tasks.run_task`, and `Reply` for the result.

    The payload comes from the client that started the work: a cluster runs what its clients send,
    and TLS keeps others out. The task is unpickled only if the versions match.
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
    """Run a task; return the kind of reply, and the result or error."""
    try:
        function, task = pickle.loads(inner)
        return DONE, pickle.dumps(function(task))
    except EvolveError as error:
        return RAISED, pickle.dumps(error)
    except Exception as error:  # of this worker or a bug in evolve: others may succeed
        *_, frame = traceback.extract_tb(error.__traceback__)
        return FAILED, f"{in_words(error)} ({Path(frame.filename).name}, line {frame.lineno})"
