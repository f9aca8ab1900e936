"""Positions from text files."""

from __future__ import annotations

from pathlib import Path

from evolve.engine.board import Board
from evolve.errors import PositionError, RecordError


def parse_obf(line: str) -> Board:
    """The board of one OBF line: 64 cells, the side to move (X or O); what follows is ignored.

    Raises RecordError.
    """
    cells, side = line[:64], line[64:].strip()[:1].upper()
    if side not in ("X", "*", "O"):
        raise RecordError(
            f"{line[:80]!r} is no OBF position: 64 cells, a space, then X or O to move"
        )
    try:
        return Board.parse(cells, "white" if side == "O" else "black")
    except PositionError as error:
        raise RecordError(str(error)) from error


def read_obf(path: Path) -> list[Board]:
    """All positions of an OBF file; empty lines and those that begin with % or # are skipped.

    Raises RecordError with the line's number, also when there is no position at all.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path} is no OBF file: it is not text") from error
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
