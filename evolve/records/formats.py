"""The formats of games and positions: lists them, reads and writes their files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evolve.config.toml import default_rules
from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import DEFAULT_RULES, Rules, check_rules
from evolve.errors import RecordError, RulesError
from evolve.files.atomic import write_bytes
from evolve.records.ggf import ggf_text, is_sgf, scan_ggf, scan_sgf
from evolve.records.packing import PACKED, ending_of, packed, read_bytes, text_of
from evolve.records.record import Asked, GameRecord, Reading, rules_in_text
from evolve.records.texts import is_pgn, lines_text, obf_text, pgn_text, scan_lines, scan_pgn
from evolve.records.wthor import scan_wthor

Reader = Callable[["Source"], Reading]
Writer = Callable[[Path, Sequence[GameRecord]], bytes]


@dataclass(frozen=True)
class Source:
    """A file to read, with the reader's options.

    asked: the rules asked for; side: the side to move in positions that do not say.
    """

    data: bytes
    path: Path
    asked: Asked
    side: Side | None

    @property
    def text(self) -> str:
        """Its content as text."""
        return text_of(self.data)


@dataclass(frozen=True)
class Format:
    """A format: its name, the content of its files, and the functions that read and write it.

    `write` is None for formats that evolve only reads.
    """

    name: str
    holds: str
    read: Reader
    write: Writer | None


def _read_text(source: Source) -> Reading:
    """Reads a text by its content: some sites give PGN, GGF and SGF as .txt."""
    text = source.text
    if is_pgn(text):
        return _read_pgn(source)
    tree = _TREE.search(text)
    if tree and not _SQUARE.search(text, 0, tree.start()):  # else moves before it are a game too
        return _read_tree(source)
    rules = source.asked.agree(rules_in_text(text))
    return scan_lines(text, rules, source.side)


def _read_pgn(source: Source) -> Reading:
    return scan_pgn(source.text, source.asked)


def _read_tree(source: Source) -> Reading:
    """Reads GGF or SGF by the content: both occur with the ending .sgf."""
    text = source.text
    return scan_sgf(text, source.asked) if is_sgf(text) else _agreeing(scan_ggf(text), source)


def _read_wthor(source: Source) -> Reading:
    return _agreeing(scan_wthor(source.data, source.path), source)


def _agreeing(reading: Reading, source: Source) -> Reading:
    """Checks games that all say their rules; RulesError where those are not the ones asked for."""
    for number, record in zip(reading.numbers, reading.records, strict=True):
        try:
            source.asked.agree(record.rules)
        except RulesError as error:
            raise RulesError(f"game {number}: {error}") from error
    return reading


def _read_table(source: Source) -> Reading:
    from evolve.records.table import scan_table  # not above: pandas takes 0.2 s

    return scan_table(source.data, source.path, source.asked)


def _write_table(path: Path, records: Sequence[GameRecord]) -> bytes:
    from evolve.records.table import games_frame, table_bytes

    return table_bytes(path, games_frame(records))


_TREE: Final = re.compile(r"^\s*(?:\d+\s+)?\(\s*;\s*[A-Za-z]+\s*\[", re.MULTILINE)
"""The beginning of GGF or SGF; servers put the number of games before each entry."""
_SQUARE: Final = re.compile(r"\b[A-Ha-h][1-8]")
FORMATS: Final = {
    ".ggf": Format(
        "GGF, of the Generic Game Server and NBoard",
        "games, from any position",
        _read_tree,
        lambda path, records: ggf_text(records).encode(),
    ),
    ".wtb": Format(
        "WTHOR database; names from `.jou` and `.trn` beside it",
        "games",
        _read_wthor,
        None,
    ),
    ".sgf": Format("SGF, games of Othello: `GM[2]`", "games, from any position", _read_tree, None),
    ".pgn": Format(
        "PGN",
        "games, from any position",
        _read_pgn,
        lambda path, records: pgn_text(records).encode(),
    ),
    ".csv": Format("CSV: games table, or any with a column of moves", "games, from any position",
                   _read_table, _write_table),
    ".tsv": Format("the same with tabs", "games, from any position", _read_table, None),
    ".parquet": Format("Parquet: the same", "games, from any position", _read_table, _write_table),
    ".json": Format("JSON: the same as a list of objects, or a list of moves",
                    "games, from any position", _read_table, _write_table),
    ".jsonl": Format("JSON lines: the same, a game in a line", "games, from any position",
                     _read_table, None),
    ".txt": Format(
        "moves such as `f5d6c4d3`, a game in a line; positions; also PGN, GGF or SGF",
        "games, positions",
        _read_text,
        lambda path, records: lines_text(records).encode(),
    ),
    ".obf": Format(
        "OBF: 64 cells and the side to move, in a line or in rows, or as FEN",
        "positions",
        _read_text,
        lambda path, records: obf_text(records).encode(),
    ),
}  # fmt: skip
"""All formats by their file endings; every file may be packed."""
READ: Final = ", ".join(FORMATS)
WRITTEN: Final = ", ".join(ending for ending, one in FORMATS.items() if one.write)
READ_HELP: Final = f"{READ}, each also as {' or '.join(PACKED)}"


def format_of(path: Path) -> Format:
    """The format of a file by its ending; RecordError for an unknown ending."""
    ending = ending_of(path)
    if ending not in FORMATS:
        why = f"the ending {ending} is not known" if ending else "it has no ending that says so"
        raise RecordError(f"{path}: what is in it? {why}; there are {READ_HELP}")
    return FORMATS[ending]


def read_games(
    path: str | Path,
    rules: Rules | None = None,
    *,
    judged: bool = True,
    strict: bool = False,
    side: Side | None = None,
) -> Reading:
    """Read the games of a file, by its ending, and those that are left out.

    A position is a game without moves that begins there. `rules` are those of games that do not
    say theirs, by default the project's or the user's, else standard; `side` is to move in
    positions that do not say. RecordError where nothing can be read, or, if `strict`, where a game
    cannot; RulesError, unless `judged` is False, for a game that says other rules than these, or
    has another winner than its rules give it; PositionError for unknown rules.
    """
    if rules is not None:
        check_rules(rules)
    asked = Asked(rules, judged, default_rules() or DEFAULT_RULES)
    path = Path(path)
    known = format_of(path)
    data = read_bytes(path)
    try:
        reading = known.read(Source(data, path, asked, side))
    except RulesError as error:
        raise RulesError(f"{path}, {error}") from error
    except RecordError as error:
        text = str(error)
        raise RecordError(text if text.startswith(str(path)) else f"{path}: {text}") from error
    reading.check(path, strict)
    return reading


def read_text(text: str, rules: Rules, side: Side = "black") -> Reading:
    """Read the games or positions of a text as people paste it: moves, PGN, GGF, SGF, positions.

    rules: those of games that do not say theirs; side: to move in positions that do not say.
    Raises RecordError where nothing can be read.
    """
    path = Path("text")
    reading = _read_text(Source(text.encode(), path, Asked(rules, judged=False), side))
    if not reading.records:
        raise RecordError(reading.left_out[0].reason)
    return reading


def positions_of(reading: Reading) -> list[Board]:
    """The positions of a file: the last position of each game."""
    return [record.final for record in reading.records]


def write_games(path: Path, records: Sequence[GameRecord]) -> None:
    """Write games in the format of the ending, in one step; RecordError where it cannot."""
    known = FORMATS.get(ending_of(path))
    if known is None or known.write is None:
        raise RecordError(
            f"{path}: games are written as {WRITTEN}, each also as {' or '.join(PACKED)}"
        )
    write_bytes(path, packed(known.write(path, records), path))
