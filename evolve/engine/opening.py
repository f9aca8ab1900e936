"""Random openings, and whether they are balanced."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, START_OPP, START_OWN, ZERO, U, flips_of, moves_of
from evolve.engine.compile import kernel
from evolve.engine.context import NODES
from evolve.engine.game import set_phase
from evolve.engine.memory import int64, lowest, popcount, store
from evolve.engine.search import search


@kernel
def draw_openings(
    draws: npt.NDArray[np.float64],
    moves: npt.NDArray[np.int8],
    positions: npt.NDArray[np.uint64],
) -> None:
    """Fill N random openings, one for each row of uniform `draws` [N, plies] in [0, 1).

    moves [N, plies]: squares; positions [N, 2]: own and opp after them. An opening with a pass, or
    with the end of the game, has 0, 0 as its position.
    """
    for number in range(draws.shape[0]):
        own, opp = START_OWN, START_OPP
        for ply in range(draws.shape[1]):
            legal = moves_of(own, opp)
            if legal == ZERO:
                own, opp = ZERO, ZERO
                break
            for _ in range(int64(draws[number, ply] * popcount(legal))):
                legal &= legal - ONE
            square = lowest(legal)
            moves[number, ply] = square
            turned = flips_of(square, own, opp)
            own, opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        if moves_of(own, opp) == ZERO:
            own, opp = ZERO, ZERO
        positions[number, 0] = own
        positions[number, 1] = opp


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
        store(context, NODES, 0)
        set_phase(own, opp, agent, context)
        # "Not behind" comes first: it needs one good move; "not ahead" needs all moves.
        balanced[number] = search(own, opp, -margin - 1, -margin, depth, context) >= -margin
        if balanced[number]:
            balanced[number] = search(own, opp, margin, margin + 1, depth, context) <= margin
