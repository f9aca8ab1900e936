"""Split the openings into parts: a position's part is a hash of it, equal for all its images.

The split separates the openings that rate agents from those they learn from, for any seed.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, ZERO, U, flips_of
from evolve.engine.compile import inlined, kernel
from evolve.engine.memory import lowest, popcount
from evolve.engine.symmetry import SQUARE_IMAGES

SLOTS: Final = 8
"""Positions are spread evenly over this many slots; a part of the openings has one or more."""
MATCH_SLOT: Final = 7
"""The slot for openings of matches; games to learn from never reach it."""
OPENING_DISCS: Final = 12
"""Discs after an opening of 8 plies, the default; games may contain openings of other lengths."""

_MIX_1, _MIX_2 = U(0x9E3779B97F4A7C15), U(0xBF58476D1CE4E5B9)
_S29, _S32 = U(29), U(32)


@inlined
def _image(bits: np.uint64, number: int) -> np.uint64:
    image = ZERO
    while bits != ZERO:
        image |= ONE << U(SQUARE_IMAGES[number, lowest(bits)])
        bits &= bits - ONE
    return image


@kernel
def slot_of(own: np.uint64, opp: np.uint64) -> int:
    """The slot, 0 to SLOTS − 1, of a position: the same for all its images."""
    best_own, best_opp = own, opp
    for number in range(1, 8):
        image, other = _image(own, number), _image(opp, number)
        if image < best_own or (image == best_own and other < best_opp):
            best_own, best_opp = image, other
    mixed = best_own * _MIX_1
    mixed = (mixed ^ (mixed >> _S29) ^ best_opp) * _MIX_2
    return int((mixed ^ (mixed >> _S32)) % U(SLOTS))


@kernel
def slots_of_all(positions: npt.NDArray[np.uint64], slots: npt.NDArray[np.int8]) -> None:
    """Fill slots [N] of positions [N, 2], own and opp."""
    for number in range(positions.shape[0]):
        slots[number] = slot_of(positions[number, 0], positions[number, 1])


@kernel
def trained_moves(own: np.uint64, opp: np.uint64, moves: np.uint64) -> np.uint64:
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
        turned = flips_of(square, own, opp)
        bit = ONE << U(square)
        if slot_of(opp ^ turned, own ^ turned ^ bit) != MATCH_SLOT:
            kept |= bit
    return kept
