"""Exact search to the end of the game: fail-soft, both rules, scores as the rules define them.

Three regimes by empties: the last square by counting; up to SHALLOW empties a bare search in
a fixed order; above, moves with few replies first (fastest first), stable discs as bounds,
null windows after the first move, and from TABLE_FROM empties a transposition table.
"""

from __future__ import annotations

import numpy as np

from evolve.engine.bits import CORNERS, FULL, ONE, ZERO, U, flips_of, moves_of, stable_discs
from evolve.engine.compile import inlined, kernel
from evolve.engine.context import (
    AGE,
    BUCKET,
    ENTRY,
    FRAME_CELLS,
    FRAMES,
    REVERSED,
    RULES,
    STOPPED,
    TABLE,
    TABLE_BITS,
    TURNED,
)
from evolve.engine.evaluation import final_score
from evolve.engine.memory import int64, load, load_bits, lowest, popcount, store, store_bits
from evolve.engine.search import enter, insert

SHALLOW = 5
TABLE_FROM = 9
STABILITY_FROM = 7
"""Fewer empties than this and the stable discs cost more than the cut-offs save."""

_QUADRANTS = (
    U(0x000000000F0F0F0F),
    U(0x00000000F0F0F0F0),
    U(0x0F0F0F0F00000000),
    U(0xF0F0F0F000000000),
)
Q0, Q1, Q2, Q3 = _QUADRANTS


@inlined
def last_square(own: np.uint64, opp: np.uint64, square: int, context: int) -> int:
    """Exact score for the side with `own`, to move with one empty square."""
    bit = ONE << U(square)
    rules = load(context, RULES)
    turned = flips_of(square, own, opp)
    if turned != ZERO:
        return final_score(own ^ turned ^ bit, opp ^ turned, rules)
    turned = flips_of(square, opp, own)
    if turned != ZERO:
        return final_score(own ^ turned, opp ^ turned ^ bit, rules)
    return final_score(own, opp, rules)


@inlined
def _odd_quadrants(empty: np.uint64) -> np.uint64:
    """Squares of the quadrants that hold an odd number of empty squares."""
    odd = ZERO
    if popcount(empty & Q0) & 1:
        odd |= Q0
    if popcount(empty & Q1) & 1:
        odd |= Q1
    if popcount(empty & Q2) & 1:
        odd |= Q2
    if popcount(empty & Q3) & 1:
        odd |= Q3
    return odd


@kernel
def solve_shallow(own: np.uint64, opp: np.uint64, alpha: int, beta: int, context: int) -> int:
    """Exact score with few empties: no sorting but parity under standard rules."""
    if not enter(context):
        return 0
    empty = ~(own | opp)
    if empty & (empty - ONE) == ZERO:
        if empty == ZERO:
            return final_score(own, opp, load(context, RULES))
        return last_square(own, opp, lowest(empty), context)
    sign = 1
    moves = moves_of(own, opp)
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves == ZERO:
            return final_score(own, opp, load(context, RULES))
        if not enter(context):
            return 0
        own, opp = opp, own
        alpha, beta = -beta, -alpha
        sign = -1
    # Whoever moves into an odd region moves last there; a help in standard, a harm in reversed.
    first = FULL
    if load(context, RULES) != REVERSED:
        first = _odd_quadrants(empty)
    todo = moves & first
    moves &= ~first
    best = -65
    while True:
        if todo == ZERO:
            todo, moves = moves, ZERO
            if todo == ZERO:
                return sign * best
        square = lowest(todo)
        todo &= todo - ONE
        turned = flips_of(square, own, opp)
        value = -solve_shallow(
            opp ^ turned, own ^ turned ^ (ONE << U(square)), -beta, -max(alpha, best), context
        )
        if load(context, STOPPED) != 0:
            return 0
        if value > best:
            best = value
            if best >= beta:
                return sign * best


@inlined
def _bucket(own: np.uint64, opp: np.uint64, context: int) -> int:
    mixed = own * U(0x9E3779B97F4A7C15) ^ (opp * U(0xC2B2AE3D27D4EB4F) >> U(29))
    mixed = (mixed ^ opp) * U(0xD6E8FEB86659FD93)
    bits = U(load(context, TABLE_BITS))
    return TABLE + int64(mixed >> (U(64) - bits)) * (BUCKET * ENTRY)


@inlined
def _probe(own: np.uint64, opp: np.uint64, bucket: int, context: int) -> int:
    """Packed bounds and move of a position, or −1. Entries of earlier searches do not count."""
    age = load(context, AGE)
    for slot in range(BUCKET):
        entry = bucket + slot * ENTRY
        if load_bits(context, entry) == own and load_bits(context, entry + 1) == opp:
            packed = load(context, entry + 2)
            if packed >> 32 == age:
                return packed & 0xFFFFFF
    return -1


@inlined
def _remember(
    own: np.uint64, opp: np.uint64, bucket: int, low: int, high: int, move: int, context: int
) -> None:
    """Keep bounds low ≤ score ≤ high: in the first slot the position with most empties."""
    age = load(context, AGE)
    empties = 64 - popcount(own | opp)
    entry = bucket
    if load(context, bucket + 2) >> 32 == age and load(context, bucket + 3) > empties:
        entry = bucket + ENTRY
    store_bits(context, entry, own)
    store_bits(context, entry + 1, opp)
    store(context, entry + 2, age << 32 | (low + 64) << 16 | (high + 64) << 8 | move)
    store(context, entry + 3, empties)


