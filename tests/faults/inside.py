"""Work that has processes of its own, done in this one: so that its points are counted as well.

What they do is the product's own code; only where it runs is another place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from evolve.cli import studies
from evolve.files.atomic import Tail
from evolve.files.changes import remove
from evolve.studies.running import RunProcess, Working
from evolve.sweeps import sweep as sweeps
from tests.cli import invoke


class InsidePool:
    """Does the slices of a sweep one after another, when it waits for them."""

    def __init__(self) -> None:
        self._due: list[tuple[int, Callable[[Any], Any], Any]] = []

    def submit(self, number: int, function: Callable[[Any], Any], task: Any) -> None:
        self._due.append((number, function, task))

    def ready(self, seconds: float) -> list[tuple[int, Any]]:
        if not self._due:
            return []
        number, function, task = self._due.pop(0)
        return [(number, function(task))]


@contextmanager
def _inside(*given: object) -> Iterator[InsidePool]:
    yield InsidePool()


class InsideRun(RunProcess):
    """A run of a study, done at once when it begins."""

    def __init__(
        self, main: Any, modules: Sequence[str], words: Sequence[str], log: Path, progress: Path
    ) -> None:
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
        remove(self._progress, missing_ok=True)
        return self._code


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of sweeps and runs of studies work in this process."""
    monkeypatch.setattr(sweeps, "open_pool", _inside)
    monkeypatch.setattr(sweeps, "_APART", 0.0)  # points do not depend on the time
    monkeypatch.setattr(studies, "RunProcess", InsideRun)
