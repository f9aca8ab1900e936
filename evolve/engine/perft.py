"""Perft: the number of positions at the end of every line of `depth` plies."""

from __future__ import annotations

import numpy as np

from evolve.engine.bits import ONE, ZERO, U, flips_of, moves_of, play_of
from evolve.engine.compile import kernel
from evolve.engine.memory import lowest, popcount


@kernel
def perft(own: np.uint64, opp: np.uint64, depth: int) -> int:
    """Leaves of the tree of `depth` ≥ 0 plies; a pass is a ply, a finished game is one leaf.

    One thread, no table, no symmetry; the last ply is counted, not played.
    """
    if depth == 0:
        return 1
    moves = moves_of(own, opp)
    if moves == ZERO:
        if moves_of(opp, own) == ZERO:
            return 1
        own, opp = opp, own
        depth -= 1
        if depth == 0:
            return 1
        moves = moves_of(own, opp)
    if depth == 1:
        return popcount(moves)
    count = 0
    if depth == 2:
        while moves != ZERO:
            square = lowest(moves)
            moves &= moves - ONE
            _, replies, _ = play_of(square, own, opp)
            # A pass is the second ply, and so is the end of the game.
            count += popcount(replies) if replies != ZERO else 1
        return count
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips_of(square, own, opp)
        count += perft(opp ^ turned, own ^ turned ^ (ONE << U(square)), depth - 1)
    return count
