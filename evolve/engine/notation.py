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
    """Write the moves [N, M] of N games one after another, each game up to its first −1.

    names [65, L]: names of the squares and of a pass as bytes, with a space in front that a game's
    first move omits; lengths [65]: bytes of each name. The function fills text, which must be long
    enough, and ends [N]: the end of each game in text.
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
