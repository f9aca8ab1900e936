"""The formats of games and positions: lists them, reads and writes their files.

Readers and writers are named as `module:function`, so that the list alone loads none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evolve.errors import RecordError
from evolve.extras import imported
from evolve.files.atomic import write_bytes
from evolve.records.packing import PACKED, Source, ending_of, packed, read_bytes

if TYPE_CHECKING:
    from evolve.engine.board.board import Board, Side
    from evolve.engine.board.rules import Rules
    from evolve.records.record import GameRecord, Reading


@dataclass(frozen=True)
class Format:
    """A format: its name, the content of its files, and the functions that read and write it.

    `read` takes a Source and returns a Reading. `write` takes records and returns text or bytes; it
    is None for formats that evolve only reads.
    """

    name: str
    holds: str
    read: str
    write: str | None = None


_READ_TABLE: Final = "evolve.records.table:read_table"
_GAMES: Final = "games, from any position"
FORMATS: Final = {
    ".ggf": Format(
        "GGF, of the Generic Game Server and NBoard",
        _GAMES, "evolve.records.ggf:read_trees", "evolve.records.ggf:ggf_text",
    ),
    ".wtb": Format(
        "WTHOR database; names from `.jou` and `.trn` beside it",
        "games", "evolve.records.wthor:read_wthor",
    ),
    ".sgf": Format("SGF, games of Othello: `GM[2]`", _GAMES, "evolve.records.ggf:read_trees"),
    ".pgn": Format("PGN", _GAMES, "evolve.records.texts:read_pgn", "evolve.records.texts:pgn_text"),
    ".csv": Format(
        "CSV: games table, or any with a column of moves",
        _GAMES, _READ_TABLE, "evolve.records.table:csv_of",
    ),
    ".tsv": Format("the same with tabs", _GAMES, _READ_TABLE),
    ".parquet": Format(
        "Parquet: the same", _GAMES, _READ_TABLE, "evolve.records.table:parquet_of",
    ),
    ".json": Format(
        "JSON: the same as a list of objects, or a list of moves",
        _GAMES, _READ_TABLE, "evolve.records.table:json_of",
    ),
    ".jsonl": Format("JSON lines: the same, a game in a line", _GAMES, _READ_TABLE),
    ".txt": Format(
        "moves such as `f5d6c4d3`, a game a line; positions; PGN, GGF, SGF",
        "games, positions", "evolve.records.texts:read_text", "evolve.records.texts:lines_text",
    ),
    ".obf": Format(
        "OBF: 64 cells and the side to move, in a line or in rows",
        "positions", "evolve.records.texts:read_text", "evolve.records.texts:obf_text",
    ),
}  # fmt: skip
"""All formats by their file endings; every file may be packed."""
READ: Final = ", ".join(FORMATS)
WRITTEN: Final = ", ".join(ending for ending, known in FORMATS.items() if known.write)
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
    check_winners: bool = True,
    strict: bool = False,
    side: Side | None = None,
) -> Reading:
    """Read the games of a file, by its ending, and those that are left out.

    A position is a game without moves that begins there. `rules` are those of games that do not
    say theirs, by default the project's or the user's, else standard; `side` is to move in
    positions that do not say. Games of other rules than these are left out, and, unless
    `check_winners` is False, those whose table has another winner than their rules give them.
    RecordError where nothing can be read, or, if `strict`, where a game cannot; PositionError for
    unknown rules.
    """
    from evolve.config.toml import default_rules  # not above: the list of formats needs none of it
    from evolve.engine.board.rules import DEFAULT_RULES, check_rules
    from evolve.records.record import RequestedRules

    if rules is not None:
        check_rules(rules)
    requested = RequestedRules(rules, default_rules() or DEFAULT_RULES, check_winners)
    path = Path(path)
    ending = ending_of(path)
    if ending not in FORMATS:
        why = f"the ending {ending} is not known" if ending else "it has no ending that says so"
        raise RecordError(f"{path}: what is in it? {why}; there are {READ}, {_PACKED_TOO}")
    data = read_bytes(path)
    try:
        reading: Reading = imported(FORMATS[ending].read)(Source(data, path, requested, side))
    except RecordError as error:
        text = str(error)
        raise RecordError(text if text.startswith(str(path)) else f"{path}: {text}") from error
    reading.check(path, strict)
    return reading


def positions_of(reading: Reading) -> list[Board]:
    """The positions of a file: the last position of each game."""
    return [record.final for record in reading.records]


def write_games(path: Path, records: Sequence[GameRecord]) -> None:
    """Write games in the format of the ending, in one step; RecordError where it cannot."""
    known = FORMATS.get(ending_of(path))
    if known is None or known.write is None:
        raise RecordError(f"{path}: games are written as {WRITTEN}, {_PACKED_TOO}")
    content: str | bytes = imported(known.write)(records)
    data = content.encode() if isinstance(content, str) else content
    write_bytes(path, packed(data, path))
