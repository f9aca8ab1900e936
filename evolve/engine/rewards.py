"""What moves and ends of games earn, to learn from and to look ahead by.

Discs and squares are the mover's gain under standard rules and the other side's under reversed
ones.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, ZERO, flips_of
from evolve.engine.compile import inlined
from evolve.engine.context import REVERSED
from evolve.engine.memory import int64, lowest, popcount

# Kinds of reward for the end of a game, for a side: nothing; 1, 0, −1; 1, ½, 0; its discs / 64;
# the difference / 64.
NO_REWARD, OUTCOME, HALVES, SHARE, DIFFERENCE = range(5)

# Cells of the rewards that a search counts: V of every square; the weight of own discs / 64; the
# discounts when the turn comes back to the side that searches, by a move and by a pass, and when
# it goes to the other side, by a move and by a pass.
DISCS: Final = 64
DISCOUNT_OWN: Final = 65
DISCOUNT_PASS: Final = 66
DISCOUNT_OTHER: Final = 67
DISCOUNT_PASSED: Final = 68
REWARD_CELLS: Final = 69


@inlined
def squares_reward(
    own: np.uint64, opp: np.uint64, square: int, table: npt.NDArray[np.floating[Any]]
) -> float:
    """R(p) = V(p) + V(flips) of a move, from the values V [64] of squares; S2."""
    flips = flips_of(square, own, opp)
    total = float(table[square])
    while flips != ZERO:
        total += table[lowest(flips)]
        flips &= flips - ONE
    return total


@inlined
def discs_reward(own: np.uint64, opp: np.uint64, square: int, rules: int) -> float:
    """The discs / 64 that a move leaves the mover; under reversed rules the other side."""
    turned = flips_of(square, own, opp)
    if rules == REVERSED:
        return float(popcount(opp) - popcount(turned)) / 64.0
    return float(popcount(own) + popcount(turned) + 1) / 64.0


@inlined
def end_reward(kind: int, side: int, score: int, black: int, white: int, rules: int) -> float:
    """What the end of a game is worth for a side; `score` is black's, by the rules."""
    own, opp = (black, white) if (side > 0) == (rules != REVERSED) else (white, black)
    score = score * side
    sign = float(int64(score > 0) - int64(score < 0))
    if kind == OUTCOME:
        return sign
    if kind == HALVES:
        return 0.5 + 0.5 * sign
    if kind == SHARE:
        return float(own) / 64.0
    if kind == DIFFERENCE:
        return float(own - opp) / 64.0
    return 0.0
