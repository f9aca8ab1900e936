"""OBF: one position per line: 64 cells a1 to h8 (X black, O white, - empty), side to move.

Tables and PGN use it for the start position of a game. Comments begin with %; one of them says the
rules, unless they are the default ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from evolve.engine.board import Board
from evolve.errors import RecordError
from evolve.records.positions import read_position
from evolve.records.record import GameRecord
from evolve.records.rules import rules_line


def format_obf(board: Board) -> str:
    """The OBF line of a board; `positions.read_position` reads it."""
    return f"{board.cells()} {'X' if board.side == 'black' else 'O'};"


def obf_text(records: Sequence[GameRecord]) -> str:
    """The games' last positions, one line each.

    A first line says the rules, unless they are the default ones. RecordError where rules differ.
    """
    lines = [f"{format_obf(record.final)}\n" for record in records]
    return "".join([rules_line(records, "%"), *lines])


def start_text(board: Board) -> str | None:
    """The start position of a game as tables store it: OBF; None for the usual start."""
    return None if board == Board.start() else format_obf(board)


def start_board(text: str | None) -> Board:
    """The board of a text from `start_text`; the usual start for None. Raises RecordError.

    The usual start position knows its moves; other positions do not.
    """
    if text is None:
        return Board.start()
    try:
        return read_position(text)
    except RecordError as error:
        raise RecordError(f"start: {error}") from error
