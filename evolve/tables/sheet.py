"""Tables as CSV, which people open with spreadsheets.

A spreadsheet runs a cell that begins with = + - or @ as a formula, whoever wrote it, and names of
agents come from files and programs of others. So such a text gets an apostrophe in front, which
spreadsheets take for "this is text" and do not show; `read` takes it away again. Numbers are
written as they are.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pandas as pd

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
"""With apostrophes of its own as well, so that what is written can be read back for certain."""


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


def read_csv(path: Path, **options: Any) -> pd.DataFrame:
    """A table that `csv_text` wrote, or another program; `options` are those of pandas."""
    return _mapped(pd.read_csv(path, **options), _plain)


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
