"""Tables as CSV, which people open with spreadsheets.

A spreadsheet runs any cell that begins with = + - or @ as a formula, and names of agents come from
other people's files and programs. So such a text gets an apostrophe in front, which spreadsheets
take for "this is text" and do not show; `read_csv` removes it again. Numbers are written as they
are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from typing import Any, Final

import pandas as pd

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
"""Also matches a text that begins with apostrophes, so that `read_csv` restores every text."""


_SEPARATORS: Final = (",", ";", "\t", "|")


class _Rows(io.StringIO):
    """Ends each complete row with a newline alone.

    The writer quotes only texts that contain a character of its line end: with a newline alone as
    the line end, a carriage return in a name would begin a row.
    """

    def write(self, text: str) -> int:
        """Write a row."""
        return super().write(f"{text[:-2]}\n" if text.endswith("\r\n") else text)


def csv_text(frame: pd.DataFrame) -> str:
    """A table as CSV."""
    rows = _Rows()
    _mapped(frame, _escaped).to_csv(rows, index=False, lineterminator="\r\n")
    return rows.getvalue()


def read_csv(text: str) -> tuple[pd.DataFrame, dict[int, str]]:
    """Read a table of `csv_text` or another program, every cell as text, and the faulty rows.

    A row with more cells than the head is faulty: its number, from 1, with a message; its cells
    are empty in the table. The head decides the separator: a comma, a semicolon, a tab or |. Short
    rows end in empty cells. ValueError where there is no head.
    """
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    first = lines.readline()
    told = re.fullmatch(r'"?sep=(.)"?\s*', first)  # some spreadsheets name the separator
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
