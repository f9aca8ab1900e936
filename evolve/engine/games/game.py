"""Choose a move as an agent does, and play whole games in one call."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import ONE, START_OPP, START_OWN, ZERO, U, flips_of, moves_of, outcome
from evolve.engine.board.rules import (
    DISCS_BLACK,
    DISCS_WHITE,
    NO_MOVE,
    NODES_BLACK,
    NODES_WHITE,
    OUTCOME,
    OVER_BUDGET_BLACK,
    OVER_BUDGET_WHITE,
    PASS,
    PLIES,
    REASON,
    WIN,
)
from evolve.engine.compiled.compile import address_of, kernel, wrapper
from evolve.engine.compiled.intrinsics import (
    CHOICE_TYPES,
    call_choice,
    int64,
    load,
    lowest,
    popcount,
    store,
)
from evolve.engine.search.context import (
    DEPTH,
    ENDGAME,
    NODES,
    PHASE_CELLS,
    PHASE_OF,
    PHASES,
    RULES,
    STOPPED,
)
from evolve.engine.search.evaluation import set_weights
from evolve.engine.search.search import DEEP_FROM, best_move, best_move_deep, search
from evolve.engine.search.solver import solve, solve_move
from evolve.engine.search.table import forget


@wrapper
def set_phase(own: np.uint64, opp: np.uint64, agent: int, context: int) -> int:
    """Copy the weights of the position's phase into the context; returns the phase's depth."""
    phase = load(agent, PHASE_OF + popcount(own | opp))
    base = PHASES + phase * PHASE_CELLS
    set_weights(agent + 8 * base, context)
    return load(agent, base + DEPTH)


@wrapper
def _best_move(own: np.uint64, opp: np.uint64, depth: int, context: int) -> tuple[int, int]:
    """The move of a search to `depth`, by the faster of two ways."""
    if depth >= DEEP_FROM:
        return best_move_deep(own, opp, depth, context)
    return best_move(own, opp, depth, context)


@kernel
def choose(own: np.uint64, opp: np.uint64, agent: int, context: int) -> int:
    """The agent's move for the side with `own`, which must have one.

    NO_MOVE when the node budget ran out. NODES in the context counts this move alone. A single
    legal move is played without a search.
    """
    store(context, NODES, 0)
    store(context, STOPPED, 0)
    moves = moves_of(own, opp)
    if moves & (moves - ONE) == ZERO:
        return lowest(moves)
    depth = set_phase(own, opp, agent, context)
    if 64 - popcount(own | opp) <= load(agent, ENDGAME):
        square, _ = solve_move(own, opp, context)
    else:
        square, _ = _best_move(own, opp, depth, context)
    if load(context, STOPPED) != 0:
        return NO_MOVE
    return square


@kernel
def move_values(
    own: np.uint64,
    opp: np.uint64,
    agent: int,
    values: npt.NDArray[np.int64],
    context: int,
) -> bool:
    """Fill `values[square]` for every legal move; True when they are exact scores."""
    store(context, NODES, 0)
    store(context, STOPPED, 0)
    # The table may hold values of other rules.
    forget(context)
    depth = set_phase(own, opp, agent, context)
    exact = 64 - popcount(own | opp) <= load(agent, ENDGAME)
    high = int64(64) if exact else int64(64 * WIN)
    moves = moves_of(own, opp)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips_of(square, own, opp)
        child_own = opp ^ turned
        child_opp = own ^ turned ^ (ONE << U(square))
        if exact:
            values[square] = -solve(child_own, child_opp, -high, high, context)
        else:
            values[square] = -search(child_own, child_opp, -high, high, depth - 1, context)
    return exact


def play_games(
    agents: npt.NDArray[np.int64],
    pairings: npt.NDArray[np.int32],
    openings: npt.NDArray[np.int8],
    memory: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int8],
    results: npt.NDArray[np.int64],
) -> None:
    """Play a batch of games from the start position, each through its opening to its end.

    agents [A, cells]: rows of parameters; pairings [N, 3]: black, white, opening; openings
    [M, plies]: squares without passes, then −1; memory: a context (rules, budget, table), used by
    this thread only. The function fills moves [N, MAX_PLIES]: squares and PASS, then −1; and
    results [N, RESULT_COLUMNS]. All arrays are C-contiguous.
    """
    choice = address_of(choose, CHOICE_TYPES)
    _play_games(choice, agents, pairings, openings, memory, moves, results)


@kernel
def _play_games(
    choice: int,
    agents: npt.NDArray[np.int64],
    pairings: npt.NDArray[np.int32],
    openings: npt.NDArray[np.int8],
    memory: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int8],
    results: npt.NDArray[np.int64],
) -> None:
    """`play_games` with `choose` by its address: numba would compile it again with this.

    The context comes from the caller, because numba frees an array of its own after the last use of
    its name: here, before the first game.
    """
    context = int64(memory.ctypes.data)
    stride = agents.shape[1] * 8
    base = int64(agents.ctypes.data)
    moves[:, :] = -1
    results[:, :] = 0
    for game in range(pairings.shape[0]):
        result = results[game]
        opening = openings[pairings[game, 2]]
        own, opp = START_OWN, START_OPP
        black_to_move = True
        plies, book = 0, 0
        while True:
            legal = moves_of(own, opp)
            if legal == ZERO:
                if moves_of(opp, own) == ZERO:
                    break
                moves[game, plies] = PASS
                plies += 1
                own, opp = opp, own
                black_to_move = not black_to_move
                continue
            if book < opening.size and opening[book] >= 0:
                square = int64(opening[book])
                book += 1
            else:
                mover = pairings[game, 0 if black_to_move else 1]
                square = call_choice(choice, own, opp, base + mover * stride, context)
                result[NODES_BLACK if black_to_move else NODES_WHITE] += load(context, NODES)
                if square == NO_MOVE:
                    result[REASON] = OVER_BUDGET_BLACK if black_to_move else OVER_BUDGET_WHITE
                    break
            moves[game, plies] = square
            plies += 1
            turned = flips_of(square, own, opp)
            own, opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
            black_to_move = not black_to_move
        if not black_to_move:
            own, opp = opp, own
        result[DISCS_BLACK] = popcount(own)
        result[DISCS_WHITE] = popcount(opp)
        result[PLIES] = plies
        result[OUTCOME] = outcome(own, opp, load(context, RULES))
