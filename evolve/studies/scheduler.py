"""Decides which run of a study on a cluster gets the next turn, and for how long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from statistics import fmean
from typing import Final

LEG: Final = 60.0
"""Longest turn in seconds; this and one generation are the most that a worker's death loses."""
_SHORTEST: Final = 2.0
"""Shortest turn in seconds, near the study's end: starting a turn costs 0.1 s."""
_SHARE: Final = 4
"""A turn takes at most one fourth of a slot's part of the remaining work."""
_LOOK: Final = 1.0
"""Seconds between two checks of the number of slots."""
AHEAD: Final = 2
"""Runs started for each slot: waiting runs even out the load at the end."""


class Turn:
    """What the order of turns depends on, for one run: `done` of its `generations` are done."""

    def __init__(self, generations: int) -> None:
        self.generations, self.done = generations, 0
        self._began = 0.0
        """Start of its turn; 0 while it has none."""
        self._seconds, self._played = 0.0, 0

    def begin(self) -> None:
        """Start its turn."""
        self._began = time.monotonic()

    def end(self, done: int) -> None:
        """End its turn; `done` generations are done now."""
        self._seconds += time.monotonic() - self._began
        self._played += done - self.done
        self._began, self.done = 0.0, done

    @property
    def pace(self) -> float | None:
        """Seconds per generation; None where unknown."""
        return self._seconds / self._played if self._played else None

    def left(self, pace: float) -> float:
        """Return the seconds that the run still needs, with `pace` where its own is unknown.

        Counts at least one generation, because a play-off takes as long as one.
        """
        pace = self.pace or pace
        spent = time.monotonic() - self._began if self._began else 0.0
        return max(1, self.generations - self.done) * pace - spent


class Turns:
    """Gives turns to as many runs at a time as there are slots.

    Earlier runs go first, so that they finish early. Once all runs have come, those with most work
    left go first, and turns get shorter as the remaining work shrinks: eight runs of 18 to 24 s,
    one after another, left one of two workers without work for the last 8 s.
    """

    def __init__(self, slots: Callable[[], int], longest: float = LEG) -> None:
        self._slots, self._longest = slots, longest
        self._to_come = 0
        self._runs: list[Turn] = []
        """The unfinished runs, in the order of their arrival."""
        self._going: set[Turn] = set()
        self._gone: list[Turn] = []
        self._changed = threading.Condition()

    def come(self, turn: Turn, to_come: int) -> None:
        """Add a run; `to_come` others will follow."""
        with self._changed:
            self._to_come = to_come
            self._runs.append(turn)

    def go(self, turn: Turn) -> None:
        """Remove a run that is done or goes no further."""
        with self._changed:
            self._runs.remove(turn)
            self._going.discard(turn)
            self._gone.append(turn)
            self._changed.notify_all()

    def take(self, turn: Turn, stopping: Callable[[], bool]) -> float | None:
        """Wait for a run's turn and return its seconds; None where the run must stop before."""
        while not stopping():
            slots = self._slots()  # asks the scheduler, outside the lock: nobody waits
            with self._changed:
                if turn in self._next(slots - len(self._going)):
                    seconds = self._length(slots)
                    self._going.add(turn)
                    turn.begin()
                    return seconds
                self._changed.wait(_LOOK)
        return None

    def give_back(self, turn: Turn, done: int) -> None:
        """End a run's turn; `done` generations are done now."""
        with self._changed:
            turn.end(done)
            self._going.remove(turn)
            self._changed.notify_all()

    def wake(self) -> None:
        """Let waiting runs check whether they must stop."""
        with self._changed:
            self._changed.notify_all()

    def _next(self, free: int) -> list[Turn]:
        waiting = [turn for turn in self._runs if turn not in self._going]
        pace = self._pace()
        if self._to_come == 0 and pace is not None:
            waiting.sort(key=lambda turn: turn.left(pace), reverse=True)
        return waiting[: max(0, free)]

    def _pace(self) -> float | None:
        """Mean seconds per generation of all runs; None where no pace is known."""
        paces = [turn.pace for turn in (*self._runs, *self._gone) if turn.pace is not None]
        return fmean(paces) if paces else None

    def _length(self, slots: int) -> float:
        """Return the seconds of a turn that begins now."""
        pace = self._pace()
        unfinished = len(self._runs) + self._to_come
        if pace is None or slots == 1 or unfinished <= slots:
            return self._longest
        to_come = self._to_come * pace * fmean(turn.generations for turn in self._runs)
        left = sum(turn.left(pace) for turn in self._runs) + to_come
        return min(self._longest, max(_SHORTEST, left / slots / _SHARE))
