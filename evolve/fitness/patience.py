"""How long a task of a cluster may take, by how long others took."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

LEAST: Final = 60.0
"""Seconds that any task may take: compiling kernels takes ten, on a machine of its own."""
FIRST: Final = 3600.0
"""Seconds where none of its kind has ended yet: nobody knows how long their games are."""
TIMES: Final = 10.0
"""Times as long as the longest one before it that a task may take."""
GROWTH: Final = 4.0
"""Times as long again for each worker that a task goes to. A limit that stayed would end work whose
tasks have just become far longer, as games of deeper agents: nobody would ever be waited for."""
WORKERS: Final = 3
"""Workers that a task goes to, one after another."""


class Patience:
    """How long tasks took, each by this machine's clock and from when it was given out until its
    answer was here: what workers say of it counts for nothing. For any number of threads.

    Functions are the kinds of tasks. Places are workers: one that answers other tasks meanwhile has
    others in front, and is not late.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._longest: dict[Callable[..., Any], float] = {}
        self._heard: dict[str, float] = {}

    def heard(self, function: Callable[..., Any], place: str, since: float) -> None:
        """Note the answer to a task that was given out at `since` (time.monotonic())."""
        now = time.monotonic()
        with self._lock:
            self._heard[place] = now
            self._longest[function] = max(self._longest.get(function, 0.0), now - since)

    def longest(self, function: Callable[..., Any]) -> float | None:
        """Seconds of the longest task; None where none has ended."""
        with self._lock:
            return self._longest.get(function)

    def limit(self, function: Callable[..., Any], workers: int) -> float:
        """Seconds that a task may take which so many workers have had before."""
        longest = self.longest(function)
        least = FIRST if longest is None else max(LEAST, TIMES * longest)
        return least * GROWTH**workers

    def since(self, place: str, since: float) -> float:
        """Since when a task that was given out at `since` may have been a worker's next one."""
        with self._lock:
            return max(since, self._heard.get(place, since))
