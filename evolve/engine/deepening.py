"""Iterative deepening: the same move as `search.best_move`, for deep searches and for a clock."""

from __future__ import annotations

from typing import Final

import numpy as np

from evolve.engine.bits import ONE, ZERO, U, moves_of, play_of
from evolve.engine.compile import wrapper
from evolve.engine.context import STOPPED, TABLE_DEPTH
from evolve.engine.evaluation import square_sum, squares_after
from evolve.engine.memory import int64, load, lowest, store
from evolve.engine.search import INFINITY, search_from
from evolve.engine.table import forget

DEEP_FROM: Final = 8
"""The depth from which deepening with a table takes less time than the plain search."""
TABLE_FROM: Final = 3
"""The remaining depth from which the table is probed and filled."""


@wrapper
def deepen(own: np.uint64, opp: np.uint64, depth: int, context: int) -> tuple[int, int]:
    """Square and value of the best move to `depth` ≥ 2 plies, with the help of the table.

    As in `search.best_move`, the lowest of the best squares. The side must have a move. The square
    is −1 when the search was stopped.
    """
    store(context, TABLE_DEPTH, TABLE_FROM)
    squares = square_sum(own, context) - square_sum(opp, context)
    # The whole window: narrow windows around the previous iteration's value saved 1 % of nodes.
    limit = int64(INFINITY)
    moves = moves_of(own, opp)
    best = search_from(own, opp, moves, squares, -limit, limit, depth, context)
    while load(context, STOPPED) == 0:
        square = lowest(moves)
        moves &= moves - ONE
        value = best
        if moves != ZERO:
            turned, replies, _ = play_of(square, own, opp)
            after = squares_after(squares, square, turned, context)
            own_after, opp_after = opp ^ turned, own ^ turned ^ (ONE << U(square))
            value = -search_from(
                own_after, opp_after, replies, after, -best, 1 - best, depth - 1, context
            )
        if value >= best and load(context, STOPPED) == 0:
            store(context, TABLE_DEPTH, 0)
            return square, best
    store(context, TABLE_DEPTH, 0)
    return int64(-1), int64(0)


@wrapper
def best_move_deep(own: np.uint64, opp: np.uint64, depth: int, context: int) -> tuple[int, int]:
    """The result of `search.best_move` for `depth` ≥ 4, by deepening two plies at a time."""
    forget(context)
    square, value = int64(-1), int64(0)
    for iteration in range(2 + depth % 2, depth + 1, 2):
        square, value = deepen(own, opp, iteration, context)
        if load(context, STOPPED) != 0:
            break
    return square, value
