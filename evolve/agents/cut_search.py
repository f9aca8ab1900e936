"""The search with forward cuts, for agents with patterns and for weights of squares by a limit.

Weights of squares have no file for their cuts: they are measured when they are first needed.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from evolve.agents.analysis import line_from
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.patterns.pattern_search import pattern_move, pattern_values
from evolve.engine.search import context as layout


class CutSearch:
    """A search with forward cuts from one position, see `searching.Search`.

    context: prepared for the evaluation, the cuts and the rules, see `engine.patterns`.
    """

    step: ClassVar[int] = 2
    share: ClassVar[float] = 0.4

    def __init__(self, context: layout.Cells, board: Board) -> None:
        self.context = context
        self._board = board

    def prepare(self) -> None:
        """Nothing to prepare: the table's entries stay valid."""

    def move(self, depth: int) -> int:
        """A best square by a search of `depth` plies; see `Search`."""
        return self._move(self._board, depth)[0]

    def deepen(self, depth: int) -> tuple[int, int]:
        """A best square and its value, by searches of ever more plies, two at a time."""
        square, value = -1, 0
        for plies in range(2 - depth % 2, depth + 1, 2):
            square, value = self._move(self._board, plies)
        return square, value

    def values_to(self, deepest: int) -> list[int]:
        """The position's values at 1, 2, … `deepest` plies."""
        self.context[layout.STOPPED] = 0
        return [self._move(self._board, plies)[1] for plies in range(1, deepest + 1)]

    def values(self, depth: int) -> dict[int, int]:
        """The value of every legal move at `depth` plies."""
        values = np.zeros(64, np.int64)
        own, opp = U(self._board.own), U(self._board.opp)
        for plies in range(2 - depth % 2, depth + 1, 2):
            pattern_values(own, opp, plies, values, self.context.ctypes.data)
        return {square: int(values[square]) for square in self._board.legal_moves()}

    def line(self, square: int, depth: int) -> tuple[int, ...]:
        """The principal variation from `square` on."""
        return line_from(
            self._board, square, depth, lambda board, plies: self._move(board, plies)[0]
        )

    def _move(self, board: Board, depth: int) -> tuple[int, int]:
        square, value = pattern_move(U(board.own), U(board.opp), depth, self.context.ctypes.data)
        return int(square), int(value)
