"""The formats of games and positions: lists them, reads and writes their files, packed or not.

Readers and writers are named as `module:function`, so that the list alone loads none of them.
"""

from __future__ import annotations

import bz2
import gzip
import io
import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evolve.engine.board.rules import check_rules
from evolve.errors import RecordError, reason_of
from evolve.extras import imported
from evolve.files.atomic import write_bytes

if TYPE_CHECKING:
    from evolve.engine.board.board import Side
    from evolve.engine.board.rules import Rules
    from evolve.records.record import GameRecord, Reading

_LIMIT: Final = 512 << 20
"""Most bytes of a packed file after unpacking: some 500 000 games of GGF.
A packed file of one megabyte can unpack to more than a machine's memory."""
_OPENERS: Final[dict[str, Callable[[Path], io.BufferedIOBase]]] = {
    ".gz": gzip.GzipFile,
    ".bz2": bz2.BZ2File,
}
_PACKERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
}
PACKED: Final = tuple(_OPENERS)
"""Endings of packed files; the ending before it says what they hold."""


@dataclass(frozen=True)
class Format:
    """A format: its name, the content of its files, and the functions that read and write it.

    `read` takes the file's text, or its bytes and path where it is `binary`, and a Request; it
    returns a Reading. `write` takes records and returns text, or takes the path too and returns
    bytes; it is None for formats that evolve only reads.
    """

    name: str
    holds: str
    read: str
    write: str | None = None
    binary: bool = False


_READ_TABLE: Final = "evolve.records.table:read_table"
_WRITE_TABLE: Final = "evolve.records.table:table_bytes"
_GAMES: Final = "games, from any position"
FORMATS: Final = {
    ".ggf": Format(
        "GGF, of the Generic Game Server and NBoard",
        _GAMES, "evolve.records.ggf:scan_trees", "evolve.records.ggf:ggf_text",
    ),
    ".wtb": Format(
        "WTHOR database; names from `.jou` and `.trn` beside it",
        "games", "evolve.records.wthor:read_wthor", binary=True,
    ),
    ".sgf": Format("SGF, games of Othello: `GM[2]`", _GAMES, "evolve.records.ggf:scan_trees"),
    ".pgn": Format("PGN", _GAMES, "evolve.records.texts:scan_pgn", "evolve.records.texts:pgn_text"),
    ".csv": Format(
        "CSV: games table, or any with a column of moves",
        _GAMES, _READ_TABLE, _WRITE_TABLE, binary=True,
    ),
    ".tsv": Format("the same with tabs", _GAMES, _READ_TABLE, binary=True),
    ".parquet": Format("Parquet: the same", _GAMES, _READ_TABLE, _WRITE_TABLE, binary=True),
    ".json": Format(
        "JSON: the same as a list of objects", _GAMES, _READ_TABLE, _WRITE_TABLE, binary=True
    ),
    ".txt": Format(
        "moves such as `f5d6c4d3`, a game a line; positions; PGN, GGF, SGF",
        "games, positions", "evolve.records.texts:scan_text", "evolve.records.texts:lines_text",
    ),
    ".obf": Format(
        "OBF: 64 cells and the side to move, in a line or in rows",
        "positions", "evolve.records.texts:scan_text", "evolve.records.texts:obf_text",
    ),
}  # fmt: skip
"""All formats by their file endings; every file may be packed."""
_PACKED_TOO: Final = f"each also as {' or '.join(PACKED)}"
TABLE: Final = "\n".join(
    f"  {ending:<9} {'' if known.write else 'read alone: '}{known.name.replace('`', '')}"
    for ending, known in FORMATS.items()
)
"""The formats, a line each, for help."""


def read_games(
    path: str | Path,
    rules: Rules | None = None,
    *,
    strict: bool = False,
    side: Side | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> Reading:
    """Read the games of a file, by its ending; `tell` gets lines about those that are left out.

    A position is a game without moves that begins there. `rules` are those of games that do not
    say theirs, by default standard; `side` is to move in positions that do not say. Games of other
    rules than these are left out. RecordError where nothing can be read, or, if `strict`, where a
    game cannot; PositionError for unknown rules.
    """
    from evolve.records.record import Request

    if rules is not None:
        check_rules(rules)
    request = Request(rules, side=side)
    path = Path(path)
    ending = ending_of(path)
    if ending not in FORMATS:
        why = f"the ending {ending} is not known" if ending else "it has no ending that says so"
        raise RecordError(
            f"{path}: what is in it? {why}; there are {', '.join(FORMATS)}, {_PACKED_TOO}"
        )
    known, data = FORMATS[ending], read_bytes(path)
    try:
        content = (data, path) if known.binary else (text_of(data),)
        reading: Reading = imported(known.read)(*content, request)
    except RecordError as error:
        text = str(error)
        raise RecordError(text if text.startswith(str(path)) else f"{path}: {text}") from error
    reading.check(path, strict)
    for line in reading.messages(path):
        tell(line)
    return reading


def write_games(path: Path, records: Sequence[GameRecord]) -> None:
    """Write games in the format of the ending, in one step; RecordError where it cannot.

    `-` is standard output, in GGF.
    """
    known = FORMATS.get(".ggf" if path.name == "-" else ending_of(path))
    if known is None or known.write is None:
        written = ", ".join(ending for ending, known in FORMATS.items() if known.write)
        raise RecordError(f"{path}: games are written as {written}, {_PACKED_TOO}")
    write = imported(known.write)
    data = write(records, path) if known.binary else write(records).encode()
    write_bytes(path, _PACKERS.get(path.suffix.lower(), bytes)(data))


def ending_of(path: Path) -> str:
    """The ending that says what a file holds, in lower case: `.ggf` of `Games.GGF.gz`."""
    ending = path.suffix.lower()
    return Path(path.stem).suffix.lower() if ending in PACKED else ending


def read_bytes(path: Path) -> bytes:
    """The content of a file, unpacked where its name ends in .gz or .bz2.

    RecordError when it cannot be read, or has more than 512 MiB after unpacking.
    """
    opened = _OPENERS.get(path.suffix.lower())
    try:
        if opened is None:
            return path.read_bytes()
        with opened(path) as file:
            content = file.read(_LIMIT + 1)
    except (EOFError, zlib.error) as error:
        raise RecordError(f"{path} cannot be unpacked: {error}") from error
    except OSError as error:
        raise RecordError(reason_of(error, path)) from error
    if len(content) > _LIMIT:
        raise RecordError(
            f"{path} has more than {_LIMIT >> 20} MiB once it is unpacked; unpack it yourself, or "
            "split it"
        )
    return content


def text_of(data: bytes) -> str:
    """The text of UTF-8 data, with or without a byte order mark, else of Latin-1.

    RecordError quotes the first character that no text has.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if control := re.search(r"[\x00-\x08\x0e-\x19\x1b-\x1f]", text):
        raise RecordError(f"this is not text: its character {control.start()} is {control[0]!r}")
    return text.rstrip("\x1a")  # DOS ended files with this character
