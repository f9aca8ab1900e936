"""The table of generations: which columns people see, what they mean, and how it is printed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from rich.table import Table

from evolve.cli.output import print_frame, rounded
from evolve.cli.terminal import NOTHING, cell, is_elo, out, print_text, with_error
from evolve.terminal_text import writable

if TYPE_CHECKING:
    import pandas as pd

    from evolve.runs.run import Run

LEGEND: Final = "past_score: against the run's past champions; over_budget: games lost on nodes"


_LAST: Final = ("over_budget", "seconds")


def columns_shown(ladder: bool) -> tuple[str, ...]:
    """The columns of a run; with the ladder, the rating says more than the panel score."""
    from evolve.tables.individuals import GENERATIONS_COLUMNS  # not above: it loads pyarrow

    left_out = "panel_score" if ladder else "rating"
    names = [column.name for column in GENERATIONS_COLUMNS if column.in_view]
    return (*(name for name in names if name not in (left_out, *_LAST)), *_LAST)


def generation_texts(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """The shown columns of a row as text; Elo without decimals."""
    cells = {key: cell(row.get(key)) for key in columns}
    return [
        f"{row[key]:.0f}" if is_elo(key) and text != NOTHING else text
        for key, text in cells.items()
    ]


_WITH_ERRORS: Final = ("panel_elo", "rating", "rise")
"""Columns that have an interval in two others, which a terminal shows as one."""
_ENDS: Final = ("_low", "_high")
_SPARE: Final = ("over_budget", "past_score", "seconds")
"""Columns that a narrow terminal has no room for, the first of them first."""


def generations_table(
    columns: Sequence[str], rows: Sequence[Mapping[str, Any]], more: Sequence[str] = ()
) -> Table:
    """A table of generations for a terminal: Elo with its ±, and what there is room for.

    more: columns that come after the others, and only where they have room.
    """
    intervals = {f"{name}{end}" for name in _WITH_ERRORS for end in _ENDS}
    shown = [name for name in (*columns, *more) if name not in intervals]
    texts = [{name: _text(row, name) for name in shown} for row in rows]
    widths = {
        name: max(map(len, (*_head(name).split("\n"), *(line[name] for line in texts))))
        for name in shown
    }
    for name in (*reversed(more), *_SPARE):
        if sum(widths.values()) + len(widths) - 1 > out().width:
            widths.pop(name, None)
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    for name in widths:
        table.add_column(_head(name), justify="right", vertical="bottom", no_wrap=True)
    for line in texts:
        table.add_row(*(line[name] for name in widths))
    return table


def _head(name: str) -> str:
    text = "Elo ±" if name == "panel_elo" else name.replace("_", "\n")
    return writable(text, out().encoding)


def _text(row: Mapping[str, Any], name: str) -> str:
    """A cell of a row on a terminal."""
    value = row.get(name)
    text = cell(rounded(name, value))
    if name in _WITH_ERRORS and value is not None and math.isfinite(value):
        text = with_error(value, *(row.get(f"{name}{end}") for end in _ENDS))
    return writable(text, out().encoding)


def print_generations(run: Run, frame: pd.DataFrame) -> None:
    """Print a run's generations, with notes on columns if their names do not explain them."""
    if out().is_terminal:
        # On a terminal a generation is one line; elsewhere there is room.
        first = [name for name in columns_shown("rating" in frame) if name in frame]
        records = cast("list[dict[str, Any]]", frame.to_dict("records"))
        more = [str(name) for name in frame if name not in first]
        out().print(generations_table(first, records, more))
    else:
        print_frame(frame)
    print_text(LEGEND)
