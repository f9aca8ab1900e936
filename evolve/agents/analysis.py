"""Values of the moves of a position: an agent's analysis, exact scores, principal variations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, get_type_hints

import numpy as np

from evolve.agents.memory import thread_context
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, PASS, WIN, Rules
from evolve.engine.games import game
from evolve.engine.search import context as layout
from evolve.engine.search.search import best_move
from evolve.engine.search.solver import solve_move

_DECIMALS: Final = {"forecast": 1, "value": 2}  # decimals of the units that are not whole numbers


@dataclass(frozen=True)
class Analysis:
    """An agent's values of the moves of a position.

    values: the value of every legal move for the side to move, the agent's best move first.
    unit: `discs`: exact scores; `forecast`: discs of the final score that a pattern search expects;
        `evaluation`: the result of an alpha-beta search; from ±2**20 on, a finished game's
        score × 2**20; `value`: the forecast of a network or a tree search, for most of them −1
        (lost) to 1 (won).
    depth: plies searched; None where there is no such number.
    line: its principal variation, from the best move on; 64 is a pass.
    """

    values: Mapping[int, float]
    unit: Literal["discs", "forecast", "evaluation", "value"]
    depth: int | None
    line: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the values are exact scores."""
        return self.unit == "discs"

    def discs(self, square: int) -> float | None:
        """The value of a move in discs; None in another unit: `discs.in_discs` has a fit for it."""
        value = self.values[square]
        if self.unit == "evaluation":
            return value / WIN if abs(value) >= WIN else None
        return None if self.unit == "value" else float(value)

    def text(self, square: int) -> str:
        """The value of a move as text for people."""
        value = self.values[square]
        if self.unit in _DECIMALS:
            return f"{value:+.{_DECIMALS[self.unit]}f}"
        if abs(value) >= WIN:
            return f"{'wins' if value > 0 else 'loses'} by {abs(value) // WIN:.0f}"
        return f"{value:+.0f}"


def exact_analysis(board: Board, rules: Rules) -> Analysis:
    """The exact score of every legal move; there must be one."""
    row = np.zeros(layout.PHASES + layout.PHASE_CELLS, np.int64)
    row[layout.ENDGAME] = board.empties
    context = thread_context(rules, layout.table_bits_for(board.empties))
    return row_analysis(board, row, board.empties, context)


def row_analysis(board: Board, row: layout.Cells, depth: int, context: layout.Cells) -> Analysis:
    """Values by a search of `depth` plies over the weights of a row, or exact ones near the end.

    There must be a legal move.
    """
    values = np.zeros(64, np.int64)
    own, opp, address = U(board.own), U(board.opp), context.ctypes.data
    exact = bool(game.move_values(own, opp, row.ctypes.data, values, address))
    ranked = sorted(board.legal_moves(), key=lambda square: -values[square])

    def best(after: Board, plies: int) -> int:
        own, opp = U(after.own), U(after.opp)
        square, _ = solve_move(own, opp, address) if exact else best_move(own, opp, plies, address)
        return int(square)

    depth = board.empties if exact else min(depth, board.empties)
    return Analysis(
        {square: int(values[square]) for square in ranked},
        "discs" if exact else "evaluation",
        depth,
        line_from(board, ranked[0], depth, best),
    )


def line_from(
    board: Board, square: int, depth: int, best: Callable[[Board, int], int]
) -> tuple[int, ...]:
    """The principal variation of `depth` plies from `square` on; 64 is a pass, which costs none.

    best: the best move of a board by a search of so many plies.
    """
    line, board = [square], board.play(square)
    for plies in range(depth - 1, 0, -1):
        if board.is_over():
            break
        if not board.legal_moves():
            line.append(PASS)
            board = board.pass_move()
        line.append(best(board, plies))
        board = board.play(line[-1])
    return tuple(line)


class Solution(NamedTuple):
    """A position solved to the end.

    move: a best move, of several the lowest square; 64 for a pass, None at the end.
    score: the exact score for the side to move.
    nodes: positions searched.
    """

    move: int | None
    score: int
    nodes: int


Solution.__new__.__annotations__.update(get_type_hints(Solution))  # its signature reads well


def solved(board: Board, rules: Rules = DEFAULT_RULES) -> Solution:
    """Solve a position in this thread, which cannot be interrupted."""
    if board.is_over():
        return Solution(None, board.score(rules), 0)
    if not board.legal_moves():
        _, score, nodes = solved(board.pass_move(), rules)
        return Solution(PASS, -score, nodes)
    context = thread_context(rules, layout.table_bits_for(board.empties))
    context[layout.NODES] = context[layout.STOPPED] = 0
    square, score = solve_move(U(board.own), U(board.opp), context.ctypes.data)
    return Solution(int(square), int(score), int(context[layout.NODES]))
