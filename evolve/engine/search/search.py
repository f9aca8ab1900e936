"""Alpha-beta (Knuth and Moore 1975): fail-soft (Fishburn 1983) negamax to a fixed depth.

Every function answers for the side with `own`: with a window (alpha, beta) the value returned is
exact inside it, an upper bound when ≤ alpha, a lower bound when ≥ beta. A pass costs no depth. A
node is a position entered, leaves included. A search that would enter more nodes than its budget
sets STOPPED and unwinds; its value then means nothing. For deep searches there is iterative
deepening, with the same moves.
"""

from __future__ import annotations

from typing import Final

from evolve.engine.board.bits import ONE, ZERO, U, final_score, moves_of, play_of
from evolve.engine.board.rules import WIN
from evolve.engine.compiled.compile import inlined, inner, kernel, wrapper
from evolve.engine.compiled.intrinsics import (
    call_look,
    call_search,
    int64,
    load,
    load_bits,
    lowest,
    store,
)
from evolve.engine.search import context as layout
from evolve.engine.search.evaluation import evaluate, square_sum, squares_after
from evolve.engine.search.ordering import list_by_evaluation, next_moves, pick

INFINITY = 1 << 30
DEEP_FROM: Final = 8
"""The depth from which deepening with a table takes less time than the plain search."""
_TABLE_FROM: Final = 3
"""The remaining depth from which the table is probed and filled."""


@inlined
def enter(context: int) -> bool:
    """Count a node; False when the budget, or the clock, does not allow it."""
    nodes = load(context, layout.NODES)
    if (
        nodes >= load(context, layout.BUDGET)
        and call_look(load(context, layout.LOOK), nodes, context) == 0
    ):
        return False
    store(context, layout.NODES, nodes + 1)
    return True


@inlined
def arrive(
    own: U, opp: U, moves: U, squares: int, alpha: int, beta: int, context: int
) -> tuple[U, U, U, int, int, int, int]:
    """Enter a node, and pass if necessary: own, opp, moves, squares, alpha, beta, sign.

    After a pass everything is seen from the other side and the sign is −1. No moves mean that the
    game is over or the budget is used up: see `ended`.
    """
    sign = 1
    if not enter(context):
        moves = ZERO
    elif moves == ZERO:
        moves = moves_of(opp, own)
        if moves != ZERO and not enter(context):
            moves = ZERO
        if moves != ZERO:
            own, opp, squares = opp, own, -squares
            alpha, beta = -beta, -alpha
            sign = -1
    return own, opp, moves, squares, alpha, beta, sign


@wrapper
def ended(own: U, opp: U, context: int) -> int:
    """Value of a node without moves."""
    if load(context, layout.STOPPED) != 0:
        return 0
    return final_score(own, opp, load(context, layout.RULES)) * WIN


@wrapper
def leaf(own: U, opp: U, squares: int, own_moves: U, opp_moves: U, context: int) -> int:
    """Value of an entered node, no further: exact score × WIN at the end, else the evaluation."""
    if own_moves == ZERO and moves_of(opp, own) == ZERO:
        return final_score(own, opp, load(context, layout.RULES)) * WIN
    return evaluate(own, opp, squares, own_moves, opp_moves, context)


@inlined
def best_leaf(own: U, opp: U, moves: U, squares: int, beta: int, context: int) -> int:
    """The value of the best move by the leaf after it, or of the first one worth `beta` or more.

    Nodes are counted as by `enter`, but in a register: most nodes are leaves.
    """
    best = -INFINITY
    reverse = load(context, layout.CORNERS_LAST)
    nodes, budget = load(context, layout.NODES), load(context, layout.BUDGET)
    while moves != ZERO:
        square = lowest(next_moves(moves, reverse))
        bit = ONE << U(square)
        moves ^= bit
        if nodes < budget:
            nodes += 1
        else:
            store(context, layout.NODES, nodes)
            if not enter(context):
                return 0
            nodes, budget = load(context, layout.NODES), load(context, layout.BUDGET)
        turned, replies, answers = play_of(square, own, opp)
        after = squares_after(squares, square, turned, context)
        value = -leaf(opp ^ turned, own ^ turned ^ bit, after, replies, answers, context)
        best = max(best, value)
        if best >= beta:
            break
    store(context, layout.NODES, nodes)
    return best


