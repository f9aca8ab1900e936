"""Random openings: drawn, tested for balance, and split into parts.

A position's part is a hash of it, equal for all its images. The split separates the openings that
rate agents from those they learn from, for any seed.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.board import bits
from evolve.engine.board.bits import ONE, ZERO, U, moves_of
from evolve.engine.compiled.compile import kernel
from evolve.engine.compiled.intrinsics import int64, lowest, popcount, store
from evolve.engine.games.game import set_phase
from evolve.engine.search import context as layout
from evolve.engine.search.search import search

SLOTS: Final = 8
"""Positions are spread evenly over this many slots; a part of the openings has one or more."""
MATCH_SLOT: Final = 7
"""The slot for openings of matches; games to learn from never reach it."""
OPENING_DISCS: Final = 12
"""Discs after an opening of 8 plies, the default; games may contain openings of other lengths."""


@kernel
def slot_of(own: U, opp: U) -> int:
    """The slot, 0 to SLOTS − 1, of a position: the same for all its images."""
    best_own, best_opp = own, opp
    for number in range(1, 8):
        image, other = bits.image_of(own, number), bits.image_of(opp, number)
        if image < best_own or (image == best_own and other < best_opp):
            best_own, best_opp = image, other
    mixed = best_own * U(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> U(29)) ^ best_opp) * U(0xBF58476D1CE4E5B9)
    return int((mixed ^ (mixed >> U(32))) % U(SLOTS))


@kernel
def trained_moves(own: U, opp: U, moves: U) -> U:
    """The subset of `moves` that a game to learn from may play.

    No move in it leads to an opening of a match. If all of `moves` do, it is empty, and the game
    gives nothing to learn from.
    """
    if popcount(own | opp) != OPENING_DISCS - 1:
        return moves
    kept, left = ZERO, moves
    while left != ZERO:
        square = lowest(left)
        left &= left - ONE
        child_own, child_opp = bits.after_move(square, own, opp)
        if slot_of(child_own, child_opp) != MATCH_SLOT:
            kept |= ONE << U(square)
    return kept


@kernel
def draw_openings(
    draws: npt.NDArray[np.float64],
    moves: npt.NDArray[np.int8],
    positions: npt.NDArray[np.uint64],
    slots: npt.NDArray[np.int8],
) -> None:
    """Fill N random openings, one for each row of uniform `draws` [N, plies] in [0, 1).

    moves [N, plies]: squares; positions [N, 2]: own and opp after them, and slots [N]: theirs. An
    opening with a pass, or with the end of the game, has 0, 0 as its position.
    """
    for number in range(draws.shape[0]):
        own, opp = bits.START_OWN, bits.START_OPP
        for ply in range(draws.shape[1]):
            legal = moves_of(own, opp)
            if legal == ZERO:
                own, opp = ZERO, ZERO
                break
            square = bits.nth_square(legal, int64(draws[number, ply] * popcount(legal)))
            moves[number, ply] = square
            own, opp = bits.after_move(square, own, opp)
        if moves_of(own, opp) == ZERO:
            own, opp = ZERO, ZERO
        positions[number, 0] = own
        positions[number, 1] = opp
        slots[number] = slot_of(own, opp)


@kernel
def mark_balanced(
    positions: npt.NDArray[np.uint64],
    agent_row: npt.NDArray[np.int64],
    depth: int,
    margin: int,
    memory: npt.NDArray[np.int64],
    balanced: npt.NDArray[np.bool_],
) -> None:
    """Fill `balanced` [N]: whether each position is balanced for the side to move.

    It is when that side is ahead or behind by at most `margin`; positions [N, 2]: own and opp.
    Searches with the agent's weights in the context `memory` decide, without a budget. Each search
    tests only one side of the margin: 0.13 s for 7000 positions; exact values took 0.30 s, a window
    of both sides 0.17 s.
    """
    context = int64(memory.ctypes.data)
    agent = int64(agent_row.ctypes.data)
    for number in range(positions.shape[0]):
        own, opp = positions[number, 0], positions[number, 1]
        store(context, layout.NODES, 0)
        set_phase(own, opp, agent, context)
        # "Not behind" comes first: it needs one good move; "not ahead" needs all moves.
        balanced[number] = search(own, opp, -margin - 1, -margin, depth, context) >= -margin
        if balanced[number]:
            balanced[number] = search(own, opp, margin, margin + 1, depth, context) <= margin
