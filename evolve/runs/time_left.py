"""When work ends: the one estimate of all displays, from the pace of what is done."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

_RECENT: Final = 10
"""Reports that tell the pace."""
_APART: Final = 0.01
"""Share of the work that lies between two of them."""
_BEGUN: Final = 0.02
"""Share of a stage from which on its own pace tells what is left of it."""


class TimeLeft:
    """How long work has taken, and how long it still takes.

    The work is a share that grows to 1, and perhaps stages after that, such as a play-off. An
    estimate holds until the next one: what is left of it passes with the time.
    """

    def __init__(
        self,
        seconds: float | None = None,
        done: float | None = None,
        after: Callable[[float | None], Mapping[str, float]] = lambda pace: MappingProxyType({}),
        limit: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """seconds: a first estimate of all; after: returns that of each stage after the work.

        done: the share that was done before, from which the pace counts; None where it counts from
        the first report, because kernels may compile before that. `after` gets the seconds that
        all of the work takes at its pace, None before it is known. limit: most seconds of the work.
        """
        self._clock, self._after, self._limit = clock, after, limit
        self._begin = clock()
        self._ends = None if seconds is None else self._begin + seconds
        self._reports: deque[tuple[float, float]] = deque(maxlen=_RECENT)
        if done is not None:
            self._reports.append((self._begin, done))
        self._share = 0.0
        self._pace: float | None = None
        self._stage: tuple[str, float] = ("", self._begin)

    def reach(self, share: float) -> None:
        """Take the share of the work that is done."""
        now, self._share = self._clock(), share
        if self._reports and share < self._reports[0][1]:  # it began again
            self._reports.clear()
        if self._reports and share > self._reports[0][1]:
            begun, before = self._reports[0]
            self._pace = (now - begun) / (share - before)
            left = min(self._pace * (1.0 - share), max(0.0, self._limit - self.elapsed))
            self._ends = now + left + sum(self._after(self._pace).values())
        if not self._reports or share >= self._reports[-1][1] + _APART:
            self._reports.append((now, share))

    def reach_stage(self, name: str, share: float) -> None:
        """Take how far a stage after the work is; other stages say nothing."""
        after = dict(self._after(self._pace))
        if name not in after and self._share < 1.0:
            return
        now = self._clock()
        if self._stage[0] != name:
            self._stage = name, now
        left = after.get(name)
        if share >= _BEGUN:
            left = (now - self._stage[1]) * (1.0 - share) / share
        names = list(after)
        later = names[names.index(name) + 1 :] if name in after else []
        self._ends = None if left is None else now + left + sum(after[other] for other in later)

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._begin

    @property
    def left(self) -> float | None:
        """Seconds that are left; None if unknown."""
        return None if self._ends is None else max(0.0, self._ends - self._clock())
