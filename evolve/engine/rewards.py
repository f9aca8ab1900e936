"""Rewards of moves and of the ends of games, for learning and for lookahead.

Discs and squares are the mover's gain where discs are good, as under standard rules. They are the
other side's gain where discs are bad, as under reversed rules. They earn nothing where scores do
not depend on discs.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, ZERO, flips_of
from evolve.engine.compile import inlined
from evolve.engine.memory import int64, lowest, popcount
from evolve.engine.rules import RULE_SETS

# Kinds of reward for the end of a game, for a side: nothing; 1, 0, −1; 1, ½, 0; its discs / 64;
# the difference / 64.
NO_REWARD, OUTCOME, HALVES, SHARE, DIFFERENCE = range(5)

# Cells of the rewards in a search: V of every square; the weight of own discs / 64; the discounts
# when the turn returns to the side that searches, by a move and by a pass, and when it goes to the
# other side, by a move and by a pass.
DISCS: Final = 64
DISCOUNT_OWN: Final = 65
DISCOUNT_PASS: Final = 66
DISCOUNT_OTHER: Final = 67
DISCOUNT_PASSED: Final = 68
REWARD_CELLS: Final = 69

DISC_SIGNS: Final = np.zeros(1 + max(rules.code for rules in RULE_SETS.values()))
"""By code of the rules: 1 where discs are good, −1 where they are bad, 0 where neither."""
for _rules in RULE_SETS.values():
    DISC_SIGNS[_rules.code] = _rules.discs


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
    """The discs / 64, after a move, of the side that they are good for."""
    turned = flips_of(square, own, opp)
    if DISC_SIGNS[rules] < 0.0:
        return float(popcount(opp) - popcount(turned)) / 64.0
    if DISC_SIGNS[rules] > 0.0:
        return float(popcount(own) + popcount(turned) + 1) / 64.0
    return 0.0


@inlined
def end_reward(kind: int, side: int, score: int, black: int, white: int, rules: int) -> float:
    """The reward of the end of a game for a side; `score` is black's, by the rules."""
    good = DISC_SIGNS[rules]
    own, opp = (black, white) if (side > 0) == (good > 0.0) else (white, black)
    score = score * side
    sign = float(int64(score > 0) - int64(score < 0))
    if kind == OUTCOME:
        return sign
    if kind == HALVES:
        return 0.5 + 0.5 * sign
    if kind == SHARE:
        return float(abs(good) * own) / 64.0
    if kind == DIFFERENCE:
        return float(abs(good) * (own - opp)) / 64.0
    return 0.0
