"""The progress of a run: a live table on a terminal, plain lines elsewhere.

One display for all kinds of runs. Where they differ, each kind's `ProgressView` says so.
"""

from __future__ import annotations

import math
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, ClassVar, Final

from rich.console import Group
from rich.live import Live
from rich.progress import Progress, TaskID
from rich.table import Table

from evolve.cli import terminal
from evolve.cli.signals import at_ctrl_c, forget_reader
from evolve.cli.terminal import bar, cell, duration, out

_LIVE_ROWS: Final = 12
_WIDTH: Final = 8
"""Width of a column of plain lines."""


def tell(text: str) -> None:
    """Print a line on standard output; without a reader do nothing, so that the run goes on."""
    try:
        terminal.say(text)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_reader()


class ProgressView(ABC):
    """How the progress of one run is shown; an object may remember the rows that it showed.

    unit: what Ctrl-C waits for, in words. units: the same for stages that wait for something else,
    by name of the stage. reported: stages that end with a line of their own, because no row reports
    them. columns: heads of the table; widths: those of plain lines, 8 if not given. Where `left` is
    not among the columns, plain lines end with the time left. counted: what the bar counts. legend:
    a line that explains the columns.
    """

    unit: ClassVar[str]
    units: ClassVar[Mapping[str, str]] = {}
    reported: ClassVar[tuple[str, ...]] = ()
    columns: Sequence[str]
    widths: Mapping[str, int] = MappingProxyType({})
    counted: ClassVar[str] = "games"
    legend: str = ""

    def heads(self) -> list[str]:
        """Return the heads of plain lines, as lines from top to bottom."""
        return [self._aligned(self.columns, "left")]

    @abstractmethod
    def seconds_left(self, row: Mapping[str, Any], done: float, total: float) -> float:
        """Return how many seconds the run will still take, NaN if unknown; called once a row."""

    @abstractmethod
    def cells(self, row: Mapping[str, Any], left: float) -> list[str]:
        """Return a row as texts, one a column; called once for each row, after `seconds_left`."""

    def line(self, cells: Sequence[str], left: float) -> str:
        """Return the cells as a plain line, with the time left."""
        return self._aligned(cells, duration(left))

    def _aligned(self, texts: Sequence[str], left: str) -> str:
        widths = [self.widths.get(name, _WIDTH) for name in self.columns]
        line = " ".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))
        return line if "left" in self.columns else f"{line} {left:>{_WIDTH}}"

    def ending(self, stage: str) -> str:
        """Return what the first Ctrl-C in a stage waits for, for people."""
        return f"ending after {self.units.get(stage, self.unit)}"

    def remark(self, row: Mapping[str, Any]) -> str | None:
        """Return a remark on a row, to print on a separate line, or None."""
        return None

    def table(self, rows: Sequence[Sequence[str]]) -> Table:
        """Return the rows as a table for a terminal of 80 columns."""
        table = Table(box=None, header_style="bold", pad_edge=False)
        for head in self.columns:
            table.add_column(head, justify="right")
        for texts in rows:
            table.add_row(*texts)
        return table

    def bars(self) -> tuple[Progress, TaskID, TaskID | None]:
        """Return the bars at the start: all of them, the current stage's, and the run's.

        The run's is None where one bar is enough for both, as it is if not said otherwise.
        """
        bars = bar()
        return bars, bars.add_task(self.counted, total=None), None


class RowsView(ProgressView):
    """The progress of runs of other kinds: the columns of their first table."""

    unit = "the current step"
    counted = "steps"

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = (*columns, "left")
        self.widths = {name: max(_WIDTH, len(name)) for name in self.columns}
        self._begun = time.monotonic()

    def seconds_left(self, row: Mapping[str, Any], done: float, total: float) -> float:
        """Estimate from the time of a step so far, those before a stop included."""
        return (time.monotonic() - self._begun) * (total - done) / done if done else math.nan

    def cells(self, row: Mapping[str, Any], left: float) -> list[str]:
        return [*(cell(row.get(name)) for name in self.columns[:-1]), duration(left)]


class Display:
    """An observer that shows plain lines, and remembers a request to stop."""

    def __init__(self, view: ProgressView) -> None:
        self.view = view
        self.stop_requested = False
        self._at = ""

    def begin(self) -> None:
        """Print the first lines: the legend, which explains unclear names, and the heads."""
        for line in filter(None, (self.view.legend, *self.view.heads())):
            tell(line)

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Print a line for the row, and one for its remark, if any."""
        left = self.view.seconds_left(row, done, total)
        tell(self.view.line(self.view.cells(row, left), left))
        remark = self.view.remark(row)
        if remark is not None:
            tell(remark)

    def stage(self, name: str, done: float, total: float) -> None:
        """Print a line at the end of a stage that no row reports."""
        self._at = name
        if done == total and name in self.view.reported:
            tell(f"{name}: {total} games")

    def note(self, text: str) -> None:
        """Print a line."""
        tell(text)

    def stop(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self.stop_requested

    def request_stop(self) -> None:
        """Remember the first Ctrl-C, and print what the run still finishes."""
        self.stop_requested = True
        self.note(f"{self.view.ending(self._at)}; Ctrl-C again ends at once")


class LiveDisplay(Display):
    """An observer that shows a live table with bars, and remembers a request to stop."""

    def __init__(self, view: ProgressView) -> None:
        super().__init__(view)
        self._rows: list[list[str]] = []
        self._bars, self._stage, self._run = view.bars()
        self._remark = self._note = ""
        self.live = Live(console=out(), refresh_per_second=4, get_renderable=self._picture)

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """Add a row, and move the run's bar."""
        left = self.view.seconds_left(row, done, total)
        self._rows.append(self.view.cells(row, left))
        self._remark = self.view.remark(row) or self._remark
        if self._run is not None:
            ends = None if math.isnan(left) else time.monotonic() + left
            self._bars.update(self._run, completed=done, total=total, ends=ends)

    def stage(self, name: str, done: float, total: float) -> None:
        """Move the stage's bar."""
        self._at = name
        self._bars.update(self._stage, description=name, completed=done, total=total)

    def note(self, text: str) -> None:
        """Show a line under the table."""
        self._note = text

    def _picture(self) -> Group:
        below = filter(None, (self._remark, self._note))
        legend = filter(None, (self.view.legend,))
        return Group(self.view.table(self._rows[-_LIVE_ROWS:]), *legend, self._bars, *below)


@contextmanager
def watching(view: ProgressView) -> Iterator[Display]:
    """Yield a live display on a terminal, one of plain lines elsewhere.

    While the block runs, the first Ctrl-C asks the run to stop, the second one raises
    KeyboardInterrupt.
    """
    if not out().is_terminal:
        display = Display(view)
        display.begin()
        with at_ctrl_c(lambda: _interrupt(display)):
            yield display
        return
    live = LiveDisplay(view)
    with live.live, at_ctrl_c(lambda: _interrupt(live)):
        yield live


def _interrupt(display: Display) -> None:
    if display.stop_requested:
        raise KeyboardInterrupt
    display.request_stop()


@contextmanager
def telling_of_compilation() -> Iterator[None]:
    """Report that kernels are compiled: it takes seconds without output, once on a machine."""
    from numba.core import event

    class Listener(event.Listener):
        reported = False

        def on_start(self, event: Any) -> None:
            if not self.reported:
                self.reported = True
                tell("compiling the kernels, once on this machine …")

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield
