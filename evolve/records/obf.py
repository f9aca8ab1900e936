"""OBF: positions, a line each: 64 cells a1 to h8 (X black, O white, - empty), side to move."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evolve.engine.board import Board
from evolve.errors import PositionError, RecordError
from evolve.files.atomic import write_text
from evolve.records.files import read_text


def parse_obf(line: str) -> Board:
    """The board of one OBF line: 64 cells, the side to move (X or O); what follows is ignored.

    Raises RecordError.
    """
    cells, side = line[:64], line[64:].strip()[:1].upper()
    if side not in ("X", "*", "O"):
        raise RecordError(
            f"{line[:80]!r} is not an OBF position: 64 cells, a space, then X or O to move"
        )
    try:
        return Board.parse(cells, "white" if side == "O" else "black")
    except PositionError as error:
        raise RecordError(str(error)) from error


def read_obf(path: Path) -> list[Board]:
    """All positions of an OBF file; empty lines and those that begin with % or # are skipped.

    Raises RecordError with the line's number, also when there is no position at all.
    """
    lines = read_text(path, "an OBF file").splitlines()
    boards = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith(("%", "#")):
            continue
        try:
            boards.append(parse_obf(line.strip()))
        except RecordError as error:
            raise RecordError(f"{path}, line {number}: {error}") from error
    if not boards:
        raise RecordError(f"{path} holds no position")
    return boards


def format_obf(board: Board) -> str:
    """The OBF line of a board."""
    return f"{board.cells()} {'X' if board.side == 'black' else 'O'};"


def write_obf(path: Path, boards: Iterable[Board]) -> None:
    """Write positions to a file, a line each."""
    write_text(path, "".join(format_obf(board) + "\n" for board in boards))
