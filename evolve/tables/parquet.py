"""Parquet files that detect their own damage.

Parquet's own checksums cover the pages of data. They cover neither page headers nor the footer with
schema, statistics and metadata, where a run's checkpoint is. So each file of evolve holds a digest
of itself in its footer: SHA-256 of all its bytes, with the digest's own bytes as zeros. Other
programs read such a file like any other.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from evolve.errors import LinkError, RunError
from evolve.files.atomic import write_bytes
from evolve.tables.columns import Columns

_KEY: Final = b"evolve-digest"
_LABEL: Final = b"sha256-of-this-file:"
_DIGITS: Final = 64
_DIGEST: Final = re.compile(rb"[0-9a-f]{64}")


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
    place = content.rfind(_LABEL) + len(_LABEL)
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:place] + digest + content[place + _DIGITS :]


def read_table(
    path: Path, columns: Columns | None = None, *, only: Sequence[str] | None = None
) -> pa.Table:
    """A whole table, or those of the columns `only` that it has.

    RunError where it is missing, damaged, or lacks one of `columns`; it may have further ones.
    Columns that are newer than the file get their value for older files. Other programs write files
    without a digest: of these only the page checksums are verified.
    """
    return table_of(_content(path), path, columns, only=only)


def table_of(
    content: bytes,
    path: Path,
    columns: Columns | None = None,
    *,
    only: Sequence[str] | None = None,
) -> pa.Table:
    """The same from the content of a file; errors name `path`."""
    _verify(content, path)
    try:
        # Not `pq.read_table`: its threads may release our bytes after it returns. When that happens
        # while Python exits, the process aborts: 6 of 240 sweeps ended by a signal.
        file = pq.ParquetFile(
            pa.BufferReader(content), pre_buffer=False, page_checksum_verification=True
        )
        names = None
        if only is not None:
            there = file.schema_arrow.names
            names = [name for name in only if name in there]
        table = file.read(columns=names, use_threads=False)
        # Remove metadata of the file itself, such as the digest.
        table = table.replace_schema_metadata(file.schema.to_arrow_schema().metadata)
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError) as error:
        raise _damaged(path, error) from error
    if columns is not None:
        table = columns.completed(table)
        _check_schema(path, table.schema, columns.schema)
    return table


def read_metadata(path: Path) -> dict[bytes, bytes]:
    """The metadata of a table; RunError where the file is missing or damaged."""
    content = _content(path)
    _verify(content, path)
    try:
        return dict(pq.read_schema(pa.BufferReader(content)).metadata or {})
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError) as error:
        raise _damaged(path, error) from error


def _content(path: Path) -> bytes:
    """A file's content, read in one piece.

    pyarrow opens a file more than once, and may find another file there the second time.
    """
    try:
        return path.read_bytes()
    except LinkError:
        raise
    except IsADirectoryError as error:
        raise RunError(f"{path} is missing or damaged: it is a folder") from error
    except OSError as error:
        raise RunError(f"{path} is missing or damaged: {error.strerror}") from error


def _verify(content: bytes, path: Path) -> None:
    """Raise RunError unless the digest of a file fits its content; a digest may be missing."""
    label = content.rfind(_LABEL)
    if label < 0 and _KEY not in content:
        return
    # Either mark requires a digest, so that no single flipped bit can remove it.
    place = label + len(_LABEL)
    digest = content[place : place + _DIGITS]
    if label < 0 or not _DIGEST.fullmatch(digest):
        raise RunError(f"{path} is damaged: its digest cannot be read")
    hashed = hashlib.sha256(content[:place])
    hashed.update(b"0" * _DIGITS)
    hashed.update(content[place + _DIGITS :])
    if hashed.hexdigest().encode() != digest:
        raise RunError(f"{path} is damaged: its digest does not fit its content")


def _check_schema(path: Path, found: pa.Schema, wanted: pa.Schema) -> None:
    for field in wanted:
        if found.get_field_index(field.name) < 0:
            raise RunError(f"{path} is another table: it has no column {field.name}")
        there = found.field(field.name).type
        if there != field.type:
            raise RunError(
                f"{path} is another table: its column {field.name} is of type {there}, "
                f"not {field.type}"
            )


def _damaged(path: Path, error: BaseException) -> RunError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return RunError(f"{path} is missing or damaged: {reason}")
