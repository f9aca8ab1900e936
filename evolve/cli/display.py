"""The progress of a run: a live table on a terminal, plain lines elsewhere.

One display for all kinds of runs. Where they differ, each kind's `ProgressView` says so.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from evolve.cli import terminal
from evolve.cli.signals import at_ctrl_c, discard_output
from evolve.cli.terminal import BAR_WIDTH, cell, counting, err, out, print_error, row_tables
from evolve.number_text import duration, percent
from evolve.runs.progress import COMPILING, NO_WORK, Observer, TimeLeft
from evolve.terminal_text import count_of
from evolve.version import __version__

_LIVE_ROWS: Final = 12
_ROOM: Final = 80
"""Least columns of a terminal for bars of the usual width."""
_WIDTH: Final = 8
"""Width of a column of plain lines."""


def print_line(text: str, whole: bool = False) -> None:
    """Print a line on standard output; without a reader do nothing, so that the run continues."""
    try:
        terminal.print_text(text, whole)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()


def print_head(*parts: object) -> None:
    """Print the first line about some work: the version of evolve, and what the work is."""
    print_line(" · ".join(map(str, (f"evolve {__version__}", *parts))))


def print_next(*commands: str | None) -> None:
    """Print the next commands, each in a line of its own, so that it can be copied whole."""
    for number, command in enumerate(filter(None, commands)):
        print_line(f"{'' if number else 'next:':<5} {command}", whole=True)


class ProgressView(ABC):
    """How the progress of one run is shown; an object may remember the rows that it showed.

    unit: what Ctrl-C waits for, in words. reported: stages that end with a line of their own,
    because no row reports them. apart: other stages that do not count all of the work. columns:
    heads of the table; widths: those of plain lines, which end with the time left, 8 or as their
    names if not given; justify: to which side; spare: columns that a narrow terminal leaves out.
    counted: what the bar counts. whole: whether stages count all of it, as rows do, but for those
    at its end. by_rows: whether rows alone tell the time, because what comes with each takes long.
    legend: lines that explain the columns. limit: most seconds of its steps; at_most: whether it
    may end early; at_once: steps that run side by side.
    """

    unit: ClassVar[str]
    reported: ClassVar[tuple[str, ...]] = ()
    columns: Sequence[str]
    widths: Mapping[str, int] = MappingProxyType({})
    spare: ClassVar[Sequence[str]] = ()
    justify: ClassVar[Literal["left", "right"]] = "right"
    counted: ClassVar[str] = "games"
    whole: ClassVar[bool] = True
    apart: ClassVar[tuple[str, ...]] = NO_WORK
    legend: Sequence[str] = ()
    limit: float = math.inf
    at_most: bool = False
    at_once: int = 1
    begun: tuple[float, float] = (0.0, 0.0)
    """How much was done before, of how much; zeros if unknown."""

    def head(self) -> str:
        return self._aligned(self.columns, "left")

    def work(self, done: float) -> float:
        """Return the work of so many steps, where they do not take equal times."""
        return done

    def took(self, row: Mapping[str, Any]) -> float | None:
        """Return the seconds of a row's step, where the first one began after others could."""
        return None

    def endings(self, pace: float) -> Mapping[str, float]:
        """Return the seconds of each stage after the last step; pace: those of all steps."""
        return {}

    @property
    def by_rows(self) -> bool:
        return False

    @abstractmethod
    def cells(self, row: Mapping[str, Any]) -> list[str]:
        """Return a row as texts, one a column."""

    def line(self, row: Mapping[str, Any], left: float) -> str:
        """Return a row as a plain line; left: seconds that are left, NaN if unknown."""
        return self._aligned(self.cells(row), duration(left))

    def _aligned(self, texts: Sequence[str], left: str) -> str:
        widths = [self.widths.get(name, max(_WIDTH, len(name))) for name in self.columns]
        pad = str.rjust if self.justify == "right" else str.ljust
        line = " ".join(pad(text, width) for text, width in zip(texts, widths, strict=True))
        return f"{line} {left:>{_WIDTH}}"

    def ending(self, stage: str) -> str:
        """Return what the first Ctrl-C in a stage waits for, for people."""
        return f"ending after {self.unit}"

    def remark(self, row: Mapping[str, Any]) -> str | None:
        """Return a remark on a row, to print on a separate line, or None."""
        return None

    def tables(self, rows: Iterable[Mapping[str, Any]]) -> list[Table]:
        return row_tables(self.columns, [*map(self.cells, rows)], self.spare, stacked=True)[0]


class RowsView(ProgressView):
    """The progress of runs of other kinds: the columns of their first table."""

    unit = "the current step"
    counted = "steps"

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = columns

    def cells(self, row: Mapping[str, Any]) -> list[str]:
        return [cell(row.get(name)) for name in self.columns]


