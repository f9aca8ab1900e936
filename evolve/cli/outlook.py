"""When work ends: one estimate for its bar, its rows and its last lines."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from evolve.cli.terminal import duration

_GOOD: Final = 0.2
"""An estimate is good if those before it were at most this share of what is left away from it."""
_LEAST: Final = 4
"""Fewest estimates that are compared."""
_APART: Final = 0.01
"""Share of the time so far that lies between two estimates that are kept to compare."""
_BEGUN: Final = 0.02
"""Share of a stage, or of all, from which on its own pace tells what is left of it."""


class Outlook:
    """How long work has taken, how long it still takes, and whether that is only about so.

    The work has steps, such as generations, and perhaps stages after the last of them, such as a
    play-off. An estimate holds until the next one: what is left of it passes with the time.
    """

    def __init__(
        self,
        seconds: float | None = None,
        endings: Callable[[], Mapping[str, float]] = lambda: MappingProxyType({}),
        clock: Callable[[], float] = time.monotonic,
        *,
        at_most: bool = False,
    ) -> None:
        """seconds: a first estimate of all; endings: returns that of each stage after the steps.

        at_most: whether the work may end before its last step, such as by `--patience`.
        """
        self._clock, self._endings, self._at_most = clock, endings, at_most
        self._begin = clock()
        self._ends: float | None = None
        self._before: list[tuple[float, float]] = []
        """Earlier estimates: when each was made, and the end that it told."""
        self._stage: tuple[str, float] = ("", self._begin)
        self._first: tuple[float, float] | None = None
        self._stepped, self._least, self._slowness = False, 0.0, 0.0
        if seconds is not None:
            self._ends = self._begin + seconds

    def expect(self, seconds: float, least: float = 0.0) -> None:
        """Take a new estimate; least: it does not fall below that, however much time passes."""
        now = self._clock()
        last = self._before[-1][0] if self._before else -math.inf
        if self._ends is not None and now - last >= _APART * self.elapsed:
            self._before.append((now, self._ends))
        self._ends, self._least = now + seconds, least

    def steps(self, seconds: float, least: float = 0.0) -> None:
        """Take a new estimate of the steps alone; the stages after them are added."""
        self._stepped, self._slowness = True, 0.0
        after = sum(self._endings().values())
        self.expect(seconds + after, least + after)

    def pace(self, done: float, total: float) -> None:
        """Take how much of all is done; once a step has told what is left, that counts."""
        if self._stepped:
            return
        now = self._clock()
        self._first = self._first or (now, done)
        begun, first = self._first
        if done - first >= _BEGUN * total:
            after = sum(self._endings().values())
            self._slowness = (total - done) / (done - first)
            self.expect((now - begun) * self._slowness + after)

    def stage(self, name: str, done: float, total: float) -> None:
        """Take how far a stage is, if it is one of those after the steps."""
        expected = dict(self._endings())
        if name not in expected:
            return
        self._slowness = 0.0
        now = self._clock()
        if self._stage[0] != name:
            self._stage = name, now
        seconds = expected[name]
        spent, share = now - self._stage[1], done / total if total else 1.0
        left = seconds * (1.0 - share)
        if share >= _BEGUN:
            left = spent * (1.0 - share) / share
        names = list(expected)
        later = sum(expected[other] for other in names[names.index(name) + 1 :])
        self.expect(left + later, later)

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._begin

    @property
    def left(self) -> float | None:
        """Seconds that are left; None if unknown."""
        if self._ends is None:
            return None
        now = self._clock()
        paced = 0.0 if self._first is None else (now - self._first[0]) * self._slowness
        return max(self._ends - now, self._least, paced)

    @property
    def share(self) -> float:
        """The share of the time that has passed; 0 if unknown."""
        left = self.left
        return 0.0 if left is None else self.elapsed / max(self.elapsed + left, 1e-9)

    @property
    def is_good(self) -> bool:
        """Whether the estimates of the last half of the time agree with the last one to a fifth."""
        left, now = self.left, self._clock()
        if left is None or self._ends is None:
            return False
        recent = [end for made, end in self._before if made - self._begin >= self.elapsed / 2]
        off = max((abs(end - self._ends) for end in recent), default=0.0)
        return len(recent) >= _LEAST and off <= max(_GOOD * (self._ends - now), 1.0)

    @property
    def told(self) -> str:
        """What is left, in words: `about 4 min`, and `4 min` once the estimate is good.

        Work that may end early has `at most 4 min` left.
        """
        left = self.left
        if left is None:
            return ""
        about = "at most " if self._at_most else "" if self.is_good else "about "
        return about + duration(left)
