"""Tables as CSV, which people open with spreadsheets.

A spreadsheet runs a cell that begins with = + - or @ as a formula, whoever wrote it, and names of
agents come from files and programs of others. So such a text gets an apostrophe in front, which
spreadsheets take for "this is text" and do not show; `read` takes it away again. Numbers are
written as they are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from typing import Any, Final

import pandas as pd

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
"""With apostrophes of its own as well, so that what is written can be read back for certain."""


_SEPARATORS: Final = (",", ";", "\t", "|")


class _Rows(io.StringIO):
    """Ends each row that is written, whole, in a newline alone.

    The writer puts quotes around texts that hold a character of its line ends, and around no
    others: told of the newline alone, it let a carriage return in a name begin a row.
    """

    def write(self, text: str) -> int:
        """Add a row."""
        return super().write(f"{text[:-2]}\n" if text.endswith("\r\n") else text)


def csv_text(frame: pd.DataFrame) -> str:
    """A table as CSV."""
    rows = _Rows()
    _mapped(frame, _escaped).to_csv(rows, index=False, lineterminator="\r\n")
    return rows.getvalue()


def read_csv(text: str) -> tuple[pd.DataFrame, dict[int, str]]:
    """A table that `csv_text` wrote, or another program, every cell as text; and its rows, from 1,
    that have more cells than the head, with what is wrong with them.

    What separates cells is found out by the head: a comma, a semicolon, a tab or |. Short rows end
    in empty cells. ValueError where there is no head.
    """
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    first = lines.readline()
    told = re.fullmatch(r'"?sep=(.)"?\s*', first)  # a spreadsheet's own way to say it
    if not told:
        lines.seek(0)
    separator = told[1] if told else max(_SEPARATORS, key=lambda sign: len(_cells(first, sign)))
    try:
        head, *rows = [row for row in csv.reader(lines, delimiter=separator) if row] or [[]]
    except csv.Error as error:
        raise ValueError(str(error)) from error
    if not head:
        raise ValueError("there are no columns in it")
    bad, good = {}, []
    for number, row in enumerate(rows, 1):
        if any(row[len(head) :]):
            bad[number] = f"it has {len(row)} cells, where the head has {len(head)}"
            row = []
        good.append([_plain(cell) for cell in (*row, *[""] * len(head))[: len(head)]])
    columns = [_plain(name) for name in head]
    return pd.DataFrame(good, columns=columns, dtype=object), bad


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator), [])


def _mapped(frame: pd.DataFrame, change: Callable[[Any], Any]) -> pd.DataFrame:
    texts = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
    changed = frame.rename(columns=change)
    for name in texts:
        changed[change(name)] = frame[name].map(change)
    return changed


def _escaped(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _plain(value: Any) -> Any:
    escaped = isinstance(value, str) and value[:1] == "'" and _FORMULA.match(value)
    return value[1:] if escaped else value
