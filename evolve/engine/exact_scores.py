"""Positions of random games, and their winners with best play."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, START_OPP, START_OWN, ZERO, U, flips_of, moves_of
from evolve.engine.compile import kernel
from evolve.engine.context import NODES, STOPPED
from evolve.engine.memory import int64, popcount, store
from evolve.engine.random import GOLDEN, mixed, random_square
from evolve.engine.solver import solve_outcome


@kernel
def draw_positions(
    seeds: npt.NDArray[np.uint64], discs: int, positions: npt.NDArray[np.uint64]
) -> None:
    """Fill positions [N, 2] with a position of a random game for each of `seeds` [N].

    It is the position with `discs` discs, in which the side to move has a move; 0, 0 where the game
    ends before, or neither side can move there.
    """
    for number in range(seeds.shape[0]):
        own, opp, state = START_OWN, START_OPP, mixed(seeds[number])
        positions[number, 0] = positions[number, 1] = ZERO
        while True:
            moves = moves_of(own, opp)
            if moves == ZERO:
                own, opp = opp, own
                moves = moves_of(own, opp)
                if moves == ZERO:
                    break
            if popcount(own | opp) >= discs:
                positions[number, 0], positions[number, 1] = own, opp
                break
            state += GOLDEN
            square = random_square(moves, state)
            turned = flips_of(square, own, opp)
            own, opp = opp ^ turned, own ^ turned ^ (ONE << U(square))


@kernel
def label_positions(
    positions: npt.NDArray[np.uint64],
    memory: npt.NDArray[np.int64],
    outcomes: npt.NDArray[np.int8],
) -> None:
    """Fill outcomes [N]: 1, 0 or −1 for the side to move in positions [N, 2], by the solver."""
    context = int64(memory.ctypes.data)
    for number in range(positions.shape[0]):
        store(context, NODES, 0)
        store(context, STOPPED, 0)
        bound = solve_outcome(positions[number, 0], positions[number, 1], context)
        outcomes[number] = int64(bound > 0) - int64(bound < 0)
