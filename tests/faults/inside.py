"""Work that has processes of its own, done in this one: so that its points are counted as well.

What they do is the product's own code; only where it runs is another place. A worker of a sweep
runs in a thread and takes turns with the sweep, so that the order of points is the same each time.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evolve.cluster import Placement
from evolve.config.sweep import SweepSettings
from evolve.studies import running
from evolve.studies.running import RunProcess, Working
from evolve.sweeps import sweep as sweeps
from evolve.sweeps import worker as workers
from tests.cli import invoke

_ENDED = object()
_KILLED = object()


class _Killed(BaseException):
    """The worker is dead: nothing catches this."""


class _End:
    """The worker's end of its connection."""

    def __init__(self) -> None:
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def recv(self) -> Any:
        message = self.inbox.get()
        if message is _KILLED:
            raise _Killed
        return message

    def send(self, message: Any) -> None:
        self.outbox.put(message)


class InsideWorker:
    """A worker of a sweep in a thread, which works while the sweep waits for it."""

    def __init__(self, folder: Path, settings: SweepSettings, placement: Placement) -> None:
        self.number: int | None = None
        self.name = "inside"
        self.message: Any = None
        self._due: list[Any] = []
        self._end = _End()
        self._thread = threading.Thread(
            target=self._work, args=(folder, settings, placement), daemon=True
        )
        self._thread.start()

    def _work(self, folder: Path, settings: SweepSettings, placement: Placement) -> None:
        try:
            workers.work(self._end, folder, settings, placement)  # type: ignore[arg-type]
        except BaseException:  # death, which the sweep sees as an end of the connection
            pass
        finally:
            self._end.send(_ENDED)

    @property
    def idle(self) -> bool:
        return self.number is None

    def start(self, task: Any) -> None:
        self.number = task.number
        self._due.append(task)

    def answer(self, stop: bool) -> None:
        self._due.append(stop)

    def take_turn(self) -> None:
        """Let it work until it says something."""
        for one in self._due:
            self._end.inbox.put(one)
        self._due.clear()
        self.message = self._end.outbox.get()

    def receive(self) -> Any:
        if self.message is _ENDED:
            raise EOFError
        return self.message

    def death(self) -> str:
        return "the worker was killed"

    def kill(self) -> None:
        self._end.inbox.put(_KILLED)
        self._thread.join()


def _ready(busy: Sequence[InsideWorker], seconds: float) -> list[InsideWorker]:
    for worker in busy:
        worker.take_turn()
    return list(busy)


class InsideRun(RunProcess):
    """A run of a study, done at once when it begins."""

    def __init__(
        self, words: Sequence[str], log: Path, progress: Path, modules: Sequence[str] = ()
    ) -> None:
        from evolve.files.atomic import Tail
        from evolve.files.changes import remove

        remove(progress, missing_ok=True)
        self._progress, self._tail = progress, Tail(progress)
        Working.__init__(self)
        self._code = invoke(*words, "--progress", progress).code
        self.sentinel, other = os.pipe()
        os.close(other)

    def kill(self) -> None:
        self.ended()

    def ended(self) -> int:
        os.close(self.sentinel)
        self.look()
        from evolve.files.changes import remove

        remove(self._progress, missing_ok=True)
        return self._code


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of sweeps and runs of studies work in this process."""
    monkeypatch.setattr(sweeps, "Worker", InsideWorker)
    monkeypatch.setattr(sweeps, "ready", _ready)
    monkeypatch.setattr(running, "RunProcess", InsideRun)
