"""Exact search to the end of the game: fail-soft, any rules, scores as the rules define them.

Three methods by number of empties. The last two squares: by counting. Up to SHALLOW empties: a bare
search in a fixed order. Above: moves with few replies first (fastest first), or with many empties
good ones by patterns, stable discs as bounds, a transposition table, and null windows after the
first move.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import (
    CORNERS,
    ONE,
    ZERO,
    U,
    after_move,
    final_score,
    flips_of,
    moves_of,
    stable_discs,
)
from evolve.engine.compiled.compile import inlined, inner, kernel, wrapper
from evolve.engine.compiled.intrinsics import (
    call_listing,
    call_solver,
    int64,
    load,
    load_bits,
    lowest,
    popcount,
)
from evolve.engine.search import context as layout
from evolve.engine.search.ordering import list_fastest_first, odd_quadrants, pick
from evolve.engine.search.search import arrive, enter

SHALLOW = 5
_REPLIES_FROM = 10
"""From this many empties the table is probed for every move before the first is searched."""
_PATTERNS_FROM = 12
"""From this many empties patterns order the moves, where the context has some."""
_WINDOWS_FROM = 11
"""From this many empties narrow windows find the score."""


@inlined
def _last_square(own: U, opp: U, square: int, context: int) -> int:
    """Exact score for the side with `own`, to move with one empty square."""
    turned = flips_of(square, own, opp)
    if turned != ZERO:
        discs = popcount(own) + popcount(turned) + 1
        return _full_score(discs, own ^ turned ^ (ONE << U(square)), opp ^ turned, context)
    turned = flips_of(square, opp, own)
    if turned != ZERO:
        discs = popcount(own) - popcount(turned)
        return _full_score(discs, own ^ turned, opp ^ turned ^ (ONE << U(square)), context)
    return final_score(own, opp, load(context, layout.RULES))


@wrapper
def _full_score(discs: int, own: U, opp: U, context: int) -> int:
    """Score of a full board for the side with `discs` discs, those of `own`."""
    sign = load(context, layout.DISC_SIGN)
    if sign > 0:
        return 2 * discs - 64
    if sign < 0:
        return 64 - 2 * discs
    return final_score(own, opp, load(context, layout.RULES))


@inlined
def _after_last_but_one(own: U, opp: U, square: int, turned: U, last: int, context: int) -> int:
    """Score for `own` of a move with two empty squares; 0 when the budget is used up."""
    if not enter(context):
        return 0
    bit = ONE << U(square)
    return -_last_square(opp ^ turned, own ^ turned ^ bit, last, context)


@inlined
def _last_two(own: U, opp: U, alpha: int, beta: int, context: int) -> int:
    """Exact score with two empty squares; the node is already entered."""
    empty = ~(own | opp)
    first = lowest(empty)
    second = lowest(empty & (empty - ONE))
    turned_first, turned_second = flips_of(first, own, opp), flips_of(second, own, opp)
    sign = 1
    if turned_first | turned_second == ZERO:
        own, opp = opp, own
        turned_first, turned_second = flips_of(first, own, opp), flips_of(second, own, opp)
        if turned_first | turned_second == ZERO:
            return final_score(opp, own, load(context, layout.RULES))
        if not enter(context):
            return 0
        beta, sign = -alpha, -1
    best = -65
    if turned_first != ZERO:
        best = _after_last_but_one(own, opp, first, turned_first, second, context)
        if best >= beta or turned_second == ZERO or load(context, layout.STOPPED) != 0:
            return sign * best
    return sign * max(best, _after_last_but_one(own, opp, second, turned_second, first, context))


@inner
def _solve_shallow(own: U, opp: U, alpha: int, beta: int, context: int) -> int:
    """Exact score with few empties: no sorting but corners last, or parity."""
    if not enter(context):
        return 0
    empty = ~(own | opp)
    rest = empty & (empty - ONE)
    if rest & (rest - ONE) == ZERO:
        if rest != ZERO:
            return _last_two(own, opp, alpha, beta, context)
        if empty != ZERO:
            return _last_square(own, opp, lowest(empty), context)
        return final_score(own, opp, load(context, layout.RULES))
    sign = 1
    moves = moves_of(own, opp)
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves == ZERO:
            return final_score(own, opp, load(context, layout.RULES))
        if not enter(context):
            return 0
        own, opp = opp, own
        alpha, beta = -beta, -alpha
        sign = -1
    # The side that moves into an odd region moves last there: good where discs are good. Where they
    # are bad, a corner comes last, because it is never lost again.
    first = ~CORNERS
    if load(context, layout.CORNERS_LAST) == 0:
        first = odd_quadrants(empty)
    best = -65
    while moves != ZERO:
        early = moves & first
        square = lowest(early if early != ZERO else moves)
        moves ^= ONE << U(square)
        child_own, child_opp = after_move(square, own, opp)
        value = -_solve_shallow(child_own, child_opp, -beta, -max(alpha, best), context)
        if load(context, layout.STOPPED) != 0:
            return 0
        best = max(best, value)
        if best >= beta:
            break
    return sign * best


@wrapper
def _highest_possible(own: U, opp: U, alpha: int, context: int) -> int:
    """An upper bound, by stable discs, on the score of the side with `own`.

    Where discs are good, the other side keeps its stable discs; where they are bad, this side must
    keep its own. Where scores do not depend on discs, nothing is known. Stable discs are counted
    only where they can be enough to fail low.
    """
    sign = load(context, layout.DISC_SIGN)
    reverse = sign < 0
    kept = own if reverse else opp
    if sign == 0 or 64 - 2 * popcount(kept) > alpha:
        return int64(64)
    own_stable, opp_stable = stable_discs(own, opp)
    return 64 - 2 * popcount(own_stable if reverse else opp_stable)


@wrapper
def _proven(own: U, opp: U, beta: int, frame: int, count: int, context: int) -> int:
    """A lower bound ≥ beta from the table through one of the moves, or −65 for none."""
    for index in range(count):
        square = load(context, frame + index) & 63
        turned = load_bits(context, frame + layout.TURNED + square)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        bucket = layout.bucket_of(child_own, child_opp, context)
        entry = layout.probe(child_own, child_opp, bucket, context)
        if entry != layout.NOTHING and -layout.high_of(entry, context) >= beta:
            return -layout.high_of(entry, context)
    return -65


@inlined
def _list_moves(
    own: U, opp: U, moves: U, known: int, frame: int, empties: int, context: int
) -> int:
    """Put `moves` into a frame, best first with `known` before all others; return their number."""
    listing = load(context, layout.LISTING)
    if listing != 0 and empties >= _PATTERNS_FROM:
        return call_listing(listing, own, opp, moves, known, frame, context)
    return list_fastest_first(own, opp, moves, known, frame, context)


@kernel
def solve_deep(own: U, opp: U, alpha: int, beta: int, context: int) -> int:
    """Exact score with any number of empties."""
    empties = 64 - popcount(own | opp)
    if empties <= SHALLOW:
        return _solve_shallow(own, opp, alpha, beta, context)
    own, opp, moves, _, alpha, beta, sign = arrive(
        own, opp, moves_of(own, opp), int64(0), alpha, beta, context
    )
    if moves == ZERO:
        stopped = load(context, layout.STOPPED) != 0
        return 0 if stopped else final_score(own, opp, load(context, layout.RULES))
    # 1. The bound by stable discs.
    highest = _highest_possible(own, opp, alpha, context)
    if highest <= alpha:
        return sign * highest
    beta = min(beta, highest)
    # 2. The bounds in the table, or else a move from that of hints.
    known = int64(64)
    bucket = layout.bucket_of(own, opp, context)
    entry = layout.probe(own, opp, bucket, context)
    if entry != layout.NOTHING:
        low, high = layout.low_of(entry, context), layout.high_of(entry, context)
        known = layout.move_of(entry, context)
        if low >= beta or low == high:
            return sign * low
        if high <= alpha:
            return sign * high
        alpha, beta = max(alpha, low), min(beta, high)
    elif empties >= _PATTERNS_FROM and load(context, layout.HINTS) != 0:
        hints = load(context, layout.HINTS)
        entry = layout.probe(own, opp, layout.bucket_of(own, opp, hints), hints)
        if entry != layout.NOTHING:
            known = layout.move_of(entry, hints)
    # 3. The moves: the first with the whole window, the others with a null window, and again
    #    with an open one when they turn out better.
    frame = layout.FRAMES + empties * layout.FRAME_CELLS
    count = _list_moves(own, opp, moves, known, frame, empties, context)
    if empties >= _REPLIES_FROM:
        proven = _proven(own, opp, beta, frame, count, context)
        if proven >= beta:
            return sign * proven
    best, best_square = int64(-65), int64(64)
    index, low = int64(0), alpha
    high = beta
    while index < count:
        square = pick(index, count, frame, context)
        turned = load_bits(context, frame + layout.TURNED + square)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        value = -call_solver(
            load(context, layout.SOLVER), child_own, child_opp, -high, -low, context
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
        high = low + 1
        index += 1
    # 4. Store the result in the table.
    if best >= beta:
        low, high = best, highest
    elif best > alpha:
        low, high = best, best
    else:
        low, high = int64(-64), best
    layout.remember(own, opp, bucket, low, high, empties, best_square, context)
    return sign * best


@wrapper
def solve(own: U, opp: U, alpha: int, beta: int, context: int) -> int:
    """`solve_deep` for kernels outside the solver."""
    return call_solver(load(context, layout.SOLVER), own, opp, alpha, beta, context)


@wrapper
def solve_outcome(own: U, opp: U, context: int) -> int:
    """The winner, for the side with `own`: more than 0, 0 or less, a bound on the exact score.

    Several times cheaper than the score.
    """
    layout.forget(context)
    return solve(own, opp, int64(-1), int64(1), context)


@wrapper
def _lowest_reaching(own: U, opp: U, target: int, context: int) -> int:
    """The lowest square with a move worth `target` or more; one must exist; −1 when stopped."""
    moves = moves_of(own, opp)
    while load(context, layout.STOPPED) == 0:
        square = lowest(moves)
        moves &= moves - ONE
        if moves == ZERO:
            return square
        child_own, child_opp = after_move(square, own, opp)
        value = -solve(child_own, child_opp, -target, 1 - target, context)
        if value >= target and load(context, layout.STOPPED) == 0:
            return square
    return -1


@kernel
def solve_outcome_move(own: U, opp: U, first: int, context: int) -> tuple[int, int]:
    """A move that wins, or draws where none wins, and the bound of `solve_outcome`.

    The side must have a move, and the position more than SHALLOW empties. The move `first` is tried
    before the others. The square is −1 in a lost position, where all moves are equal. Where the
    search was stopped it is a move that does not lose, or else the one that was being searched.
    """
    layout.forget(context)
    empties = 64 - popcount(own | opp)
    frame = layout.FRAMES + empties * layout.FRAME_CELLS
    count = _list_moves(own, opp, moves_of(own, opp), first, frame, empties, context)
    best, best_square = int64(-65), int64(-1)
    for index in range(count):
        square = pick(index, count, frame, context)
        child_own, child_opp = after_move(square, own, opp)
        value = -solve(child_own, child_opp, int64(-1), -max(int64(-1), best), context)
        if load(context, layout.STOPPED) != 0:
            return (best_square if best >= 0 else square), int64(0)
        if value > best:
            best, best_square = value, square
        if best >= 1:
            break
    return (best_square if best >= 0 else int64(-1)), best


@wrapper
def solve_score(own: U, opp: U, context: int) -> int:
    """Exact score for the side with `own`.

    With more than a few empties it finds the outcome first, then the score by windows on that side.
    """
    if 64 - popcount(own | opp) < _WINDOWS_FROM:
        layout.forget(context)
        return solve(own, opp, int64(-64), int64(64), context)
    score = solve_outcome(own, opp, context)
    width = 4
    while score != 0 and load(context, layout.STOPPED) == 0:
        if score > 0:
            low, high = score - 1, min(score - 1 + width, 64)
        else:
            low, high = max(score + 1 - width, -64), score + 1
        score = solve(own, opp, low, high, context)
        if low < score < high or score <= -64 or score >= 64:
            break
        width *= 2
    return score


@wrapper
def solve_move(own: U, opp: U, context: int) -> tuple[int, int]:
    """Square and exact score of the best move; the lowest square among the best ones.

    The side must have a move. The square is −1 when the search was stopped.
    """
    best = solve_score(own, opp, context)
    square = _lowest_reaching(own, opp, best, context)
    if square < 0:
        best = int64(0)
    return square, best


@kernel
def solve_in_order(own: U, opp: U, order: npt.NDArray[np.int64], context: int) -> tuple[int, int]:
    """Square and exact score of the best move; `order` gives the order of all legal moves.

    Among equal moves it is the first. The nearer the best one is to the front, the less the others
    cost. The square is −1 when the search was stopped.
    """
    layout.forget(context)
    best, best_square = int64(-65), int64(-1)
    for index in range(order.size):
        square = int64(order[index])
        child_own, child_opp = after_move(square, own, opp)
        value = int64(65)
        if index > 0:
            value = -solve(child_own, child_opp, -best - 1, -best, context)
        if value > best:
            value = -solve(child_own, child_opp, int64(-64), -best, context)
        if load(context, layout.STOPPED) != 0:
            return int64(-1), int64(0)
        if value > best:
            best, best_square = value, square
    return best_square, best
