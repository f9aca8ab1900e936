"""What a cluster worker runs: a task, if its versions match those of the client."""

from __future__ import annotations

import importlib.metadata
import pickle
import time
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
from distributed import get_worker

from evolve import __version__
from evolve.agents.reference import reference_agent
from evolve.engine.compiled.compile import sources_hash
from evolve.errors import AgentError, ClusterError, EvolveError
from evolve.fitness.openings import START_POSITION
from evolve.fitness.playing import play_games
from evolve.programs.kept import Caller, working_for
from evolve.terminal_text import plain


def _versions() -> list[str]:
    """Return the versions that two machines must share to play the same games.

    They are those of evolve and numba, and a hash of every compiled source.
    """
    return [__version__, numba.__version__, sources_hash()]


def payload_of(function: Callable[[Any], Any], task: Any, client: str = "") -> bytes:
    """Pickle a task for workers with this process's versions; functions are pickled by name.

    client: the name under which workers keep programs for further tasks.
    """
    return pickle.dumps((_versions(), pickle.dumps((function, task, client))))


@cache
def _load_kernels() -> None:
    """Compile the kernels or load compiled code, before any timing, by playing a game."""
    agents = [reference_agent("zero").with_settings({"depth": 1}, "zero")] * 2
    play_games(agents, np.zeros((1, 3), np.int32), START_POSITION, "standard")


def in_words(error: BaseException) -> str:
    """Format an error as one line."""
    text = " ".join(str(error).split())[:300]
    return plain(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def _is_cancelled() -> Callable[[], bool]:
    """Return what tells whether nobody waits any more for the task that this thread runs."""
    try:
        worker = get_worker()
    except ValueError:  # no worker's thread
        return lambda: False
    key = worker.get_current_task()

    def cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return cancelled


def work(payload: bytes) -> tuple[str, Any, float]:
    """Run a task; see `run_task` for the result.

    The payload comes from the client that started the work: a cluster runs what its clients send,
    and TLS keeps others out. The task is unpickled only if the versions match.
    """
    expected, inner = pickle.loads(payload)
    if (found := _versions()) != expected:
        own, wanted = ("evolve {}, numba {}, engine {}".format(*each) for each in (found, expected))
        return "refused", f"it has {own}, not {wanted}", 0.0
    _load_kernels()
    begin = time.thread_time()
    try:
        function, task, client = pickle.loads(inner)
    except AgentError as error:  # a file or a program that this machine lacks
        return "refused", str(error), 0.0
    caller = Caller(client, _is_cancelled())
    try:
        with working_for(caller):
            result = function(task)
        kind, answer = "done", pickle.dumps((result, caller.notes, caller.keeps))
    except ClusterError as error:
        return "refused", str(error), 0.0
    except EvolveError as error:
        kind, answer = "raised", pickle.dumps(error)
    except Exception as error:  # lack of memory, or a bug in evolve
        *_, frame = traceback.extract_tb(error.__traceback__)
        text = f"{in_words(error)} ({Path(frame.filename).name}, line {frame.lineno})"
        return "failed", text, 0.0
    return kind, answer, time.thread_time() - begin


def by_value(function: Callable[..., Any]) -> FunctionType:
    """Return a copy of the function that is pickled by value.

    So a worker or scheduler without evolve can run it, and the worker can report that its evolve is
    missing or differs; the function uses nothing of evolve but what it imports by name.
    `cloudpickle.register_pickle_by_value` does not do this: Dask asks for its modules only about
    what it pickles, which is a graph of tasks, and the scheduler then fails to unpickle the graph.
    """
    assert isinstance(function, FunctionType)
    copy = FunctionType(function.__code__, function.__globals__, function.__name__)
    copy.__module__ = "__main__"
    return copy


def run_task(payload: bytes) -> tuple[str, str, Any, float]:
    """Run the task in the payload; return the worker's address, a kind, the answer and CPU seconds.

    The kind says what the answer is. done: the result, notes for the user and whether programs are
    left running, pickled: what cannot be unpickled here would otherwise be lost in Dask. raised: an
    evolve error, pickled; failed: any other error, as text; refused: the reason why the worker
    cannot be used.
    """
    address = get_worker().address
    try:
        remote = importlib.import_module("evolve.cluster.worker_tasks")
    except ImportError as error:
        return address, "refused", f"it has no evolve of this kind: {error}", 0.0
    try:
        return address, *remote.work(payload)
    except Exception as error:  # of a broken evolve, which cannot report it itself
        return address, "failed", f"{type(error).__name__}: {error}", 0.0
