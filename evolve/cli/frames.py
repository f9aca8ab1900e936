"""Tables as files, on standard output for programs, or for people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evolve.cli.terminal import cell, json_text, out, print_rows
from evolve.files.atomic import write_text
from evolve.terminal_text import plain

if TYPE_CHECKING:
    import pandas as pd

FORMATS: Final = ("table", "csv", "json", "parquet")
_NARROW: Final = 28
"""Most characters of a cell in a table for people; CSV and JSON have all."""
_BY_SUFFIX: Final = {
    ".csv": "csv", ".json": "json", ".parquet": "parquet", ".txt": "table", "": "table",
}  # fmt: skip


def style_of(style: str | None, output: Path | None) -> str:
    """Return the format that was asked for, or that of the file's ending.

    Raises UsageError if both are given and differ (a .csv file of another format would be a trap),
    if neither says the format, and for Parquet without a file.
    """
    if output is None:
        if style == "parquet":
            raise click.UsageError("--format parquet needs a file: -o NAME.parquet")
        return style or "table"
    suffix = output.suffix.lower()
    meant = _BY_SUFFIX.get(suffix)
    if style is None and meant is None:
        raise click.UsageError(
            f"-o {output}: the name must end in .csv, .json, .parquet or .txt, or --format say "
            "what it is"
        )
    if style is not None and suffix in (".csv", ".json", ".parquet") and meant != style:
        raise click.UsageError(
            f"-o {output} and --format {style} contradict each other; leave --format out, or "
            "name the file otherwise"
        )
    return style or meant or "table"


def write_in_style(frame: pd.DataFrame, style: str, output: Path | None) -> None:
    """Write every column of a table to a file, or to standard output."""
    import pyarrow as pa

    from evolve.tables.csv import csv_text
    from evolve.tables.parquet import write_table

    if style == "parquet":
        assert output is not None
        write_table(output, pa.Table.from_pandas(frame, preserve_index=False))
        return
    if style == "json":
        text = json_text(frame.astype(object).to_dict("records")) + "\n"
    elif style == "csv":
        text = csv_text(frame)
        if output is None and out().is_terminal:
            text = plain(text, keep="\n")
    else:
        # A file for people, who look at it in a terminal.
        text = frame.rename(columns=cell).map(_shown).to_string(index=False) + "\n"
    if output is None:
        sys.stdout.write(text)  # click.echo would take escape sequences out of the names in a CSV
    else:
        write_text(output, text)


def print_frame(frame: pd.DataFrame) -> None:
    """Print every column of a table for people."""
    values = frame.astype(object).to_numpy().tolist()
    print_rows(list(frame.columns), [[narrow(value) for value in row] for row in values])


def narrow(value: Any) -> Any:
    """Shorten a long cell for people; a list becomes its items with spaces between."""
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, str) and len(value) > _NARROW:
        return value[: _NARROW - 1] + "…"
    return value


def _shown(value: object) -> object:
    return plain(value) if isinstance(value, str) else value
