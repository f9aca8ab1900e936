"""Files of tables: Parquet that detects its own damage, and CSV for spreadsheets.

Parquet's own checksums cover the pages of data, not the footer, where a run's checkpoint is. So
each file of evolve holds a digest of itself in its footer: SHA-256 of all its bytes, with the
digest's own bytes as zeros.

A spreadsheet runs any cell that begins with = + - or @ as a formula, and names of agents come from
others. So in CSV such a text gets an apostrophe in front, which spreadsheets do not show and
`read_csv` removes. Numbers are written as they are.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from evolve.errors import RunError
from evolve.files.atomic import write_bytes
from evolve.files.changes import remove
from evolve.parsing import unique
from evolve.tables.columns import Columns, table_of_rows
from evolve.tables.paths import count_of_files

if TYPE_CHECKING:
    import pandas as pd

_KEY: Final = b"evolve-digest"
_LABEL: Final = b"sha256-of-this-file:"
_DIGITS: Final = 64
_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
"""Also matches a text that begins with apostrophes, so that `read_csv` restores every text."""
_SEPARATORS: Final = (",", ";", "\t", "|")


def write_table(path: Path, table: pa.Table) -> None:
    """Replace the file in one step; an OSError names `path`."""
    write_bytes(path, bytes_of(table))


def bytes_of(table: pa.Table) -> bytes:
    """The bytes of a table's file, with its digest."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(
        sink, table.schema, compression="zstd", write_page_checksum=True
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({_KEY: _LABEL + b"0" * _DIGITS})
    content: bytes = sink.getvalue().to_pybytes()
    # The last match is the digest: any earlier one is in the table itself.
    start = content.rfind(_LABEL) + len(_LABEL)
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:start] + digest + content[start + _DIGITS :]


def read_table(
    path: Path, columns: Columns | None = None, *, only: Sequence[str] | None = None
) -> pa.Table:
    """A whole table, or those of the columns `only` that it has.

    RunError where it is missing, damaged, or lacks one of `columns`; it may have further ones.
    Other programs write files without a digest: of these only the page checksums are verified.
    """
    # In one piece: pyarrow opens a file more than once, and may find another one then.
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RunError(f"{path} is missing or damaged: {error.strerror}") from error
    return table_of(content, path, columns, only=only)


def table_of(
    content: bytes, path: Path, columns: Columns | None = None, *, only: Sequence[str] | None = None
) -> pa.Table:
    """The same from the content of a file; errors name `path`."""
    _verify(content, path)
    try:
        # Not `pq.read_table`: its threads may release our bytes after it returns. When that happens
        # while Python exits, the process aborts: 6 of 240 sweeps ended by a signal.
        file = pq.ParquetFile(
            pa.BufferReader(content), pre_buffer=False, page_checksum_verification=True
        )
        present = file.schema_arrow.names
        names = None if only is None else [name for name in only if name in present]
        table = file.read(columns=names, use_threads=False)
        # Remove metadata of the file itself, such as the digest.
        table = table.replace_schema_metadata(file.schema.to_arrow_schema().metadata)
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RunError(f"{path} is missing or damaged: {reason}") from error
    if columns is not None:
        stored = {field.name: field.type for field in table.schema}
        for field in columns.schema:
            if field.name not in stored:
                raise RunError(
                    f"{path} is another table, or made by a version before 0.2: it has no column "
                    f"{field.name}"
                )
            if stored[field.name] != field.type:
                raise RunError(
                    f"{path} is another table: its column {field.name} is of type "
                    f"{stored[field.name]}, not {field.type}"
                )
    return table


def _verify(content: bytes, path: Path) -> None:
    """Raise RunError unless the digest of a file fits its content; a digest may be missing."""
    label = content.rfind(_LABEL)
    if label < 0 and _KEY not in content:
        return
    # Either mark requires a digest, so that no single flipped bit can remove it.
    start = label + len(_LABEL)
    digest = content[start : start + _DIGITS]
    hashed = hashlib.sha256(content[:start] + b"0" * _DIGITS + content[start + _DIGITS :])
    if label < 0 or hashed.hexdigest().encode() != digest:
        raise RunError(f"{path} is damaged: its digest does not fit its content")


@dataclass(frozen=True)
class RowFiles:
    """A table of which each row is an immutable file of its own: a folder of a run.

    name: of the folder; key: column with the numbers of the rows, from 0.
    """

    name: str
    key: str
    columns: Columns

    def file(self, folder: Path, number: int) -> Path:
        return folder / self.name / f"{self.key}-{number:04d}.parquet"

    def count(self, folder: Path) -> int:
        """The number of rows; RunError where one is missing before another."""
        return count_of_files(folder / self.name, self.key)

    def commit(self, folder: Path, number: int, row: Mapping[str, Any]) -> None:
        write_table(self.file(folder, number), table_of_rows([row], self.columns.schema))

    def read(self, folder: Path) -> pa.Table:
        """All rows; RunError where a file is damaged."""
        tables = [self.columns.schema.empty_table()]
        for number in range(self.count(folder)):
            table = read_table(self.file(folder, number), self.columns)
            tables.append(table.select(self.columns.names))
        return pa.concat_tables(tables)

    def forget(self, folder: Path, first: int) -> None:
        """Remove the rows from `first` on: a killed writer left them uncommitted."""
        for number in range(first, self.count(folder)):
            remove(self.file(folder, number), missing_ok=True)


class _Rows(io.StringIO):
    """Ends each complete row with a newline alone.

    The writer quotes only texts that contain a character of its line end: with a newline alone as
    the line end, a carriage return in a name would begin a row.
    """

    def write(self, text: str) -> int:
        return super().write(f"{text[:-2]}\n" if text.endswith("\r\n") else text)


def csv_text(frame: pd.DataFrame) -> str:
    """A table as CSV."""
    rows, escaped = _Rows(), frame.rename(columns=_escape)
    for name in frame.select_dtypes(exclude=["number", "bool"]):
        escaped[_escape(name)] = frame[name].map(_escape)
    escaped.to_csv(rows, index=False, lineterminator="\r\n")
    return rows.getvalue()


def read_csv(text: str) -> tuple[list[str], list[list[str]], dict[int, str]]:
    """The head and the rows of a table of `csv_text` or another program, and the faulty rows.

    A row with more cells than the head is faulty: its number, from 1, with a message; its cells
    are empty in the table. The head decides the separator: a comma, a semicolon, a tab or |. Short
    rows end in empty cells. ValueError where there is no head, or a name comes twice in it.
    """
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    first = lines.readline()
    known = re.fullmatch(r'"?sep=(.)"?\s*', first)  # some spreadsheets name the separator
    if not known:
        lines.seek(0)
    heads = {sign: next(csv.reader([first], delimiter=sign), []) for sign in _SEPARATORS}
    separator = known[1] if known else max(_SEPARATORS, key=lambda sign: len(heads[sign]))
    try:
        head, *rows = [row for row in csv.reader(lines, delimiter=separator) if row] or [[]]
    except csv.Error as error:
        raise ValueError(str(error)) from error
    if not head:
        raise ValueError("there are no columns in it")
    unique((name.strip().lower(), None) for name in head if name.strip())
    bad: dict[int, str] = {}
    good = []
    for number, row in enumerate(rows, 1):
        if any(row[len(head) :]):
            bad[number] = f"it has {len(row)} cells, where the head has {len(head)}"
            row = []
        good.append([_plain(cell) for cell in (*row, *[""] * len(head))[: len(head)]])
    return [_plain(name) for name in head], good, bad


def _escape(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _plain(text: str) -> str:
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text
