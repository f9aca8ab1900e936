"""Where output goes: a terminal with colour and progress bars, or plain lines.

All text passes `plain` here, so that names, files and programs of other people cannot steer the
terminal; rich's markup and emoji codes are off.
"""

from __future__ import annotations

import functools
import json
import math
import re
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

import click
from rich.cells import cell_len
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from evolve.number_text import NOTHING, duration
from evolve.parsing import json_value
from evolve.runs.progress import COMPILING, TimeLeft
from evolve.terminal_text import plain, writable


class _Console(Console):
    """rich's console without markup; the caller handles a reader that went away."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make a str harmless; every str on the screen passes here, cells of tables included."""
        shown = writable(plain(text, keep="\n"), self.encoding)
        return super().render_str(shown, **{**options, "markup": False, "emoji": False})

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError; rich would exit with code 1."""
        raise BrokenPipeError


@functools.cache
def out() -> Console:
    """Standard output. Off a terminal, lines are not wrapped."""
    console = _Console(highlight=False)
    return console if console.is_terminal else _Console(highlight=False, width=10_000)


@functools.cache
def err() -> Console:
    """Standard error, where progress goes."""
    return _Console(stderr=True, highlight=False)


@contextmanager
def loading() -> Iterator[None]:
    """Say on a terminal that evolve is being loaded, which takes up to a second."""
    shown = err().is_terminal
    if shown:
        sys.stderr.write("loading …")
        sys.stderr.flush()
    try:
        yield
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def print_text(text: str, whole: bool = False) -> None:
    """Print a line on standard output, on a terminal broken between words.

    whole: the terminal breaks it, anywhere: a command stays one line for those who copy it.
    """
    shown, width = plain(text), out().width
    if not whole and out().is_terminal and len(shown) > width:
        lines = textwrap.wrap(shown, width, break_long_words=False, break_on_hyphens=False)
        shown = "\n".join(lines)
    out().print(shown, soft_wrap=True)


def print_error(text: str) -> None:
    """Print a line on standard error."""
    click.echo(plain(text), err=True)


def print_note(text: str) -> None:
    """Print a line on standard error for people who watch; nothing where it is no terminal."""
    if err().is_terminal:
        print_error(text)


def cell(value: Any) -> str:
    """A table's value as text: three decimals, – for a missing value."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOTHING
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, (list, tuple)):
        return plain(" ".join(map(str, value)))
    return plain(str(value))


def json_text(value: Any) -> str:
    """JSON of rows, every figure in full; missing and infinite values are null."""
    # In ASCII, so that no encoding and no terminal changes or obeys what a name holds.
    return json.dumps(json_value(value))


def print_json(value: Any) -> None:
    """Print a JSON document in one line; see `json_text`."""
    click.echo(json_text(value))


_BROKEN: Final = 24
"""Characters that a column needs at most: longer texts are broken before a column is left out."""
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?: ?±.*)?")


def print_rows(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    spare: Sequence[str] = (),
    stacked: bool = False,
) -> list[str]:
    """Print a table: on a terminal see `row_tables`, else columns aligned by spaces.

    Returns the columns that are left out.
    """
    if out().is_terminal:
        tables, left_out = row_tables(columns, rows, spare, stacked)
        for table in tables:
            out().print(table)
        return left_out
    lines = _texts((columns, *rows))
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        padded = (text.ljust(width) for text, width in zip(line, widths, strict=True))
        print_text("  ".join(padded).rstrip())
    return []


def row_tables(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    spare: Sequence[str] = (),
    stacked: bool = False,
) -> tuple[list[Table], list[str]]:
    """A table for a terminal, and the columns that are left out.

    Where the terminal is too narrow, those in `spare` are left out, the first of them first. Then
    long texts are broken, and columns that still have no room go into tables below, each with the
    first column. stacked: whether the words of a column's name stand one above the other.
    """
    filled = [[*column] for column in zip(*_texts((columns, *rows)), strict=True)]
    if stacked:
        filled = [[head.replace("_", "\n"), *texts] for head, *texts in filled]
    widths = [
        max(cell_len(line) for text in column for line in text.split("\n")) for column in filled
    ]
    # Words of up to 20 characters stay whole while longer ones can be broken.
    breakable = [any(" " in text or len(text) > 20 for text in column) for column in filled]
    least = [
        min(width, _BROKEN) if broken else width
        for width, broken in zip(widths, breakable, strict=True)
    ]
    gap = 1 if stacked else 2
    kept, left_out = list(range(len(columns))), []
    for name in spare:
        if _fit(least, kept, gap):
            break
        kept.remove(columns.index(name))
        left_out.append(name)
    tables = []
    for numbers in _blocks(kept, least):
        padding = (0, gap if _fit(widths, numbers, gap) else 1, 0, 0)
        table = Table(box=None, header_style="bold", pad_edge=False, padding=padding)
        for number in numbers:
            head, *texts = filled[number]
            figures = [text for text in texts if text != NOTHING]
            right = bool(figures) and all(map(_NUMBER.fullmatch, figures))
            table.add_column(
                head,
                overflow="fold",
                # Short words stay whole: lines break at spaces, and within long words.
                no_wrap=not breakable[number] or widths[number] <= _BROKEN,
                justify="right" if right else "left",
                vertical="bottom" if stacked else "top",
            )
        for row in zip(*(filled[number][1:] for number in numbers), strict=True):
            table.add_row(*row)
        tables.append(table)
    return tables, left_out


