"""The evaluation: weights times differences between the two sides, all in integers."""

from __future__ import annotations

import numpy as np

from evolve.engine.bits import (
    CORNERS,
    S7,
    S8,
    S9,
    ZERO,
    U,
    moves_of,
    neighbours,
    stable_discs,
)
from evolve.engine.compile import inlined
from evolve.engine.context import (
    C_SQUARES,
    MOBILITY,
    POTENTIAL_MOBILITY,
    REVERSED,
    SQUARE_CLASSES,
    STABILITY,
    WEIGHTS,
    X_SQUARES,
)
from evolve.engine.memory import load, popcount

CLASS_NAMES = ("a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")
"""The ten classes of squares that the symmetries of the board make one, by their first square."""


def _class_of_squares() -> np.ndarray:
    classes = np.zeros(64, np.int64)
    for square in range(64):
        x, y = min(square % 8, 7 - square % 8), min(square // 8, 7 - square // 8)
        classes[square] = CLASS_NAMES.index("abcd"[max(x, y)] + "1234"[min(x, y)])
    return classes


CLASS_OF_SQUARE = _class_of_squares()
CLASS_MASKS = tuple(
    U(sum(1 << square for square in range(64) if CLASS_OF_SQUARE[square] == c))
    for c in range(SQUARE_CLASSES)
)
M0, M1, M2, M3, M4, M5, M6, M7, M8, M9 = CLASS_MASKS

WIN: int = 1 << 20
"""A finished game is worth its exact score times this: beyond any evaluation."""


@inlined
def final_score(own: np.uint64, opp: np.uint64, rules: int) -> int:
    """Exact score of a finished game for the side with `own`.

    Standard: own − opp discs, empty squares to the winner. Reversed: opp − own discs.
    """
    mine, theirs = popcount(own), popcount(opp)
    if rules == REVERSED:
        return theirs - mine
    if mine > theirs:
        return 64 - 2 * theirs
    if mine < theirs:
        return 2 * mine - 64
    return 0


@inlined
def _square_sum(own: np.uint64, opp: np.uint64, context: int) -> int:
    total = load(context, WEIGHTS) * (popcount(own & M0) - popcount(opp & M0))
    total += load(context, WEIGHTS + 1) * (popcount(own & M1) - popcount(opp & M1))
    total += load(context, WEIGHTS + 2) * (popcount(own & M2) - popcount(opp & M2))
    total += load(context, WEIGHTS + 3) * (popcount(own & M3) - popcount(opp & M3))
    total += load(context, WEIGHTS + 4) * (popcount(own & M4) - popcount(opp & M4))
    total += load(context, WEIGHTS + 5) * (popcount(own & M5) - popcount(opp & M5))
    total += load(context, WEIGHTS + 6) * (popcount(own & M6) - popcount(opp & M6))
    total += load(context, WEIGHTS + 7) * (popcount(own & M7) - popcount(opp & M7))
    total += load(context, WEIGHTS + 8) * (popcount(own & M8) - popcount(opp & M8))
    total += load(context, WEIGHTS + 9) * (popcount(own & M9) - popcount(opp & M9))
    return total


@inlined
def evaluate(own: np.uint64, opp: np.uint64, own_moves: np.uint64, context: int) -> int:
    """Value of an unfinished position for the side with `own`; antisymmetric in the sides.

    `own_moves` are the legal moves of `own`, known to every caller. The weights are those of
    the phase in `context`.
    """
    value = _square_sum(own, opp, context)
    weight = load(context, WEIGHTS + MOBILITY)
    if weight != 0:
        value += weight * (popcount(own_moves) - popcount(moves_of(opp, own)))
    weight = load(context, WEIGHTS + STABILITY)
    if weight != 0:
        own_stable, opp_stable = stable_discs(own, opp)
        value += weight * (popcount(own_stable) - popcount(opp_stable))
    empty = ~(own | opp)
    corners = empty & CORNERS
    if corners != ZERO:
        weight = load(context, WEIGHTS + X_SQUARES)
        if weight != 0:
            squares = (corners & U(0x1)) << S9 | (corners & U(0x80)) << S7
            squares |= (corners >> S7 & U(0x2000000000000)) | (corners >> S9 & U(0x40000000000000))
            value += weight * (popcount(own & squares) - popcount(opp & squares))
        weight = load(context, WEIGHTS + C_SQUARES)
        if weight != 0:
            # Each corner has a neighbour along its row and one along its column.
            squares = (corners & U(0x0100000000000001)) << U(1)
            squares |= (corners & U(0x8000000000000080)) >> U(1)
            squares |= corners << S8 | corners >> S8
            value += weight * (popcount(own & squares) - popcount(opp & squares))
    weight = load(context, WEIGHTS + POTENTIAL_MOBILITY)
    if weight != 0:
        value += weight * (popcount(neighbours(opp) & empty) - popcount(neighbours(own) & empty))
    return value
