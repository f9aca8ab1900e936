"""What work reports, with the seconds that are left, to all that show it."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, TextIO

from evolve.number_text import elo_text, is_elo, percent
from evolve.terminal_text import plain, writable

COMPILING: Final = "compiling"
"""Stage before all others, once on a machine: its bar counts functions."""


class RunEnding(Enum):
    """Why a run returned; each kind of run has its own reasons, described by their values.

    All kinds have STOPPED: the observer asked for it.
    """

    @property
    def stopped(self) -> bool:
        """Whether the observer stopped it, so that the work did not reach an end of its own."""
        return self.name == "STOPPED"


class Observer:
    """Watches a run; the working thread calls it, and `stop` between two rows.

    As it is, it shows nothing and never stops a run. seconds_left: until the run is done, as of the
    report; None while unknown.
    """

    seconds_left: float | None = None

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Take a new row of the run's first table: `done` of `total` of the run are done.

        The unit depends on the kind of run: generations, trials, or the share of a training.
        """

    def stage(self, name: str, done: float, total: float) -> None:
        """Take that `done` of `total` of the current step are done, such as games."""

    def note(self, text: str) -> None:
        """Take something in one line."""

    def stop(self) -> bool:
        """Whether the run must end after the current step."""
        return False

    def expect(self, time: TimeLeft) -> None:
        """Take the work's own estimate of its time; the pace counts from here."""

    def whole(self, name: str, done: float, total: float) -> None:
        """Take how much of the run is done, between two rows."""
        self.stage(name, done, total)


class Progress(Observer):
    """What work reports to: passes all on to readers, with the seconds that are left.

    The work says by `expect` what it knows of its time.
    """

    def __init__(self, *readers: Observer) -> None:
        self._all, self._time = readers, TimeLeft()

    def expect(self, time: TimeLeft) -> None:
        self._time = time

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self._time.reach(done, total, row)
        for reader in self._readers():
            reader.row(row, done, total)

    def whole(self, name: str, done: float, total: float) -> None:
        self._time.reach(done, total)
        for reader in self._readers():
            reader.whole(name, done, total)

    def stage(self, name: str, done: float, total: float) -> None:
        self._time.reach_stage(name, _share(done, total))
        for reader in self._readers():
            reader.stage(name, done, total)

    def note(self, text: str) -> None:
        for reader in self._all:
            reader.note(text)

    def stop(self) -> bool:
        return any(reader.stop() for reader in self._all)

    def _readers(self) -> Iterator[Observer]:
        left = self._time.left
        for reader in self._all:
            reader.seconds_left = left
            yield reader


