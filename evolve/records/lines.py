"""Games as move strings, one a line: `f5d6c4d3c2b3b4b5`, with or without spaces."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evolve.engine.board import Board
from evolve.engine.rules import PASS
from evolve.engine.squares import parse_moves, square_name
from evolve.errors import RecordError
from evolve.files.atomic import write_text
from evolve.records.files import read_text
from evolve.records.record import GameRecord, with_passes


def read_lines(path: Path) -> list[GameRecord]:
    """The games of a file from the start position; passes may be written or left out.

    Empty lines and those that begin with % or # are skipped. RecordError names the line.
    """
    records = []
    for number, line in enumerate(read_text(path, "a file of move strings").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("%", "#")):
            continue
        try:
            squares = [square for square in parse_moves(line) if square != PASS]
            records.append(GameRecord(with_passes(Board.start(), squares)))
        except RecordError as error:
            raise RecordError(f"{path}, line {number}: {error}") from error
    if not records:
        raise RecordError(f"{path} holds no move string such as f5d6c4d3c2b3b4b5")
    return records


def write_lines(path: Path, records: Iterable[GameRecord], head: str = "") -> None:
    """Write the games' moves, passes left out, below a head. RecordError where one begins
    elsewhere."""
    lines = [head]
    for number, record in enumerate(records, 1):
        if record.start != Board.start():
            raise RecordError(f"game {number} does not begin at the start position")
        lines.append("".join(square_name(s) for s in record.moves if s != PASS) + "\n")
    write_text(path, "".join(lines))
