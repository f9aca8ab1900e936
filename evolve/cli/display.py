"""What a run shows while it works: a live table on a terminal, plain lines elsewhere.

One display for all kinds of runs. Where they differ, each kind's `ProgressView` says so.
"""

from __future__ import annotations

import math
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Final

from rich.console import Group
from rich.live import Live
from rich.progress import Progress, TaskID
from rich.table import Table

from evolve.cli import terminal
from evolve.cli.signals import at_ctrl_c
from evolve.cli.terminal import forget_reader, out

_LIVE_ROWS: Final = 12


def tell(text: str) -> None:
    """Print a line on standard output; once nobody reads it, nothing: a run goes on without."""
    try:
        terminal.say(text)
        sys.stdout.flush()
    except BrokenPipeError:
        forget_reader()


class ProgressView(ABC):
    """How one run looks while it works; it may remember the rows that it was asked about.

    unit: what Ctrl-C waits for, in words; units: the same in stages where it is something else, by
    their names. told: stages that end with a line of their own, because no row reports them.
    columns: heads of the table. legend: a line on what they mean.
    """

    unit: ClassVar[str]
    units: ClassVar[Mapping[str, str]] = {}
    told: ClassVar[tuple[str, ...]] = ()
    columns: Sequence[str]
    legend: str = ""

    @abstractmethod
    def heads(self) -> list[str]:
        """The heads of plain lines, above one another."""

    @abstractmethod
    def seconds_left(self, row: Mapping[str, Any], done: float, total: float) -> float:
        """How long the run will still take; asked once for every row. NaN: nobody knows."""

    @abstractmethod
    def cells(self, row: Mapping[str, Any], left: float) -> list[str]:
        """A row as texts, one for each column; asked once for every row, after the above."""

    @abstractmethod
    def line(self, cells: Sequence[str], left: float) -> str:
        """The same as a plain line, with the time left."""

    def remark(self, row: Mapping[str, Any]) -> str | None:
        """A remark on a row, for a line of its own, if there is any."""
        return None

    def table(self, rows: Sequence[Sequence[str]]) -> Table:
        """Rows on a terminal of 80 columns."""
        table = Table(box=None, header_style="bold", pad_edge=False)
        for head in self.columns:
            table.add_column(head, justify="right")
        for texts in rows:
            table.add_row(*texts)
        return table

    @abstractmethod
    def bars(self) -> tuple[Progress, TaskID, TaskID | None]:
        """The bars, at the start: all of them, that of what is in hand, and that of the run.

        None where one bar is enough for both.
        """


class Display:
    """An observer that shows plain lines, and remembers a request to stop."""

    def __init__(self, look: ProgressView) -> None:
        self.look = look
        self.stop_wished = False
        self._at = ""

    def begin(self) -> None:
        """The first lines: the columns, and what is not plain from their names."""
        for line in filter(None, (self.look.legend, *self.look.heads())):
            tell(line)

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """A line for the row."""
        left = self.look.seconds_left(row, done, total)
        tell(self.look.line(self.look.cells(row, left), left))
        remark = self.look.remark(row)
        if remark is not None:
            tell(remark)

    def stage(self, name: str, done: float, total: float) -> None:
        """A line at the end of a stage that no row reports."""
        self._at = name
        if done == total and name in self.look.told:
            tell(f"{name}: {total} games")

    def note(self, text: str) -> None:
        """A line."""
        tell(text)

    def stop(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self.stop_wished

    def wish_stop(self) -> None:
        """Ctrl-C was pressed for the first time."""
        self.stop_wished = True
        unit = self.look.units.get(self._at, self.look.unit)
        self.note(f"ending after {unit}; Ctrl-C again ends at once")


class LiveDisplay(Display):
    """The same as a live table, with bars."""

    def __init__(self, look: ProgressView) -> None:
        super().__init__(look)
        self._rows: list[list[str]] = []
        self._bars, self._stage, self._run = look.bars()
        self._remark = self._note = ""
        self.live = Live(console=out(), refresh_per_second=4, get_renderable=self._picture)

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        """One more row, and the run's bar moves."""
        left = self.look.seconds_left(row, done, total)
        self._rows.append(self.look.cells(row, left))
        self._remark = self.look.remark(row) or self._remark
        if self._run is not None:
            ends = None if math.isnan(left) else time.monotonic() + left
            self._bars.update(self._run, completed=done, total=total, ends=ends)

    def stage(self, name: str, done: float, total: float) -> None:
        """Move the stage's bar."""
        self._at = name
        self._bars.update(self._stage, description=name, completed=done, total=total)

    def note(self, text: str) -> None:
        """Under the table."""
        self._note = text

    def _picture(self) -> Group:
        below = filter(None, (self._remark, self._note))
        legend = filter(None, (self.look.legend,))
        return Group(self.look.table(self._rows[-_LIVE_ROWS:]), *legend, self._bars, *below)


@contextmanager
def watching(look: ProgressView) -> Iterator[Display]:
    """The display that fits where the output goes.

    While the block runs, the first Ctrl-C asks the run to stop, the second one raises
    KeyboardInterrupt.
    """
    if not out().is_terminal:
        display = Display(look)
        display.begin()
        with at_ctrl_c(lambda: _interrupt(display)):
            yield display
        return
    live = LiveDisplay(look)
    with live.live, at_ctrl_c(lambda: _interrupt(live)):
        yield live


def _interrupt(display: Display) -> None:
    if display.stop_wished:
        raise KeyboardInterrupt
    display.wish_stop()


@contextmanager
def telling_of_compilation() -> Iterator[None]:
    """Say so when kernels are compiled, which takes seconds of silence, once on a machine."""
    from numba.core import event

    class Listener(event.Listener):
        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:
                self.told = True
                tell("compiling the kernels, once on this machine …")

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield
