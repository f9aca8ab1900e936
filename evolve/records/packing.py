"""Reads record files as bytes and text: unpacks packed files, and finds the encoding."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from evolve.errors import RecordError, reason_of

if TYPE_CHECKING:
    from evolve.engine.board.board import Side
    from evolve.records.record import RequestedRules

_LIMIT: Final = 512 << 20
"""Most bytes of a packed file after unpacking: some 500 000 games of GGF.
A packed file of one megabyte can unpack to more than a machine's memory."""
_OPENERS: Final[dict[str, Callable[[IO[bytes]], io.BufferedIOBase]]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".bz2": bz2.BZ2File,
}
_PACKERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
}
PACKED: Final = tuple(_OPENERS)
"""Endings of packed files; the ending before it says what they hold."""
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY: Final = re.compile(r"[\x00-\x08\x0e-\x19\x1b-\x1f]")


@dataclass(frozen=True)
class Source:
    """A file to read, with the reader's options.

    requested: the rules asked for; side: the side to move in positions that do not say.
    """

    data: bytes
    path: Path
    requested: RequestedRules
    side: Side | None

    @property
    def text(self) -> str:
        """Its content as text."""
        return text_of(self.data)


def ending_of(path: Path) -> str:
    """The ending that says what a file holds, in lower case: `.ggf` of `Games.GGF.gz`."""
    return Path(path.stem).suffix.lower() if _is_packed(path) else path.suffix.lower()


def _is_packed(path: Path) -> bool:
    """Whether a name says that the file is packed."""
    return path.suffix.lower() in PACKED


def read_bytes(path: Path) -> bytes:
    """The content of a file, unpacked where its name ends in .gz or .bz2.

    RecordError when it cannot be read, or is larger than `_LIMIT` after unpacking.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(reason_of(error, path)) from error
    return unpacked(data, path) if _is_packed(path) else data


def unpacked(data: bytes, path: Path, limit: int = _LIMIT) -> bytes:
    """The content of packed data, `limit` bytes at most; RecordError names the file."""
    ending = path.suffix.lower()
    try:
        with _OPENERS[ending](io.BytesIO(data)) as file:
            content = file.read(limit + 1)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise RecordError(f"{path} cannot be unpacked as {ending}: {error}") from error
    if len(content) > limit:
        raise RecordError(
            f"{path} has more than {limit >> 20} MiB once it is unpacked; unpack it yourself, or "
            "split it"
        )
    return content


def packed(data: bytes, path: Path) -> bytes:
    """The data as this file stores it: packed where its ending says so."""
    return _PACKERS[path.suffix.lower()](data) if _is_packed(path) else data


def text_of(data: bytes) -> str:
    """The text of UTF-8 or UTF-16 data, with or without a byte order mark, else of Latin-1.

    RecordError names the first byte that cannot be text.
    """
    marks = ((encoding, len(mark)) for mark, encoding in _MARKS if data.startswith(mark))
    encoding, begin = next(marks, ("utf-8", 0))
    try:
        text = data[begin:].decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8" or begin:
            raise RecordError(
                f"this is not text in {encoding.upper()}: byte {begin + error.start}"
            ) from error
        encoding = "latin-1"
        text = data.decode(encoding)
    control = _BINARY.search(text)
    if control:
        offset = begin + len(text[: control.start()].encode(encoding, "surrogatepass"))
        raise RecordError(f"this is not text: byte {offset} is {ord(control[0])}")
    return text.rstrip("\x1a")  # DOS ended files with this character
