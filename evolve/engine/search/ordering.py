"""The order in which search and solver try moves: the most promising first.

Near the leaves it is a fixed order of groups of squares. Elsewhere the moves of a position are
listed in a frame of the context, each with a key, and picked one by one.
"""

from __future__ import annotations

from evolve.engine.board.bits import CORNERS, ONE, ZERO, U, play_of
from evolve.engine.compiled.compile import inlined
from evolve.engine.compiled.intrinsics import load, lowest, popcount, store, store_bits
from evolve.engine.search import context as layout
from evolve.engine.search.evaluation import CLASS_OF_SQUARE, evaluate, squares_after

_FIRST = -(1 << 30)
"""The key of the move from the table: below those of all evaluations."""
_FIRST_TO_SOLVE = -1000
"""The same key in the solver: below those of all numbers of replies."""

# Squares by how good a move there usually is under standard rules: corners first, the squares
# beside them last. With CORNERS_LAST the same groups in reverse order.
O0, O1, O2, O3, O4 = (
    U(sum(1 << square for square in range(64) if CLASS_OF_SQUARE[square] in group))
    for group in ((0,), (7, 2, 3, 9, 8), (5, 6), (1,), (4,))
)


@inlined
def next_moves(moves: U, reverse: int) -> U:
    """Those of `moves` (at least one) that are in the most promising group under these rules.

    It chooses between values without branches, which would be mispredicted at every other move.
    """
    first, second = moves & (O0 if reverse == 0 else O4), moves & (O1 if reverse == 0 else O3)
    fourth = moves & (O3 if reverse == 0 else O1)
    chosen = moves & (O4 if reverse == 0 else O0)
    third = moves & O2
    chosen = fourth if fourth != ZERO else chosen
    chosen = third if third != ZERO else chosen
    chosen = second if second != ZERO else chosen
    return first if first != ZERO else chosen


@inlined
def pack(key: int, square: int) -> int:
    """A move of a frame in one cell: order by key, lowest first, then by square."""
    return 64 * key + square


@inlined
def pick(index: int, count: int, frame: int, context: int) -> int:
    """Find the best of a frame's moves from `index` on, put it at `index`, and return its square.

    Moves are picked one by one: most nodes need few, and sorting all has a branch for each move
    that is mispredicted half of the time.
    """
    best, chosen = load(context, frame + index), index
    for other in range(index + 1, count):
        packed = load(context, frame + other)
        chosen = other if packed < best else chosen
        best = min(best, packed)
    store(context, frame + chosen, load(context, frame + index))
    store(context, frame + index, best)
    return best & 63


@inlined
def list_by_evaluation(
    own: U, opp: U, squares: int, moves: U, known: int, frame: int, context: int
) -> int:
    """Put `moves` into a frame, with the evaluation after the move as key; return their number.

    `known` is a square (from the table) to try before all others, or 64.

    The evaluation is seen from the opponent. The frame also holds, by square, the discs that the
    move turns, the replies and the sums after it.
    """
    count = 0
    while moves != ZERO:
        square = lowest(moves)
        bit = ONE << U(square)
        moves &= moves - ONE
        turned, replies, answers = play_of(square, own, opp)
        after = squares_after(squares, square, turned, context)
        store_bits(context, frame + layout.TURNED + square, turned)
        store_bits(context, frame + layout.REPLIES + square, replies)
        store(context, frame + layout.SQUARES + square, after)
        key = evaluate(opp ^ turned, own ^ turned ^ bit, after, replies, answers, context)
        if square == known:
            key = _FIRST
        store(context, frame + count, pack(key, square))
        count += 1
    return count


Q0, Q1 = U(0x000000000F0F0F0F), U(0x00000000F0F0F0F0)
Q2, Q3 = U(0x0F0F0F0F00000000), U(0xF0F0F0F000000000)


@inlined
def odd_quadrants(empty: U) -> U:
    """Squares of the quadrants that hold an odd number of empty squares."""
    odd = Q0 * U(popcount(empty & Q0) & 1) | Q1 * U(popcount(empty & Q1) & 1)
    return odd | Q2 * U(popcount(empty & Q2) & 1) | Q3 * U(popcount(empty & Q3) & 1)


@inlined
def list_fastest_first(own: U, opp: U, moves: U, known: int, frame: int, context: int) -> int:
    """Put `moves` into a frame, with mostly the number of replies as key; return their number.

    `known` is a square (from the table) to try before all others, or 64.
    """
    count = 0
    reverse = load(context, layout.CORNERS_LAST) != 0
    odd = ZERO
    if not reverse:
        odd = odd_quadrants(~(own | opp))
    while moves != ZERO:
        square = lowest(moves)
        bit = ONE << U(square)
        moves &= moves - ONE
        turned, replies, _ = play_of(square, own, opp)
        store_bits(context, frame + layout.TURNED + square, turned)
        corner_replies = popcount(replies & CORNERS)
        if reverse:
            # Few turned discs come early, and a corner only if the other side takes it.
            key = 8 * (popcount(replies) - corner_replies) + 3 * popcount(turned)
            if bit & CORNERS != ZERO:
                key += 6
        else:
            # A reply in a corner counts double; moves into corners and odd regions come early.
            key = 8 * (popcount(replies) + corner_replies)
            if bit & odd != ZERO:
                key -= 4
            if bit & CORNERS != ZERO:
                key -= 4
        if square == known:
            key = _FIRST_TO_SOLVE
        store(context, frame + count, pack(key, square))
        count += 1
    return count
