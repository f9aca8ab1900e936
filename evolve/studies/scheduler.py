"""Whose turn it is among the runs of a study on a cluster, and for how long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from statistics import fmean
from typing import Final

LEG: Final = 60.0
"""Seconds of a turn: with a generation, what is lost at most when a worker dies."""
_SHORTEST: Final = 2.0
"""Seconds of a turn near the study's end: it costs a tenth of a second."""
_SHARE: Final = 4
"""A turn is so much of a slot's part of what is left, one in four."""
_LOOK: Final = 1.0
"""Seconds between two looks at how many slots there are."""
AHEAD: Final = 2
"""Runs that are begun for each slot: those that wait are what the last ones are evened out by."""


class Turn:
    """What the order of turns goes by, of one run: `done` of its `generations` are."""

    def __init__(self, generations: int) -> None:
        self.generations, self.done = generations, 0
        self._began = 0.0
        """When its turn began; 0 while it has none."""
        self._seconds, self._played = 0.0, 0

    def begin(self) -> None:
        """Its turn begins."""
        self._began = time.monotonic()

    def end(self, done: int) -> None:
        """Its turn has brought it to so many generations."""
        self._seconds += time.monotonic() - self._began
        self._played += done - self.done
        self._began, self.done = 0.0, done

    @property
    def pace(self) -> float | None:
        """Seconds a generation; None where it is not known."""
        return self._seconds / self._played if self._played else None

    def left(self, pace: float) -> float:
        """Seconds that it will still take, at this pace where its own is not known; one
        generation's at least, for a play-off is one's work."""
        pace = self.pace or pace
        spent = time.monotonic() - self._began if self._began else 0.0
        return max(1, self.generations - self.done) * pace - spent


class Turns:
    """Gives as many runs a turn at a time as there are slots.

    Those that came first go first, so that they are done early. When all are there, those with
    most left do, and the less is left of all, the shorter are the turns: eight runs of 18 to 24 s,
    one after another, left one of two workers without work for the last 8 s.
    """

    def __init__(self, slots: Callable[[], int], longest: float = LEG) -> None:
        self._slots, self._longest = slots, longest
        self._to_come = 0
        self._runs: list[Turn] = []
        """Those that are there, in the order in which they came."""
        self._going: set[Turn] = set()
        self._gone: list[Turn] = []
        self._changed = threading.Condition()

    def come(self, turn: Turn, to_come: int) -> None:
        """A run is there; so many others are to come."""
        with self._changed:
            self._to_come = to_come
            self._runs.append(turn)

    def go(self, turn: Turn) -> None:
        """It is done, or goes no further."""
        with self._changed:
            self._runs.remove(turn)
            self._going.discard(turn)
            self._gone.append(turn)
            self._changed.notify_all()

    def take(self, turn: Turn, stopping: Callable[[], bool]) -> float | None:
        """Wait until it is a run's turn: for how many seconds. None where it is to stop before."""
        while not stopping():
            slots = self._slots()  # asks the scheduler: nobody else has to wait for that
            with self._changed:
                if turn in self._next(slots - len(self._going)):
                    seconds = self._length(slots)
                    self._going.add(turn)
                    turn.begin()
                    return seconds
                self._changed.wait(_LOOK)
        return None

    def give_back(self, turn: Turn, done: int) -> None:
        """A run's turn is over, and has brought it to so many generations."""
        with self._changed:
            turn.end(done)
            self._going.remove(turn)
            self._changed.notify_all()

    def wake(self) -> None:
        """Let those that wait see whether they are to stop."""
        with self._changed:
            self._changed.notify_all()

    def _next(self, free: int) -> list[Turn]:
        waiting = [turn for turn in self._runs if turn not in self._going]
        pace = self._pace()
        if self._to_come == 0 and pace is not None:
            waiting.sort(key=lambda turn: turn.left(pace), reverse=True)
        return waiting[: max(0, free)]

    def _pace(self) -> float | None:
        """Mean seconds a generation of all runs; None where that of none is known."""
        paces = [turn.pace for turn in (*self._runs, *self._gone) if turn.pace is not None]
        return fmean(paces) if paces else None

    def _length(self, slots: int) -> float:
        """Seconds of a turn that begins now."""
        pace = self._pace()
        unfinished = len(self._runs) + self._to_come
        if pace is None or slots == 1 or unfinished <= slots:
            return self._longest
        to_come = self._to_come * pace * fmean(turn.generations for turn in self._runs)
        left = sum(turn.left(pace) for turn in self._runs) + to_come
        return min(self._longest, max(_SHORTEST, left / slots / _SHARE))