class Display(Observer):
    """An observer that shows plain lines, and remembers a request to stop."""

    def __init__(self, view: ProgressView) -> None:
        self.view = view
        self.time = TimeLeft(
            view.begun if view.begun[1] else None,
            after=view.endings,
            limit=view.limit,
            work=view.work,
            at_once=view.at_once,
        )
        self.stop_requested = False
        self.at = ""

    def begin(self) -> AbstractContextManager[object]:
        """Print the first lines: the legend, which explains unclear names, and the heads."""
        for line in filter(None, (*self.view.legend, self.view.head())):
            print_line(line)
        return nullcontext()

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.time.reach(done, total, self.view.took(row))
        left = self.time.left
        print_line(self.view.line(row, math.nan if left is None else left))
        remark = self.view.remark(row)
        if remark is not None:
            print_line(remark)

    def stage(self, name: str, done: float, total: float) -> None:
        """Print a line at the end of a stage that no row reports, at the beginning of compiling."""
        self._reach(name, done, total)
        if done == 0 and name == COMPILING:
            print_line(compiling(total))
        if done == total and name in self.view.reported:
            print_line(f"{name}: {count_of(int(total), 'game')}")

    def _reach(self, name: str, done: float, total: float) -> bool:
        """Correct the estimate by a stage; return whether the stage counts all of the run."""
        self.at = name
        whole = self.view.whole and name not in (*self.view.reported, *self.view.apart)
        if whole and not self.view.by_rows:
            self.time.reach(done, total)
        elif not whole:
            self.time.reach_stage(name, done / total if total else 1.0)
        return whole

    def note(self, text: str) -> None:
        print_line(text)

    def stop(self) -> bool:
        return self.stop_requested


class _LiveDisplay(Display):
    """An observer that shows a live table and a bar for all of the run.

    Below that is a bar for the current stage, where it does not count all of the run.
    """

    def __init__(self, view: ProgressView) -> None:
        super().__init__(view)
        self._rows: deque[Mapping[str, Any]] = deque(maxlen=_LIVE_ROWS)
        self._name, (self._done, self._total) = view.counted, view.begun
        self._stage: tuple[str, float, float] | None = None
        self._remark = self._note = ""

    def begin(self) -> Live:
        """Show the table and the bars until the block ends."""
        return Live(console=out(), refresh_per_second=4, get_renderable=self._picture)

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.time.reach(done, total, self.view.took(row))
        self._rows.append(row)
        self._remark = self.view.remark(row) or self._remark
        self._done, self._total = done, total

    def stage(self, name: str, done: float, total: float) -> None:
        """Move the stage's bar, or that of the run where the stage counts all of it."""
        if self._reach(name, done, total):
            self._name, self._done, self._total, self._stage = name, done, total, None
        else:
            self._stage = name, done, total

    def note(self, text: str) -> None:
        self._note = text

    def _picture(self) -> Group:
        below = filter(None, (self._remark, self._note))
        return Group(*self.view.tables(self._rows), *self.view.legend, self._bars(), *below)

    def _bars(self) -> Table:
        bars = Table.grid(padding=(0, 1, 0, 0))
        for _ in range(2):
            bars.add_column(no_wrap=True)
        bars.add_column(justify="right", no_wrap=True)
        bars.add_column()
        times = f"{duration(self.time.elapsed)} elapsed"
        if self.time.left is not None:
            about = "at most" if self.view.at_most else "about"
            times += f", {about} {duration(self.time.left)} left"
        width = BAR_WIDTH if out().width >= _ROOM else BAR_WIDTH // 3
        bars.add_row(
            self._name,
            ProgressBar(self._total or 1.0, self._done, width),
            _counted(self._done, self._total),
            Text(times, "yellow"),
        )
        if self._stage is not None:
            name, done, total = self._stage
            bars.add_row(name, ProgressBar(total or 1.0, done, width), _counted(done, total))
        return bars


def _counted(done: float, total: float) -> Text:
    """How much is done: numbers, or the share of work that is measured as one."""
    if not total:
        return Text("")
    return Text(percent(done) if total == 1.0 else f"{int(done)}/{int(total)}", "green")


@contextmanager
def watching(view: ProgressView) -> Iterator[Display]:
    """Yield a live display on a terminal, one of plain lines elsewhere.

    While the block runs, the first Ctrl-C asks the run to stop, the second one raises
    KeyboardInterrupt.
    """
    display = _LiveDisplay(view) if out().is_terminal else Display(view)

    def interrupt() -> None:
        if display.stop_requested:
            raise KeyboardInterrupt
        display.stop_requested = True
        display.note(f"{view.ending(display.at)}; Ctrl-C again ends at once")

    with display.begin(), at_ctrl_c(interrupt):
        yield display


def compiling(functions: float) -> str:
    """What a person is shown instead of a bar while functions are compiled."""
    return f"compiling {functions:g} functions, once on this machine …"


def compile_moves(quiet: bool) -> None:
    """Compile what moves need: behind a bar on a terminal, after a line elsewhere."""
    from evolve.engine.games.first_use import MOVES, compile_first  # loads kernels

    with ExitStack() as bars:
        advance: list[Callable[[int], None]] = []

        def progress(done: float, total: float) -> None:
            if not advance:
                if not (quiet or err().is_terminal):
                    print_error(compiling(total))
                advance.append(bars.enter_context(counting(COMPILING, int(total), quiet)))
            else:
                advance[0](1)

        compile_first(progress, MOVES)


@contextmanager
def reporting_compilation(report: Callable[[str], None] = print_line) -> Iterator[None]:
    """Report that kernels are compiled: it takes seconds without output, once on a machine."""
    from numba.core import event

    class Listener(event.Listener):
        reported = False

        def on_start(self, event: Any) -> None:
            if not self.reported:
                self.reported = True
                report("compiling the kernels, once on this machine …")

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield
