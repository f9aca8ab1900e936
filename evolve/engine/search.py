"""Alpha-beta: fail-soft negamax to a fixed depth.

Every function answers for the side with `own`: with a window (alpha, beta) the value returned
is exact inside it, an upper bound when ≤ alpha, a lower bound when ≥ beta. A pass costs no
depth. A node is a position entered, leaves included; a search that would enter more than its
budget sets STOPPED and unwinds, and its value means nothing.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from evolve.engine.bits import ONE, ZERO, U, flips_of, moves_of
from evolve.engine.compile import inlined, kernel
from evolve.engine.context import BUDGET, FRAME_CELLS, FRAMES, NODES, RULES, STOPPED
from evolve.engine.evaluation import CLASS_OF_SQUARE, WIN, evaluate, final_score
from evolve.engine.memory import int64, load, lowest, store

INFINITY = 1 << 30
MAX_DEPTH: Final = 60

# Squares by how good a move there tends to be under standard rules: corners first, the squares
# beside them last. Under reversed rules the same groups in the opposite order.
_CLASS_ORDER = ((0,), (7, 2, 3, 9, 8), (5, 6), (1,), (4,))


def _order_masks() -> tuple[np.uint64, ...]:
    return tuple(
        U(sum(1 << square for square in range(64) if CLASS_OF_SQUARE[square] in group))
        for group in _CLASS_ORDER
    )


O0, O1, O2, O3, O4 = _order_masks()


@inlined
def group(index: int, reverse: int) -> np.uint64:
    """The `index`-th of five groups of squares, most promising first under these rules."""
    if reverse != 0:
        index = 4 - index
    if index == 0:
        return O0
    if index == 1:
        return O1
    if index == 2:
        return O2
    if index == 3:
        return O3
    return O4


@inlined
def enter(context: int) -> bool:
    """Count a node; False when the budget does not allow it."""
    nodes = load(context, NODES)
    budget = load(context, BUDGET)
    if budget != 0 and nodes >= budget:
        store(context, STOPPED, 1)
        return False
    store(context, NODES, nodes + 1)
    return True


@kernel
def leaf(own: np.uint64, opp: np.uint64, context: int) -> int:
    """Value without looking further: exact score × WIN at the end, else the evaluation."""
    if not enter(context):
        return 0
    moves = moves_of(own, opp)
    if moves == ZERO and moves_of(opp, own) == ZERO:
        return final_score(own, opp, load(context, RULES)) * WIN
    return evaluate(own, opp, moves, context)


@kernel
def search_1(own: np.uint64, opp: np.uint64, alpha: int, beta: int, context: int) -> int:
    """Depth 1: the best leaf."""
    if not enter(context):
        return 0
    sign = 1
    moves = moves_of(own, opp)
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves == ZERO:
            return final_score(own, opp, load(context, RULES)) * WIN
        if not enter(context):
            return 0
        own, opp = opp, own
        alpha, beta = -beta, -alpha
        sign = -1
    best = -INFINITY
    reverse = load(context, RULES)
    for index in range(5):
        todo = moves & group(index, reverse)
        while todo != ZERO:
            square = lowest(todo)
            todo &= todo - ONE
            turned = flips_of(square, own, opp)
            value = -leaf(opp ^ turned, own ^ turned ^ (ONE << U(square)), context)
            if load(context, STOPPED) != 0:
                return 0
            if value > best:
                best = value
                if best >= beta:
                    return sign * best
    return sign * best


@kernel
def search_2(own: np.uint64, opp: np.uint64, alpha: int, beta: int, context: int) -> int:
    """Depth 2, moves in the fixed order of square groups."""
    if not enter(context):
        return 0
    sign = 1
    moves = moves_of(own, opp)
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves == ZERO:
            return final_score(own, opp, load(context, RULES)) * WIN
        if not enter(context):
            return 0
        own, opp = opp, own
        alpha, beta = -beta, -alpha
        sign = -1
    best = -INFINITY
    reverse = load(context, RULES)
    for index in range(5):
        todo = moves & group(index, reverse)
        while todo != ZERO:
            square = lowest(todo)
            todo &= todo - ONE
            turned = flips_of(square, own, opp)
            value = -search_1(
                opp ^ turned, own ^ turned ^ (ONE << U(square)), -beta, -max(alpha, best), context
            )
            if load(context, STOPPED) != 0:
                return 0
            if value > best:
                best = value
                if best >= beta:
                    return sign * best
    return sign * best


@inlined
def sort_moves(own: np.uint64, opp: np.uint64, moves: np.uint64, frame: int, context: int) -> int:
    """Put `moves` into a frame, best evaluation after the move first; returns how many.

    A frame holds pairs of cells: square, and the evaluation seen from the opponent (low first).
    """
    count = 0
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips_of(square, own, opp)
        child_own = opp ^ turned
        child_opp = own ^ turned ^ (ONE << U(square))
        key = evaluate(child_own, child_opp, moves_of(child_own, child_opp), context)
        place = count
        while place > 0 and load(context, frame + 2 * place - 1) > key:
            store(context, frame + 2 * place, load(context, frame + 2 * place - 2))
            store(context, frame + 2 * place + 1, load(context, frame + 2 * place - 1))
            place -= 1
        store(context, frame + 2 * place, square)
        store(context, frame + 2 * place + 1, key)
        count += 1
    return count


@kernel
def search(own: np.uint64, opp: np.uint64, alpha: int, beta: int, depth: int, context: int) -> int:
    """Value of a position searched to `depth` (0 or more) plies.

    From depth 3 on the moves are sorted by the evaluation after them.
    """
    if depth == 2:
        return search_2(own, opp, alpha, beta, context)
    if depth == 1:
        return search_1(own, opp, alpha, beta, context)
    if depth == 0:
        return leaf(own, opp, context)
    if not enter(context):
        return 0
    sign = 1
    moves = moves_of(own, opp)
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves == ZERO:
            return final_score(own, opp, load(context, RULES)) * WIN
        if not enter(context):
            return 0
        own, opp = opp, own
        alpha, beta = -beta, -alpha
        sign = -1
    # Only one search of each depth is under way at a time, so frames go by depth.
    frame = FRAMES + depth * FRAME_CELLS
    count = sort_moves(own, opp, moves, frame, context)
    best = -INFINITY
    for index in range(count):
        square = load(context, frame + 2 * index)
        turned = flips_of(square, own, opp)
        value = -search(
            opp ^ turned,
            own ^ turned ^ (ONE << U(square)),
            -beta,
            -max(alpha, best),
            depth - 1,
            context,
        )
        if load(context, STOPPED) != 0:
            return 0
        if value > best:
            best = value
            if best >= beta:
                break
    return sign * best


@kernel
def best_move(own: np.uint64, opp: np.uint64, depth: int, context: int) -> tuple[int, int]:
    """Square and value of the best move to `depth` ≥ 1 plies; the side must have one.

    Among moves of the same value the lowest square is chosen, whatever order they were
    searched in: a move with a lower square than the best so far is let through when it is as
    good, by a window one wider. The choice is therefore a function of the minimax values.
    """
    frame = int64(FRAMES)
    count = sort_moves(own, opp, moves_of(own, opp), frame, context)
    lowest_value = int64(-INFINITY)
    best, best_square = lowest_value, 64
    for index in range(count):
        square = load(context, frame + 2 * index)
        turned = flips_of(square, own, opp)
        low = best
        if square < best_square:
            low = best - 1
        value = -search(
            opp ^ turned, own ^ turned ^ (ONE << U(square)), lowest_value, -low, depth - 1, context
        )
        if load(context, STOPPED) != 0:
            return -1, 0
        if value > best or (value == best and square < best_square):
            best, best_square = value, square
    return best_square, best
