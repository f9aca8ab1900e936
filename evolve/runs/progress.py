"""What watches work: why it ended, how long it takes, and the line of progress of Python calls."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, TextIO

from evolve.number_text import elo_text, is_elo, percent
from evolve.terminal_text import plain, writable

COMPILING: Final = "compiling"
"""Stage before all others, once on a machine: its bar counts functions."""
WARM_UP: Final = "warm-up"
"""Stage of a training before its budget counts."""
NO_WORK: Final = (COMPILING, WARM_UP)
"""Stages that have no share in the work and its pace."""


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

    As it is, it shows nothing and never stops a run.
    """

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Report a new row of the run's first table: `done` of `total` of the run are done.

        The unit depends on the kind of run: generations, trials, or the share of a training.
        """

    def stage(self, name: str, done: float, total: float) -> None:
        """Report that `done` of `total` of the current step are done, such as games."""

    def note(self, text: str) -> None:
        """Report something in one line."""

    def stop(self) -> bool:
        """Whether the run must end after the current step."""
        return False


_RECENT: Final = 10
"""Reports that tell the pace."""
_APART: Final = 0.01
"""Share of the work that lies between two of them."""
_BEGUN: Final = 0.02
"""Share of a stage from which on its own pace tells what is left of it."""


class TimeLeft:
    """How long work has taken, and how long it still takes: the estimate of all that show one.

    The work is a share that grows to 1, and perhaps stages after that, such as a play-off. Before
    some of it is done nothing is known. An estimate holds until the next one: what is left of it
    passes with the time.
    """

    def __init__(
        self,
        begun: tuple[float, float] | None = None,
        *,
        after: Callable[[float], Mapping[str, float]] = lambda pace: MappingProxyType({}),
        limit: float = math.inf,
        work: Callable[[float], float] = lambda done: done,
        at_once: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """begun: how much was done before, of how much; from there the pace counts.

        None where it counts from the first report, because kernels may compile before that.
        after: returns the seconds of each stage after the work, and gets those that all of the
        work takes at its pace. limit: most seconds of the work. work: that of so much that is done,
        where equal parts of it do not take equal times. at_once: parts that run side by side; the
        pace is known when so many have ended.
        """
        self._clock, self._after, self._limit = clock, after, limit
        self._work, self._unended, self._first = work, at_once, True
        self._begin = clock()
        self._ends: float | None = None
        self._reports: deque[tuple[float, float]] = deque(maxlen=_RECENT)
        self.share = 0.0
        """How much of the work is done, 0 to 1."""
        if begun is not None:
            self.share = self._share_of(*begun)
            self._reports.append((self._begin, self.share))
        self._pace: float | None = None
        self._stage: tuple[str, float] = ("", self._begin)

    def reach(self, done: float, total: float = 1.0, took: float | None = None) -> None:
        """Take how much of the work is done; took: seconds of the part that has just ended.

        With it the pace counts from the beginning of the first part.
        """
        now, share = self._clock(), self._share_of(done, total)
        self.share = share
        if self._reports and share < self._reports[0][1]:  # it began again
            self._reports.clear()
        if took is not None and self._reports and self._first:
            self._reports[0] = (now - took, self._reports[0][1])
        self._first, self._unended = False, self._unended - 1
        if self._reports and share > self._reports[0][1] and self._unended <= 0:
            begun, before = self._reports[0]
            self._pace = (now - begun) / (share - before)
            left = min(self._pace * (1.0 - share), max(0.0, self._limit - self.elapsed))
            self._ends = now + left + sum(self._after(self._pace).values())
        if not self._reports or share >= self._reports[-1][1] + _APART:
            self._reports.append((now, share))

    def _share_of(self, done: float, total: float) -> float:
        return self._work(done) / self._work(total) if total else 1.0

    def reach_stage(self, name: str, share: float) -> None:
        """Take how far a stage after the work is; other stages say nothing.

        The pace counts from the end of those that are no work.
        """
        if name in NO_WORK:
            self._reports = deque(((self._clock(), s) for _, s in self._reports), _RECENT)
            return
        after = {} if self._pace is None else dict(self._after(self._pace))
        if name not in after and self.share < 1.0:
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


_WIDTH: Final = 24
"""Characters of the bar."""
_EVERY: Final = 0.2
"""Seconds between two changes of a line that replaces itself."""
_SHARE: Final = 0.1
"""Share of the work between two lines where none can be replaced."""
_KEYS: Final = ("generation", "check", "number", "setting", "seed")
"""Columns that say which row it is."""
_METRICS: Final = ("rating", "elo", "score", "best_score")
"""Columns that say how good it is; the first that a row has is shown."""


class ProgressLine(Observer):
    """An observer that shows how far work is, and tells another observer everything.

    A terminal and a notebook have one line that replaces itself; elsewhere, such as in a file, each
    tenth of the work is a line of its own.
    """

    def __init__(
        self, inner: Observer, stream: TextIO | None = None, left: TimeLeft | None = None
    ) -> None:
        self._inner, self._time = inner, left or TimeLeft(clock=time.monotonic)
        self._stream = sys.stdout if stream is None else stream
        self._replaces = self._stream.isatty() or "ipykernel" in sys.modules
        self._shown_at = time.monotonic()
        self._share = 0.0
        self._last = -1.0
        self._what = self._stage = self._after = ""
        self._length = 0
        self._rows = 0

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self._inner.row(row, done, total)
        self._rows += 1
        self._share, self._stage = done / total if total else 1.0, ""
        self._time.reach(done, total, row.get("seconds") if "number" in row else None)
        parts = [f"{key} {row[key]}" for key in _KEYS if row.get(key) is not None]
        metric = next((key for key in _METRICS if isinstance(row.get(key), int | float)), None)
        if metric is not None:
            value = row[metric]
            text = elo_text(value) if is_elo(metric) else f"{value:.3f}"
            parts.append(f"{metric.replace('_', ' ')} {text}")
        self._what = " · ".join(parts)
        self._show(certainly=True)

    def stage(self, name: str, done: float, total: float) -> None:
        self._inner.stage(name, done, total)
        self._stage = f"{name} {percent(done / total)}" if total else name
        share = done / total if total else 1.0
        if not self._rows and name in ("games", "runs"):
            self._share = share
            self._time.reach(share)
        elif name in NO_WORK:
            self._time.reach_stage(name, share)
        elif self._share >= 1.0:  # after the last row, such as a final
            self._after = name
            self._time.reach_stage(name, share)
        self._show()

    def note(self, text: str) -> None:
        self._inner.note(text)
        self._write(plain(text))
        self._end()

    def stop(self) -> bool:
        return self._inner.stop()

    def close(self) -> None:
        """End the line."""
        self._after = ""
        if self._replaces and self._length:
            self._show(certainly=True)
        self._end()

    def _show(self, certainly: bool = False) -> None:
        now = time.monotonic()
        if self._replaces:
            if not certainly and now - self._shown_at < _EVERY:
                return
        elif self._share - self._last < (_SHARE if self._share < 1.0 else 1e-9):
            return
        self._shown_at, self._last = now, self._share
        full = round(_WIDTH * min(1.0, self._share))
        parts = [f"{'█' * full}{'░' * (_WIDTH - full)} {percent(min(1.0, self._share)):>5}"]
        parts += [part for part in (self._what, self._stage, self._left()) if part]
        self._write(" · ".join(parts))
        if not self._replaces:
            self._end()

    def _left(self) -> str:
        """The time left, or so far."""
        if self._share >= 1.0 and not self._after:
            return f"{self._time.elapsed:.0f} s in all"
        left = self._time.left
        if left is None:
            return f"{self._time.elapsed:.0f} s"
        return f"about {left:.0f} s left" if left < 100 else f"about {left / 60:.0f} min left"

    def _write(self, text: str) -> None:
        shown = writable(text, self._stream.encoding or "utf-8")
        if self._stream.isatty():  # a line that wraps could not be replaced
            shown = shown[: shutil.get_terminal_size().columns - 1]
        if self._replaces:
            self._stream.write("\r" + shown.ljust(self._length))
        else:
            self._stream.write(shown)
        self._length = len(shown)
        self._stream.flush()

    def _end(self) -> None:
        if self._length:
            self._stream.write("\n")
            self._stream.flush()
        self._length = 0


@contextmanager
def shown(
    progress: bool, observer: Observer | None, left: TimeLeft | None = None
) -> Iterator[Observer]:
    """Yield the observer of a call, behind a line of progress if wished; left: its time."""
    inner = Observer() if observer is None else observer
    if not progress:
        yield inner
        return
    line = ProgressLine(inner, left=left)
    try:
        yield line
    finally:
        line.close()
