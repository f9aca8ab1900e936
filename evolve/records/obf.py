"""OBF: positions, a line each: 64 cells a1 to h8 (X black, O white, - empty), side to move."""

from __future__ import annotations

from collections.abc import Iterable

from evolve.engine.board import Board


def format_obf(board: Board) -> str:
    """The OBF line of a board; `positions.read_position` reads it."""
    return f"{board.cells()} {'X' if board.side == 'black' else 'O'};"


def obf_text(boards: Iterable[Board]) -> str:
    """Positions, a line each."""
    return "".join(f"{format_obf(board)}\n" for board in boards)
