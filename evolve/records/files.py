"""Reading record files, with errors that say where."""

from __future__ import annotations

from pathlib import Path

from evolve.errors import RecordError, reason_of


def read_bytes(path: Path) -> bytes:
    """The content of a file; RecordError when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordError(reason_of(error, path)) from error


def read_text(path: Path, what: str) -> str:
    """The text of a file, in UTF-8 with or without its mark; `what` it should be."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(f"{path} is not {what}: byte {error.start} is not text") from error
