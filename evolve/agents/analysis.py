"""What an agent thinks of the moves of a position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from evolve.engine import context as layout
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.rules import PASS, WIN
from evolve.engine.search import best_move
from evolve.engine.solver import solve_move

Unit = Literal["discs", "evaluation", "value"]
_EVALUATION_OF_A_DISC: Final = 100.0
"""Roughly: weights are in hundredths."""


@dataclass(frozen=True)
class Analysis:
    """An agent's view of a position.

    values: of every legal move for the side to move, the one it likes most first.
    unit: `discs`: exact scores; `evaluation`: what an alpha-beta search gives; from ±2**20 on, a
        finished game's score × 2**20; `value`: what a network or a tree search forecasts, for most
        of them −1 (lost) to 1 (won).
    depth: plies that were searched; None where there is no such number.
    line: its principal variation, from the best move on; 64 is a pass.
    """

    values: Mapping[int, float]
    unit: Unit
    depth: int | None
    line: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the values are exact scores."""
        return self.unit == "discs"

    def discs(self, square: int) -> float | None:
        """The value of a move in discs: roughly for an evaluation, None for a `value`."""
        value = self.values[square]
        if self.unit == "evaluation":
            return value / WIN if abs(value) >= WIN else value / _EVALUATION_OF_A_DISC
        return float(value) if self.exact else None

    def text(self, square: int) -> str:
        """The value of a move for a person."""
        value = self.values[square]
        if self.unit == "value":
            return f"{value:+.2f}"
        if abs(value) >= WIN:
            return f"{'wins' if value > 0 else 'loses'} by {abs(value) // WIN:.0f}"
        return f"{value:+.0f}"


def line_of_search(
    board: Board, square: int, depth: int, exact: bool, context: layout.Cells
) -> tuple[int, ...]:
    """The principal variation from `square` on, of a search that has just valued moves."""
    line = [square]
    board = board.play(square)
    while not board.is_over() and (exact or depth > 1):
        if not board.legal_moves():
            line.append(PASS)
            board = board.pass_move()
            continue
        own, opp, address = U(board.own), U(board.opp), context.ctypes.data
        depth -= 1
        square, _ = solve_move(own, opp, address) if exact else best_move(own, opp, depth, address)
        line.append(int(square))
        board = board.play(int(square))
    return tuple(line)