@inlined
def _sort_fastest_first(
    own: np.uint64, opp: np.uint64, moves: np.uint64, known: int, frame: int, context: int
) -> int:
    """Put `moves` into a frame, the one with fewest replies first; returns how many.

    `known` is a square to try before all others (from the table), or 64.
    """
    count = 0
    reverse = load(context, RULES) == REVERSED
    odd = ZERO
    if not reverse:
        odd = _odd_quadrants(~(own | opp))
    while moves != ZERO:
        square = lowest(moves)
        bit = ONE << U(square)
        moves &= moves - ONE
        turned = flips_of(square, own, opp)
        store_bits(context, frame + TURNED + square, turned)
        child_own = opp ^ turned
        child_opp = own ^ turned ^ bit
        replies = moves_of(child_own, child_opp)
        if reverse:
            # Fewest replies, and not to a side that would then have to take a corner.
            key = 4 * popcount(replies) - 2 * popcount(replies & CORNERS)
        else:
            # A reply in a corner is worth two; moves into odd regions come first among equals.
            key = 4 * (popcount(replies) + popcount(replies & CORNERS))
            if bit & odd != ZERO:
                key -= 2
            if bit & CORNERS != ZERO:
                key -= 1
        if square == known:
            key = -1000
        insert(key, square, count, frame, context)
        count += 1
    return count


@inlined
def _highest_possible(own: np.uint64, opp: np.uint64, rules: int) -> int:
    """No end of the game is better for the side with `own` than this, by stable discs."""
    own_stable, opp_stable = stable_discs(own, opp)
    if rules == REVERSED:
        return 64 - 2 * popcount(own_stable)
    return 64 - 2 * popcount(opp_stable)


@kernel
def solve_deep(own: np.uint64, opp: np.uint64, alpha: int, beta: int, context: int) -> int:
    """Exact score with any number of empties."""
    empties = 64 - popcount(own | opp)
    if empties <= SHALLOW:
        return solve_shallow(own, opp, alpha, beta, context)
    if not enter(context):
        return 0
    sign = 1
    moves = moves_of(own, opp)
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves == ZERO:
            return final_score(own, opp, load(context, RULES))
        if not enter(context):
            return 0
        own, opp = opp, own
        alpha, beta = -beta, -alpha
        sign = -1
    # 1. What the stable discs rule out.
    highest = int64(64)
    if empties >= STABILITY_FROM:
        highest = _highest_possible(own, opp, load(context, RULES))
        if highest <= alpha:
            return sign * highest
    beta = min(beta, highest)
    # 2. What the table knows.
    known, bucket = int64(64), 0
    if empties >= TABLE_FROM:
        bucket = _bucket(own, opp, context)
        packed = _probe(own, opp, bucket, context)
        if packed >= 0:
            low, high = (packed >> 16) - 64, (packed >> 8 & 0xFF) - 64
            known = packed & 0xFF
            if low >= beta or low == high:
                return sign * low
            if high <= alpha:
                return sign * high
            alpha, beta = max(alpha, low), min(beta, high)
    # 3. The moves: the first with the whole window, the others with a null window, and again
    #    with an open one when they turn out better.
    frame = FRAMES + empties * FRAME_CELLS
    count = _sort_fastest_first(own, opp, moves, known, frame, context)
    best, best_square = int64(-65), int64(64)
    index, low = 0, alpha
    high = beta
    while index < count:
        square = load(context, frame + index) & 63
        turned = load_bits(context, frame + TURNED + square)
        value = -solve_deep(opp ^ turned, own ^ turned ^ (ONE << U(square)), -high, -low, context)
        if load(context, STOPPED) != 0:
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
    # 4. Remember.
    if empties >= TABLE_FROM:
        if best >= beta:
            low, high = best, highest
        elif best > alpha:
            low, high = best, best
        else:
            low, high = int64(-64), best
        _remember(own, opp, bucket, low, high, best_square, context)
    return sign * best


@kernel
def solve_move(own: np.uint64, opp: np.uint64, context: int) -> tuple[int, int]:
    """Square and exact score of the best move; the lowest square among the best ones.

    The side must have a move.
    """
    store(context, AGE, load(context, AGE) + 1)
    frame = FRAMES + (64 - popcount(own | opp)) * FRAME_CELLS
    lowest_score, highest_score, none_known = int64(-64), int64(64), int64(64)
    count = _sort_fastest_first(own, opp, moves_of(own, opp), none_known, frame, context)
    best, best_square = lowest_score - 1, none_known
    for index in range(count):
        square = load(context, frame + index) & 63
        turned = load_bits(context, frame + TURNED + square)
        child_own = opp ^ turned
        child_opp = own ^ turned ^ (ONE << U(square))
        # As in search.best_move: a lower square is let through when it is as good.
        low = best
        if square < best_square:
            low = max(best - 1, -65)
        if index > 0:
            value = -solve_deep(child_own, child_opp, -low - 1, -low, context)
            if load(context, STOPPED) == 0 and value > low and value < 64:
                value = -solve_deep(child_own, child_opp, lowest_score, -low, context)
        else:
            value = -solve_deep(child_own, child_opp, lowest_score, highest_score, context)
        if load(context, STOPPED) != 0:
            return -1, 0
        if value > best or (value == best and square < best_square):
            best, best_square = value, square
    return best_square, best
