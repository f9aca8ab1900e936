"""Boards in a terminal: discs, the legal moves, the last move."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from rich.text import Text

from evolve.cli.terminal import out

if TYPE_CHECKING:
    from evolve.engine.board import Board

_LAST = "bold reverse"
_LEGAL = "green"


def board_lines(board: Board, last: int | None = None, legal: Collection[int] = ()) -> list[Text]:
    """The board as lines: legal moves as stars, the last move standing out where colours are."""
    glyphs = {"X": "●", "O": "○", "-": "·"} if out().encoding.lower().startswith("utf") else {}
    cells = board.cells()
    lines = [Text("  a b c d e f g h")]
    for row in range(8):
        line = Text(f"{row + 1}")
        for square in range(8 * row, 8 * row + 8):
            shown = "*" if square in legal else glyphs.get(cells[square], cells[square])
            style = _LAST if square == last else _LEGAL if square in legal else ""
            line.append(" ").append(shown, style)
        lines.append(line)
    marks = glyphs.get("X", "X"), glyphs.get("O", "O")
    black, white = board.discs("black"), board.discs("white")
    lines.append(Text(f"{marks[0]} black {black}, {marks[1]} white {white}; {board.side} to move"))
    return lines


def show_board(board: Board, last: int | None = None, legal: Collection[int] = ()) -> None:
    """Print it."""
    for line in board_lines(board, last, legal):
        out().print(line)
