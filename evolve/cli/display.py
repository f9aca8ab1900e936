"""The progress of a run: a live table on a terminal, plain lines elsewhere, and lines of JSON.

One display for all kinds of runs. Where they differ, each kind's `ProgressView` says so.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple

import click
from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from evolve import __version__
from evolve.cli import terminal
from evolve.cli.options import PROGRESS, output_path
from evolve.cli.signals import at_ctrl_c, discard_output
from evolve.cli.terminal import BAR_WIDTH, cell, counting, err, out, print_error, row_tables
from evolve.files.changes import Appender
from evolve.number_text import duration, percent
from evolve.parsing import json_value
from evolve.runs.progress import COMPILING, Observer
from evolve.terminal_text import count_of

_WIDTH: Final = 8  # width of a column of plain lines


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


class ProgressView:
    """How the progress of one run is shown; an object may remember the rows that it showed.

    As it is, it shows columns as they are. unit: what Ctrl-C waits for, in words. reported: stages
    that end with a line of their own, because no row reports them. columns: heads of the table;
    widths: those of plain lines, which end with the time left, 8 or as their names if not given;
    justify: to which side; spare: columns that a narrow terminal leaves out. legend: lines that
    explain the columns. at_most: whether the work may end early.
    """

    unit: ClassVar[str] = "the current step"
    reported: ClassVar[tuple[str, ...]] = ()
    columns: Sequence[str]
    widths: Mapping[str, int] = MappingProxyType({})
    spare: ClassVar[Sequence[str]] = ()
    justify: ClassVar[Literal["left", "right"]] = "right"
    legend: Sequence[str] = ()
    at_most: bool = False

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = columns

    def head(self) -> str:
        return self._aligned(self.columns, "left")

    def cells(self, row: Mapping[str, Any]) -> list[str]:
        """Return a row as texts, one a column."""
        return [cell(row.get(name)) for name in self.columns]

    def line(self, row: Mapping[str, Any], left: float | None) -> str:
        """Return a row as a plain line; left: seconds that are left, None if unknown."""
        return self._aligned(self.cells(row), duration(math.nan if left is None else left))

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


class Display(Observer):
    """An observer that shows plain lines, and remembers a request to stop."""

    def __init__(self, view: ProgressView) -> None:
        self.view = view
        self.stop_requested = False
        self.at = ""

    def begin(self) -> AbstractContextManager[object]:
        """Print the first lines: the legend, which explains unclear names, and the heads."""
        for line in filter(None, (*self.view.legend, self.view.head())):
            print_line(line)
        return nullcontext()

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        print_line(self.view.line(row, self.seconds_left))
        if remark := self.view.remark(row):
            print_line(remark)

    def stage(self, name: str, done: float, total: float) -> None:
        """Print the end of a stage that no row reports, and that it compiles."""
        self.at = name
        if done == 0 and name == COMPILING:
            print_line(compiling(total))
        if done == total and name in self.view.reported:
            print_line(f"{name}: {count_of(int(total), 'game')}")

    def note(self, text: str) -> None:
        print_line(text)

    def stop(self) -> bool:
        return self.stop_requested


class _Bar(NamedTuple):
    name: str
    done: float
    total: float


class _LiveDisplay(Display):
    """An observer that shows a live table and a bar for all of the run.

    Below that is a bar for the current stage, where it does not count all of the run.
    """

    def __init__(self, view: ProgressView) -> None:
        super().__init__(view)
        self._rows: deque[Mapping[str, Any]] = deque(maxlen=12)
        self._whole = _Bar("", 0.0, 0.0)
        self._stage: _Bar | None = None
        self._remark = self._note = ""
        self._began = self._at = time.monotonic()

    def begin(self) -> Live:
        """Show the table and the bars until the block ends."""
        return Live(console=out(), refresh_per_second=4, get_renderable=self._picture)

    def note(self, text: str) -> None:
        self._note = text

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self._rows.append(row)
        self._remark = self.view.remark(row) or self._remark
        self._whole, self._at = _Bar(self._whole.name, done, total), time.monotonic()

    def stage(self, name: str, done: float, total: float) -> None:
        self.at, self._stage, self._at = name, _Bar(name, done, total), time.monotonic()

    def whole(self, name: str, done: float, total: float) -> None:
        self.at, self._stage, self._at = name, None, time.monotonic()
        self._whole = _Bar(name, done, total)

    def _picture(self) -> Group:
        below = filter(None, (self._remark, self._note))
        return Group(*self.view.tables(self._rows), *self.view.legend, self._bars(), *below)

    def _bars(self) -> Table:
        bars = Table.grid(padding=(0, 1, 0, 0))
        for _ in range(2):
            bars.add_column(no_wrap=True)
        bars.add_column(justify="right", no_wrap=True)
        bars.add_column()
        now = time.monotonic()
        times = f"{duration(now - self._began)} elapsed"
        if self.seconds_left is not None:
            about = "at most" if self.view.at_most else "about"
            times += f", {about} {duration(max(0.0, self.seconds_left - (now - self._at)))} left"
        width = BAR_WIDTH if out().width >= 80 else BAR_WIDTH // 3
        for stage, text in ((self._whole, times), (self._stage, "")):
            if stage is not None:
                name, done, total = stage
                counted = percent(done) if total == 1.0 else f"{int(done)}/{int(total)}"
                bar = ProgressBar(total or 1.0, done, width)
                bars.add_row(name, bar, Text(counted * bool(total), "green"), Text(text, "yellow"))
        return bars


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
def reporting_compilation() -> Iterator[None]:
    """Say on a terminal that kernels are compiled: it takes seconds, once on a machine."""
    from numba.core import event

    class Listener(event.Listener):
        reported = False

        def on_start(self, event: Any) -> None:
            if not self.reported:
                self.reported = True
                terminal.print_note("compiling the kernels, once on this machine …")

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


class ProgressFile(Observer):
    """The file of `--progress`: appends a line of JSON for each event, and closes after the last.

    That is `done` or `error`, unless the process was killed; wrong options may be reported on
    standard error alone. docs/reference/formats.md lists all. Without a path events go nowhere.
    row_event: the name of a row's event.
    """

    row_event = "row"

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file = None if path is None else Appender(path)
        self._next = 0.0

    def write(self, event: str, **fields: Any) -> None:
        """Append an event. If that fails, report it once; the work continues without events."""
        if self._file is None:
            return
        if event == "started":
            fields = {"process": os.getpid(), "version": __version__, **fields}
        document = {"event": event, "time": round(time.time(), 3), **fields}
        try:
            self._file.append(json.dumps(json_value(document)).encode() + b"\n")
        except OSError as error:
            self._close()
            why = error.strerror or error
            print_error(f"{self._path}: {why}; no further events are written there")
        if event in ("done", "error"):
            self._close()

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.write(self.row_event, row=row, done=done, total=total, left=self.seconds_left)

    def stage(self, name: str, done: float, total: float, whole: bool = False) -> None:
        of_all = {"left": self.seconds_left, "whole": whole}
        fields = {"stage": name, "done": done, "total": total, **of_all}
        self.write_often("progress", done >= total, lambda: fields)

    def whole(self, name: str, done: float, total: float) -> None:
        self.stage(name, done, total, whole=True)

    def note(self, text: str) -> None:
        self.write("note", text=text)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def write_often(self, event: str, last: bool, fields: Callable[[], Any]) -> None:
        """Append an event that comes all the time: a few a second, and the last.

        `fields` returns them as a dictionary, and is called only for events that are appended.
        """
        now = time.monotonic()
        if self._file is not None and (last or now >= self._next):
            self._next = now + 0.2
            self.write(event, **fields())


def _begin(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    path = output_path(context, parameter, value)
    if path is not None and not context.resilient_parsing:
        context.meta[PROGRESS] = ProgressFile(path)


progress_option = click.option(
    "--progress",
    metavar="FILE",
    expose_value=False,
    callback=_begin,
    help="Append events to this file, a line of JSON each, for other programs.",
)


def progress_of() -> ProgressFile:
    """The file of events of the running command."""
    context = click.get_current_context(silent=True)
    return ProgressFile() if context is None else context.meta.setdefault(PROGRESS, ProgressFile())
