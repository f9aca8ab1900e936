"""Tables: printed for people, or written for programs."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from evolve.cli.display import print_line
from evolve.cli.terminal import cell, json_text, out, print_rows, print_text
from evolve.files.atomic import write_text
from evolve.number_text import elo_text, is_elo, state_text, whole
from evolve.terminal_text import plain

if TYPE_CHECKING:
    import pandas as pd

    from evolve.runs.run import Run

_NARROW: Final = 28  # most characters of a cell in a table for people; CSV and JSON have all
BY_ENDING: Final = {".csv": "csv", ".json": "json", ".parquet": "parquet", ".txt": "table"}


def style_of(style: str | None, output: Path | None) -> str:
    """Return the format that was asked for, or that of the file's ending.

    Raises UsageError if neither says the format, and for Parquet without a file.
    """
    if output is None:
        if style == "parquet":
            raise click.UsageError("--format parquet needs a file: -o NAME.parquet")
        return style or "table"
    style = style or BY_ENDING.get(output.suffix.lower() or ".txt")
    if style is None:
        raise click.UsageError(
            f"-o {output}: the name must end in .csv, .json, .parquet or .txt, or --format say "
            "what it is"
        )
    return style


def print_frame(frame: pd.DataFrame) -> None:
    """Print a table for people: on a terminal the first columns that have room."""
    columns = list(frame.columns)
    values = frame.astype(object).to_numpy().tolist()
    rows = [[*map(rounded, columns, map(_narrow, row))] for row in values]
    left_out = print_rows(columns, rows, spare=columns[:1:-1])
    if left_out:
        print_text(f"no room for {', '.join(reversed(left_out))}; --format csv has all")


def rounded(name: str, value: Any) -> Any:
    """A figure of a column as people read it; Elo whole, others as `cell` shows them."""
    if not isinstance(value, float) or not math.isfinite(value):
        return value
    if is_elo(name):
        return whole(value)
    words = name.split("_")
    if "discs" in words or name == "disc_difference":
        return f"{value:.1f}"
    if "seconds" in words:
        return f"{value:.2f}" if value < 10.0 else f"{value:.0f}"
    return value


def write_in_style(
    table: pd.DataFrame | list[dict[str, Any]],
    style: str,
    output: Path | None,
    show: Callable[[pd.DataFrame], None] = print_frame,
) -> None:
    """Write every column of a table, or of rows, to a file, or to standard output.

    show: prints a table for people on standard output.
    """
    import pandas as pd

    frame = pd.DataFrame(table)
    if style == "table" and output is None:
        show(frame)
        return
    import pyarrow as pa

    from evolve.tables import parquet

    if style == "parquet":
        assert output is not None
        parquet.write_table(output, pa.Table.from_pandas(frame, preserve_index=False))
        return
    if style == "json":
        text = json_text(frame.astype(object).to_dict("records")) + "\n"
    elif style == "csv":
        text = parquet.csv_text(frame)
        if output is None and out().is_terminal:
            text = plain(text, keep="\n")
    else:
        # A file for people, who look at it in a terminal.
        shown = frame.map(lambda value: plain(value) if isinstance(value, str) else value)
        text = shown.rename(columns=cell).to_string(index=False) + "\n"
    if output is None:
        sys.stdout.write(text)  # click.echo would take escape sequences out of the names in a CSV
    else:
        write_text(output, text)


def _narrow(value: Any) -> Any:
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, str) and len(value) > _NARROW:
        return value[: _NARROW - 1] + "…"
    return value


_LEGEND: Final = (
    "rating: smoothed over all generations, so later ones change it",
    "past_score: against the run's past champions; over_budget: games lost on nodes",
)
"""What columns of generations mean whose names do not say it; a line begins with its column."""
GENERATIONS_SPARE: Final = ("over_budget", "past_score", "seconds")
"""Columns of generations that a narrow terminal has no room for, the first of them first."""
_WITH_ERRORS: Final = ("panel_elo", "rating", "rise")
"""Columns that have an interval in two others, which people see as one."""
_ENDS: Final = ("_low", "_high")
_INTERVALS: Final = {f"{name}{end}" for name in _WITH_ERRORS for end in _ENDS}


def columns_shown(ladder: bool) -> tuple[str, ...]:
    """The columns of generations; with the ladder, the rating says more than the panel score."""
    from evolve.tables.individuals import GENERATIONS_COLUMNS  # not above: it loads pyarrow

    last = ("over_budget", "seconds")
    left_out = {"panel_score" if ladder else "rating", *last, *_INTERVALS}
    names = [column.name for column in GENERATIONS_COLUMNS if column.in_view]
    return (*(name for name in names if name not in left_out), *last)


def legend_of(columns: Iterable[object]) -> list[str]:
    """The lines of the legend that explain columns there are."""
    return [line for line in _LEGEND if line.partition(":")[0] in {*columns}]


def generation_texts(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """The columns of a generation as people read them, Elo with its interval."""
    texts = []
    for name in columns:
        value = row.get(name)
        if name in _WITH_ERRORS and value is not None and math.isfinite(value):
            texts.append(elo_text(value, *(row.get(f"{name}{end}") for end in _ENDS)))
        else:
            texts.append(cell(rounded(name, value)))
    return texts


def print_generations(run: Run, frame: pd.DataFrame) -> None:
    """Print a run's generations, with notes on columns if their names do not explain them."""
    if out().is_terminal:
        first = [name for name in columns_shown("rating" in frame) if name in frame]
        more = [str(name) for name in frame if name not in (*first, *_INTERVALS)]
        records = cast("list[dict[str, Any]]", frame.to_dict("records"))
        rows = [generation_texts(row, (*first, *more)) for row in records]
        spare = (*reversed(more), *GENERATIONS_SPARE)
        print_rows((*first, *more), rows, spare=spare, stacked=True)
    else:  # there is room
        print_frame(frame)
    for line in legend_of(frame):
        print_text(line)