@inner
def _search_1(own: U, opp: U, moves: U, squares: int, alpha: int, beta: int, context: int) -> int:
    """Depth 1: the best leaf. Here and in all searches, `moves` are those of the side to move."""
    own, opp, moves, squares, alpha, beta, sign = arrive(
        own, opp, moves, squares, alpha, beta, context
    )
    if moves == ZERO:
        return ended(own, opp, context)
    return sign * best_leaf(own, opp, moves, squares, beta, context)


@inner
def _search_2(own: U, opp: U, moves: U, squares: int, alpha: int, beta: int, context: int) -> int:
    """Depth 2, moves in the fixed order of square groups."""
    own, opp, moves, squares, alpha, beta, sign = arrive(
        own, opp, moves, squares, alpha, beta, context
    )
    if moves == ZERO:
        return ended(own, opp, context)
    best = -INFINITY
    reverse = load(context, layout.CORNERS_LAST)
    while moves != ZERO:
        square = lowest(next_moves(moves, reverse))
        bit = ONE << U(square)
        moves ^= bit
        turned, replies, _ = play_of(square, own, opp)
        after = squares_after(squares, square, turned, context)
        value = -_search_1(
            opp ^ turned, own ^ turned ^ bit, replies, after, -beta, -max(alpha, best), context
        )
        if load(context, layout.STOPPED) != 0:
            return 0
        best = max(best, value)
        if best >= beta:
            break
    return sign * best


@kernel
def search_deep(
    own: U, opp: U, moves: U, squares: int, alpha: int, beta: int, depth: int, context: int
) -> int:
    """Value of a position searched to `depth` (0 or more) plies, with its known sum of squares.

    From depth 3 on the moves are sorted by the evaluation after them. From the context's
    TABLE_DEPTH on the table is used, but only its bounds for the same depth, so that the value is
    the minimax value whatever was searched before. Then moves after the first have a null window,
    and an open one when they turn out better (principal variation search).
    """
    if depth <= 2:
        # Here, not in a function above: numba would compile all this again with it (0.5 s).
        if depth == 2:
            return _search_2(own, opp, moves, squares, alpha, beta, context)
        if depth == 1:
            return _search_1(own, opp, moves, squares, alpha, beta, context)
        return leaf(own, opp, squares, moves, moves_of(opp, own), context) if enter(context) else 0
    own, opp, moves, squares, alpha, beta, sign = arrive(
        own, opp, moves, squares, alpha, beta, context
    )
    if moves == ZERO:
        return ended(own, opp, context)
    # 1. Probe the table.
    known, bucket = int64(64), int64(0)
    if load(context, layout.TABLE_DEPTH) != 0 and depth >= load(context, layout.TABLE_DEPTH):
        bucket = layout.bucket_of(own, opp, context)
        entry = layout.probe(own, opp, bucket, context)
        if entry != layout.NOTHING:
            known = layout.move_of(entry, context)
            if layout.draft_of(entry, context) == depth:
                low, high = layout.low_of(entry, context), layout.high_of(entry, context)
                if low >= beta or low == high:
                    return sign * low
                if high <= alpha:
                    return sign * high
                alpha, beta = max(alpha, low), min(beta, high)
    # 2. List the moves by the evaluation after them. Only one search of each depth runs at a time,
    #    so there is one frame for each depth.
    frame = layout.FRAMES + depth * layout.FRAME_CELLS
    count = list_by_evaluation(own, opp, squares, moves, known, frame, context)
    # 3. Search them: without the table all with an open window; with it the first alone, the others
    #    with a null window, and again with an open one when they turn out better.
    best, best_square = int64(-INFINITY), int64(64)
    index, low, high = int64(0), alpha, beta
    while index < count:
        square = pick(index, count, frame, context)
        turned = load_bits(context, frame + layout.TURNED + square)
        own_after, opp_after = opp ^ turned, own ^ turned ^ (ONE << U(square))
        replies = load_bits(context, frame + layout.REPLIES + square)
        after = load(context, frame + layout.SQUARES + square)
        if depth == 3:
            value = -_search_2(own_after, opp_after, replies, after, -high, -low, context)
        else:
            value = -call_search(
                load(context, layout.SEARCH),
                own_after,
                opp_after,
                replies,
                after,
                -high,
                -low,
                depth - 1,
                context,
            )
        if load(context, layout.STOPPED) != 0:
            return 0
        if value >= high and value < beta:
            low, high = value, beta
            continue
        if value > best:
            best, best_square = value, square
            if best >= beta:
                break
        low = max(alpha, best)
        high = beta if bucket == 0 else low + 1
        index += 1
    # 4. Store the result in the table.
    if bucket != 0:
        low, high = int64(-INFINITY), int64(INFINITY)
        if best > alpha:
            low = best
        if best < beta:
            high = best
        layout.remember(own, opp, bucket, low, high, depth, best_square, context)
    return sign * best


