"""Limit the time of a cluster task, by the times of earlier tasks."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

LEAST: Final = 60.0
"""Seconds that any task may take: compiling kernels takes ten on an idle machine."""
FIRST: Final = 3600.0
"""Seconds for a task if none of its kind has finished yet: the length of its games is unknown."""
TIMES: Final = 10.0
"""Limit of a task, as a multiple of the longest earlier task."""
GROWTH: Final = 4.0
"""Factor on the limit for each further worker that gets the task. With a constant limit, work would
fail if its tasks became far longer, such as games of deeper agents: no worker would get enough
time."""
WORKERS: Final = 3
"""Most workers that a task goes to, one after another."""


class Patience:
    """Record how long tasks took. Thread-safe.

    Times are by this machine's clock, from sending a task until its answer arrives; times that
    workers report are ignored. Functions are the kinds of tasks. Places are workers: a worker that
    answers other tasks in the meantime has those first in its queue, and is not late.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._longest: dict[Callable[..., Any], float] = {}
        self._heard: dict[str, float] = {}

    def heard(self, function: Callable[..., Any], place: str, since: float) -> None:
        """Record the answer to a task that was sent at `since` (time.monotonic())."""
        now = time.monotonic()
        with self._lock:
            self._heard[place] = now
            self._longest[function] = max(self._longest.get(function, 0.0), now - since)

    def longest(self, function: Callable[..., Any]) -> float | None:
        """Return the seconds of the longest task; None if none has finished."""
        with self._lock:
            return self._longest.get(function)

    def limit(self, function: Callable[..., Any], workers: int) -> float:
        """Return the seconds that a task may take; workers: how many had it before."""
        longest = self.longest(function)
        least = FIRST if longest is None else max(LEAST, TIMES * longest)
        return least * GROWTH**workers

    def since(self, place: str, since: float) -> float:
        """Return the earliest time a worker can have started a task that was sent at `since`."""
        with self._lock:
            return max(since, self._heard.get(place, since))
