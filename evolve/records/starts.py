"""Where a game begins, as tables say it: nothing for the usual start, else the board as OBF."""

from __future__ import annotations

from evolve.engine.board import Board
from evolve.errors import RecordError
from evolve.records.obf import format_obf
from evolve.records.positions import read_position


def start_text(board: Board) -> str | None:
    """The board as OBF; None for the usual start."""
    return None if board == Board.start() else format_obf(board)


def start_board(text: str | None) -> Board:
    """The board of a text; RecordError where it is none. The usual start knows its moves."""
    if text is None:
        return Board.start()
    try:
        return read_position(text)
    except RecordError as error:
        raise RecordError(f"start: {error}") from error