@wrapper
def _search_from(
    own: U, opp: U, moves: U, squares: int, alpha: int, beta: int, depth: int, context: int
) -> int:
    """`search_deep` for kernels outside the search."""
    search_at = load(context, layout.SEARCH)
    return call_search(search_at, own, opp, moves, squares, alpha, beta, depth, context)


@wrapper
def search(own: U, opp: U, alpha: int, beta: int, depth: int, context: int) -> int:
    """Value of a position searched to `depth` (0 or more) plies."""
    squares = square_sum(own, context) - square_sum(opp, context)
    return _search_from(own, opp, moves_of(own, opp), squares, alpha, beta, depth, context)


@wrapper
def best_move(own: U, opp: U, depth: int, context: int) -> tuple[int, int]:
    """Square and value of the best move to `depth` ≥ 1 plies; the side must have one.

    Among moves of equal value the lowest square is chosen, whatever the order of the search: a move
    with a lower square than the best so far passes when it is as good, by a window wider by one.
    The choice therefore depends only on the minimax values.
    """
    frame = int64(layout.FRAMES)
    squares = square_sum(own, context) - square_sum(opp, context)
    none_known = int64(64)
    count = list_by_evaluation(own, opp, squares, moves_of(own, opp), none_known, frame, context)
    lowest_value = int64(-INFINITY)
    best, best_square = lowest_value, 64
    for index in range(count):
        square = pick(index, count, frame, context)
        turned = load_bits(context, frame + layout.TURNED + square)
        low = best
        if square < best_square:
            low = best - 1
        value = -_search_from(
            opp ^ turned,
            own ^ turned ^ (ONE << U(square)),
            load_bits(context, frame + layout.REPLIES + square),
            load(context, frame + layout.SQUARES + square),
            lowest_value,
            -low,
            depth - 1,
            context,
        )
        if load(context, layout.STOPPED) != 0:
            return -1, 0
        if value > best or (value == best and square < best_square):
            best, best_square = value, square
    return best_square, best


@wrapper
def deepen(own: U, opp: U, depth: int, context: int) -> tuple[int, int]:
    """Square and value of the best move to `depth` ≥ 2 plies, with the help of the table.

    As in `best_move`, the lowest of the best squares. The side must have a move. The square
    is −1 when the search was stopped.
    """
    store(context, layout.TABLE_DEPTH, _TABLE_FROM)
    squares = square_sum(own, context) - square_sum(opp, context)
    # The whole window: narrow windows around the previous iteration's value saved 1 % of nodes.
    limit = int64(INFINITY)
    moves = moves_of(own, opp)
    best = _search_from(own, opp, moves, squares, -limit, limit, depth, context)
    while load(context, layout.STOPPED) == 0:
        square = lowest(moves)
        moves &= moves - ONE
        value = best
        if moves != ZERO:
            turned, replies, _ = play_of(square, own, opp)
            after = squares_after(squares, square, turned, context)
            own_after, opp_after = opp ^ turned, own ^ turned ^ (ONE << U(square))
            value = -_search_from(
                own_after, opp_after, replies, after, -best, 1 - best, depth - 1, context
            )
        if value >= best and load(context, layout.STOPPED) == 0:
            store(context, layout.TABLE_DEPTH, 0)
            return square, best
    store(context, layout.TABLE_DEPTH, 0)
    return int64(-1), int64(0)


@wrapper
def best_move_deep(own: U, opp: U, depth: int, context: int) -> tuple[int, int]:
    """The result of `best_move` for `depth` ≥ 4, by deepening two plies at a time."""
    layout.forget(context)
    square, value = int64(-1), int64(0)
    for iteration in range(2 + depth % 2, depth + 1, 2):
        square, value = deepen(own, opp, iteration, context)
        if load(context, layout.STOPPED) != 0:
            break
    return square, value