def _texts(rows: Iterable[Sequence[Any]]) -> list[list[str]]:
    return [[writable(cell(value), out().encoding) for value in row] for row in rows]


def _fit(widths: Sequence[int], numbers: Sequence[int], gap: int = 1) -> bool:
    return sum(widths[number] + gap for number in numbers) - gap <= out().width


def _blocks(numbers: Sequence[int], widths: Sequence[int]) -> Iterator[list[int]]:
    """The columns as parts that fit; each begins with the first column."""
    first, *others = numbers
    part = [first]
    for number in others:
        if len(part) > 1 and not _fit(widths, [*part, number]):
            yield part
            part = [first]
        part.append(number)
    yield part


def print_facts(facts: Mapping[str, Any]) -> None:
    """Print lines of `name  value`."""
    width = max(map(len, facts))
    for name, value in facts.items():
        print_text(f"{name.ljust(width)}  {cell(value)}")


BAR_WIDTH: Final = 20
"""Columns of a bar; with the text beside it, it fits in 80 columns."""


class _Count(TimeLeft):
    """Counts what is done of `total` things: it is called with how many were just done."""

    def __init__(self, total: int, done: int, limit: float) -> None:
        super().__init__(limit=limit)
        self.done, self._total = done, total
        self.show: Callable[[int], object] = lambda done: None
        self.likely = 1.0  # share of the rest that is expected to be done
        self.text: str | None = None  # what stands under the bar, if there is one
        self._told = 0.0
        self.reach(done, total)

    @property
    def left(self) -> float | None:
        left = super().left
        return None if left is None else left * self.likely

    def __call__(self, done: int) -> None:
        self.done += done
        self.reach(self.done, self._total)
        self.show(done)

    def tell(self, text: Callable[[], str]) -> None:
        """Show a text under the bar, once a second at most."""
        if self.text is not None and (now := time.monotonic()) >= self._told + 1.0:
            self.text, self._told = text(), now


@contextmanager
def counting(
    description: str,
    total: int,
    quiet: bool = False,
    *,
    done: int = 0,
    after: float = 0.0,
    limit: float = math.inf,
) -> Iterator[_Count]:
    """Yield what counts `total` things, of which some are done, and show a bar on a terminal.

    after: seconds of what follows; limit: most seconds of these things.
    """
    count = _Count(total, done, limit)
    if quiet or not err().is_terminal:
        yield count
        return
    count.text = ""
    names, bars = TextColumn("{task.description}", markup=False), BarColumn(BAR_WIDTH)
    times = TimeElapsedColumn(), TextColumn("{task.fields[left]}", "yellow")
    bar = Progress(names, bars, MofNCompleteColumn(), *times)
    task = bar.add_task(description, total=total, completed=done, left="")
    count.show = partial(bar.advance, task)

    def picture() -> Group:
        left = None if description == COMPILING else count.left
        bar.update(task, left="" if left is None else f"about {duration(left + after)} left")
        return Group(bar, *filter(None, [count.text]))

    with Live(console=err(), refresh_per_second=10, transient=True, get_renderable=picture):
        yield count


_MOST: Final = 10
"""Most failures of a program that a match reports: enough to show one that fails every game."""


def failure_reporter() -> Callable[[int, str, str], None]:
    """A function that reports failures of programs on standard error, the first `_MOST` of each.

    It is called with a game, counted from 0, the name of a player, and how it failed.
    """
    counts: Counter[str] = Counter()

    def report(game: int, name: str, why: str) -> None:
        counts[name] += 1
        if counts[name] <= _MOST:
            print_error(f"game {game + 1}: {name} failed {why}")
        if counts[name] == _MOST:
            print_error(f"further failures of {name} are only counted")

    return report
