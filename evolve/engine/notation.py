"""Moves of many games as text at once; see `squares` for one game."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.compile import kernel


@kernel
def write_moves(
    moves: npt.NDArray[np.int8],
    names: npt.NDArray[np.uint8],
    lengths: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    text: npt.NDArray[np.uint8],
) -> None:
    """Write the moves [N, M] of N games one after another, of each to its first −1.

    names [65, L]: of the squares and of a pass as bytes, a space in front, which a game's first
    move goes without; lengths [65]: bytes of each. Filled are text, which must be long enough, and
    ends [N], where in it each game ends.
    """
    place = 0
    for game in range(moves.shape[0]):
        for ply in range(moves.shape[1]):
            move = moves[game, ply]
            if move < 0:
                break
            for letter in range(ply == 0, lengths[move]):
                text[place] = names[move, letter]
                place += 1
        ends[game] = place