class TimeLeft:
    """How long work still takes: its own estimate, which all show that show one.

    The work is a share that grows to 1, and perhaps stages after that, such as a play-off. The pace
    counts from the first report; before a second one nothing is known. An estimate holds until the
    next one: what is left of it passes with the time.
    """

    def __init__(
        self,
        *,
        after: Callable[[float], Mapping[str, float]] = lambda pace: MappingProxyType({}),
        limit: float = math.inf,
        work: Callable[[float], float] = lambda done: done,
        at_once: int = 0,
        known_after: int = 0,
        by_rows: bool = False,
        least: float = 0.0,
        paused: Callable[[], float] = lambda: 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """after: returns the seconds of each stage after the work, and gets those that all of the
        work takes at its pace. limit: most seconds of the work. work: that of so much that is done,
        where equal parts of it do not take equal times. at_once: parts that begin together, whose
        rows have their `seconds`; the pace is known when so many have ended, or `known_after`, and
        then it is that of the later ones, because the first ones also load what they need.
        by_rows: whether rows alone tell the pace, because what comes with each takes long. least:
        seconds of work before its pace is known, because the first ones load what it needs. paused:
        returns the seconds so far that tell no pace.
        """
        self._clock, self._after, self._limit = clock, after, limit
        self._work, self._by_rows, self._paused = work, by_rows, paused
        self._at_once, self._known_after, self._ended = at_once, max(at_once, known_after), 0
        self._least = least
        self._begin = clock()
        self._ends: float | None = None
        self._reports: deque[tuple[float, float]] = deque(maxlen=10)
        """What tells the pace: times and shares."""
        self.share = 0.0  # how much of the work is done, 0 to 1
        self._pace: float | None = None
        self._stage: tuple[str, float] = ("", self._begin)

    def reach(self, done: float, total: float = 1.0, row: Mapping[str, Any] | None = None) -> None:
        """Take how much of the work is done; row: that of the part that has just ended."""
        now, reports = self._clock(), self._reports
        worked = now - self._paused()
        share = self._work(done) / self._work(total) if total else 1.0
        if row is not None:
            self._ended += 1
            if self._at_once and self._ended == 1 and reports and row.get("seconds") is not None:
                reports[0] = worked - row["seconds"], reports[0][1]  # when the first part began
            if self._ended == self._at_once < self._known_after:
                reports.clear()
        elif self._by_rows and reports:
            return
        self.share = share
        if reports and share < reports[0][1]:  # it began again
            reports.clear()
        begun, before = reports[0] if reports else (worked, share)
        known = self._ended >= self._known_after and worked - begun >= self._least
        if share > before and known:
            self._pace = (worked - begun) / (share - before)
            left = min(self._pace * (1.0 - share), max(0.0, self._limit - (now - self._begin)))
            self._ends = now + left + sum(self._after(self._pace).values())
        if not reports or share >= reports[-1][1] + 0.01:
            reports.append((worked, share))

    def reach_stage(self, name: str, share: float) -> None:
        """Take how far a stage after the work is; other stages say nothing."""
        after = {} if self._pace is None else dict(self._after(self._pace))
        if name not in after and self.share < 1.0:
            return
        now = self._clock()
        if self._stage[0] != name:
            self._stage = name, now
        left = after.get(name)
        if share >= 0.02:  # enough to go by its own pace
            left = (now - self._stage[1]) * (1.0 - share) / share
        names = list(after)
        later = names[names.index(name) + 1 :] if name in after else []
        self._ends = None if left is None else now + left + sum(after[other] for other in later)

    @property
    def left(self) -> float | None:
        """Seconds that are left; None if unknown."""
        return None if self._ends is None else max(0.0, self._ends - self._clock())


_WIDTH: Final = 24  # characters of the bar
_KEYS: Final = ("generation", "check", "number", "setting", "seed")
"""Columns that say which row it is."""
_METRICS: Final = ("rating", "elo", "score", "best_score")
"""Columns that say how good it is; the first that a row has is shown."""


class ProgressLine(Observer):
    """Shows how far work is, in a line.

    A terminal and a notebook have one line that replaces itself; elsewhere, such as in a file, each
    tenth of the work is a line of its own.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        self._replaces = self._stream.isatty() or "ipykernel" in sys.modules
        self._began = self._shown_at = time.monotonic()
        self._share, self._last = 0.0, -1.0
        self._what = self._stage = ""
        self._length = 0  # of the line that the next one replaces

    def note(self, text: str) -> None:
        self._write(plain(text), ends=True)

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self._share, self._stage, self._what = _share(done, total), "", _text_of(row)
        self._show(self.seconds_left, certainly=True)

    def stage(self, name: str, done: float, total: float) -> None:
        self._stage = f"{name} {percent(_share(done, total))}" if total else name
        self._show(self.seconds_left)

    def whole(self, name: str, done: float, total: float) -> None:
        self._share = _share(done, total)
        self.stage(name, done, total)

    def close(self) -> None:
        self._stage = ""
        if self._length:
            self._show(None, certainly=True, ends=True)

    def _show(self, left: float | None, certainly: bool = False, ends: bool = False) -> None:
        now = time.monotonic()
        if self._replaces:
            if not certainly and now - self._shown_at < 0.2:
                return
        elif self._share - self._last < (0.1 if self._share < 1.0 else 1e-9):
            return
        self._shown_at, self._last = now, self._share
        full = round(_WIDTH * min(1.0, self._share))
        parts = [f"{'█' * full}{'░' * (_WIDTH - full)} {percent(min(1.0, self._share)):>5}"]
        times = f"{now - self._began:.0f} s"
        if self._share >= 1.0 and not self._stage:
            times += " in all"
        elif left is not None:
            short = left < 100
            times = f"about {left:.0f} s left" if short else f"about {left / 60:.0f} min left"
        parts += [part for part in (self._what, self._stage, times) if part]
        self._write(" · ".join(parts), ends or not self._replaces)

    def _write(self, text: str, ends: bool) -> None:
        shown = writable(text, self._stream.encoding or "utf-8")
        if self._stream.isatty():  # a line that wraps could not be replaced
            shown = shown[: shutil.get_terminal_size().columns - 1]
        self._stream.write("\r" * self._replaces + shown.ljust(self._length) + "\n" * ends)
        self._stream.flush()
        self._length = 0 if ends else len(shown)


def _share(done: float, total: float) -> float:
    return done / total if total else 1.0


def _text_of(row: Mapping[str, Any]) -> str:
    parts = [f"{key} {row[key]}" for key in _KEYS if row.get(key) is not None]
    metric = next((key for key in _METRICS if isinstance(row.get(key), int | float)), None)
    if metric is not None:
        text = elo_text(row[metric]) if is_elo(metric) else f"{row[metric]:.3f}"
        parts.append(f"{metric.replace('_', ' ')} {text}")
    return " · ".join(parts)


@contextmanager
def shown(progress: bool, observer: Observer | None) -> Iterator[Progress]:
    """Yield what the work of a call reports to: the caller's observer, and a line if wished."""
    with closing(ProgressLine()) if progress else nullcontext() as line:
        yield Progress(*(reader for reader in (observer, line) if reader is not None))