def print_final(run: Run, frame: pd.DataFrame) -> None:
    """Print how the final of a sweep ended, and whether the sweep beats the defaults."""
    from evolve.tables.columns import without_nan  # these load pyarrow, as the table has before
    from evolve.tables.trials import verdict_of

    print_finalists(without_nan(frame).to_dict("records"), verdict_of(run.path))


def print_finalists(rows: Sequence[Mapping[Any, Any]], verdict: str | None) -> None:
    """Print the rows of a final, and its verdict; a sweep does so without loading pandas."""
    if len(rows) > 1:
        fewest = min(row["games"] for row in rows)
        alone = sum(row["games"] for row in rows) == 2 * fewest * (len(rows) - 1) and len(rows) > 2
        games = fewest if alone else fewest // (len(rows) - 1)
        pair = f"{games} games each with the defaults" if alone else f"{games} games a pair"
        print_line("the final so far:" if verdict is None else f"final, {pair}:")
        values = []
        for row in rows:
            elo = elo_text(*map(row.get, ("elo", "elo_low", "elo_high")), signed=True)
            values.append([row["trial"], elo, row["score"], row["failures"]])
        heads = ["trial", "Elo", "score", "failed"]
        shown = len(heads) - (not any(row["failures"] for row in rows))
        print_rows(heads[:shown], [line[:shown] for line in values])
    if verdict is not None:
        print_line(verdict)


def print_trials(run: Run, frame: pd.DataFrame) -> None:
    """Print trials, or those of the retest, with the first settings of the scatter."""
    from evolve.sweeps.scatter import scatter_of  # not above: it loads pyarrow

    columns_of_trials = run.kind.reading.tables["trials"].columns
    assert columns_of_trials is not None
    scatter = scatter_of(run.path)
    parameters = [name for name in frame.columns if name not in columns_of_trials.names]
    varied = [setting.name for setting in scatter.settings if setting.name in parameters]
    shown = list(dict.fromkeys([*varied, *parameters]))[:6]
    if frame["elo"].notna().any():  # of trials that play the defaults
        results = ["elo", "elo_low", "elo_high", "defaults_score", "defaults_games"]
    else:
        results = ["score", "score_error"]
    columns = ["number", "state", *results, "seconds", *shown]
    values = frame[columns].astype(object).to_numpy().tolist()
    for row in values:
        row[1] = state_text(row[1])
    print_rows(columns, [[*map(_small, map(rounded, columns, row))] for row in values])
    if len(parameters) > len(shown):
        print_text(f"{len(shown)} of {len(parameters)} parameters; --format csv has all")
    if scatter.note:
        print_text(scatter.note)


def _small(value: Any) -> Any:
    """Three figures of a small number, which three decimals would not show."""
    return f"{value:.3g}" if isinstance(value, float) and abs(value) < 0.1 else _narrow(value)
