"""The evaluation: weights times differences between the two sides, all in integers."""

from __future__ import annotations

import numpy as np

from evolve.engine.board.bits import CORNERS, ZERO, U, neighbours, stable_discs
from evolve.engine.compiled.compile import inlined, inner, kernel
from evolve.engine.compiled.intrinsics import int64, load, popcount, store
from evolve.engine.search import context as layout
from evolve.engine.search.genes import place_of

MOBILITY = place_of("mobility")
STABILITY = place_of("stability")
X_SQUARES = place_of("x_squares")
C_SQUARES = place_of("c_squares")
POTENTIAL_MOBILITY = place_of("potential_mobility")

CLASS_NAMES = ("a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")
"""The ten classes of squares that symmetry maps to each other, by their first square."""


CLASS_OF_SQUARE = np.array(
    [
        CLASS_NAMES.index("abcd"[max(x, y)] + "1234"[min(x, y)])
        for y in (0, 1, 2, 3, 3, 2, 1, 0)
        for x in (0, 1, 2, 3, 3, 2, 1, 0)
    ]
)
_ALL_X_SQUARES = U(0x0042000000004200)
_ALL_C_SQUARES = U(0x4281000000008142)


@kernel
def set_weights(weights: int, context: int) -> None:
    """Copy the TERMS weights at the address `weights` into the context."""
    same, others = True, int64(0)
    for term in range(layout.TERMS):
        weight = load(weights, term)
        same = same and weight == load(context, layout.WEIGHTS + term)
        store(context, layout.WEIGHTS + term, weight)
        if weight != 0 and term >= layout.SQUARE_CLASSES and term != MOBILITY:
            others = int64(1)
    store(context, layout.OTHER_TERMS, others)
    if same:  # the same phase as before; a zeroed context fits zero weights
        return
    for square in range(64):
        weight = load(weights, CLASS_OF_SQUARE[square])
        store(context, layout.SQUARE_WEIGHTS + square, weight)
    for kind in range(layout.ROW_KINDS):
        row = layout.ROWS + kind * layout.ROW_CELLS
        size = int64(1)
        for column in range(8):
            weight = load(context, layout.SQUARE_WEIGHTS + 8 * kind + column)
            for discs in range(size):
                store(context, row + size + discs, load(context, row + discs) + weight)
            size *= 2


@inlined
def _row(bits: U, row: int, context: int) -> int:
    kind = min(row, 7 - row)
    discs = int64(bits >> U(8 * row) & U(0xFF))
    return load(context, layout.ROWS + kind * layout.ROW_CELLS + discs)


@inlined
def square_sum(bits: U, context: int) -> int:
    """Sum of the weights of the squares in `bits`."""
    upper = _row(bits, int64(0), context) + _row(bits, int64(1), context)
    upper += _row(bits, int64(2), context) + _row(bits, int64(3), context)
    lower = _row(bits, int64(4), context) + _row(bits, int64(5), context)
    lower += _row(bits, int64(6), context) + _row(bits, int64(7), context)
    return upper + lower


@inlined
def squares_after(squares: int, square: int, turned: U, context: int) -> int:
    """The value of `squares` of `evaluate`, for the other side, after a move on `square`."""
    weight = load(context, layout.SQUARE_WEIGHTS + square)
    return -squares - weight - 2 * square_sum(turned, context)


@inner
def other_terms(own: U, opp: U, context: int) -> int:
    """The sum of all terms other than squares and mobility."""
    value = 0
    weight = load(context, layout.WEIGHTS + STABILITY)
    if weight != 0:
        own_stable, opp_stable = stable_discs(own, opp)
        value += weight * (popcount(own_stable) - popcount(opp_stable))
    empty = ~(own | opp)
    corners = empty & CORNERS
    if corners != ZERO:
        beside = neighbours(corners)
        weight = load(context, layout.WEIGHTS + X_SQUARES)
        if weight != 0:
            squares = beside & _ALL_X_SQUARES
            value += weight * (popcount(own & squares) - popcount(opp & squares))
        weight = load(context, layout.WEIGHTS + C_SQUARES)
        if weight != 0:
            squares = beside & _ALL_C_SQUARES
            value += weight * (popcount(own & squares) - popcount(opp & squares))
    weight = load(context, layout.WEIGHTS + POTENTIAL_MOBILITY)
    if weight != 0:
        value += weight * (popcount(neighbours(opp) & empty) - popcount(neighbours(own) & empty))
    return value


@inlined
def evaluate(own: U, opp: U, squares: int, own_moves: U, opp_moves: U, context: int) -> int:
    """Value of an unfinished position for the side with `own`; antisymmetric in the sides.

    `squares` is the sum of square weights of `own` less that of `opp`. `own_moves` and `opp_moves`
    are the legal moves of each side. Every caller has all three. The weights are those of the phase
    in `context`.
    """
    value = squares
    weight = load(context, layout.WEIGHTS + MOBILITY)
    if weight != 0:
        value += weight * (popcount(own_moves) - popcount(opp_moves))
    if load(context, layout.OTHER_TERMS) != 0:
        value += other_terms(own, opp, context)
    return value
