"""The score of a finished game: the only kernel that knows how each set of rules counts."""

from __future__ import annotations

import numpy as np

from evolve.engine.compile import inlined, kernel
from evolve.engine.memory import int64, popcount
from evolve.engine.rules import NO_SCORE, REVERSED, STANDARD


@inlined
def final_score(own: np.uint64, opp: np.uint64, rules: int) -> int:
    """Exact score of a finished game for the side with `own`, by the code of the rules.

    Standard: own − opp discs, empty squares to the winner. Reversed: opp − own discs. NO_SCORE
    for an unknown code.
    """
    mine, theirs = popcount(own), popcount(opp)
    if rules == REVERSED:
        return theirs - mine
    if rules != STANDARD:
        return NO_SCORE
    if mine > theirs:
        return 64 - 2 * theirs
    if mine < theirs:
        return 2 * mine - 64
    return 0


@kernel
def score_of(own: np.uint64, opp: np.uint64, rules: int) -> int:
    """`final_score` for callers in Python."""
    return final_score(own, opp, rules)


@inlined
def outcome(own: np.uint64, opp: np.uint64, rules: int) -> int:
    """1, 0 or −1: the outcome of a finished game for the side with `own`."""
    score = final_score(own, opp, rules)
    return int64(score > 0) - int64(score < 0)
