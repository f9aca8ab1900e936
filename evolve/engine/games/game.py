"""Contexts ready for use; choosing a move as an agent does; whole games in one call."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.board import bits
from evolve.engine.board import rules as game_rules
from evolve.engine.board.bits import ONE, ZERO, U, moves_of
from evolve.engine.compiled.compile import address_of, kernel, wrapper
from evolve.engine.compiled.intrinsics import (
    CHOICE_TYPES,
    LOOK_TYPES,
    SEARCH_TYPES,
    SOLVER_TYPES,
    call_choice,
    int64,
    load,
    lowest,
    popcount,
    store,
)
from evolve.engine.search import context as layout
from evolve.engine.search.evaluation import set_weights
from evolve.engine.search.search import DEEP_FROM, best_move, best_move_deep, search, search_deep
from evolve.engine.search.solver import solve, solve_deep, solve_move


def new_context(
    rules: int, budget: int = 0, table_bits: int = layout.GAME_TABLE_BITS
) -> layout.Cells:
    """A context for one thread.

    `budget` is in nodes per search, 0 for no limit; `table_bits`, 1 or more, sizes the table. Keep
    the array as long as its address is in use. Kernels call search and solver by the addresses in
    it: if they did so by name, numba would compile these again with every such kernel.
    """
    context = layout.blank_context(rules, budget, table_bits)
    context[layout.SEARCH] = address_of(search_deep, SEARCH_TYPES)
    context[layout.SOLVER] = address_of(solve_deep, SOLVER_TYPES)
    context[layout.LOOK] = address_of(layout.look, LOOK_TYPES)
    return context


@wrapper
def set_phase(own: U, opp: U, agent: int, context: int) -> int:
    """Copy the weights of the position's phase into the context; returns the phase's depth."""
    phase = load(agent, layout.PHASE_OF + popcount(own | opp))
    base = layout.PHASES + phase * layout.PHASE_CELLS
    set_weights(agent + 8 * base, context)
    return load(agent, base + layout.DEPTH)


@kernel
def choose(own: U, opp: U, agent: int, context: int) -> int:
    """The agent's move for the side with `own`, which must have one.

    NO_MOVE when the node budget ran out. NODES in the context counts this move alone. A single
    legal move is played without a search.
    """
    store(context, layout.NODES, 0)
    store(context, layout.STOPPED, 0)
    moves = moves_of(own, opp)
    if moves & (moves - ONE) == ZERO:
        return lowest(moves)
    depth = set_phase(own, opp, agent, context)
    if 64 - popcount(own | opp) <= load(agent, layout.ENDGAME):
        square, _ = solve_move(own, opp, context)
    elif depth >= DEEP_FROM:  # the faster of two ways
        square, _ = best_move_deep(own, opp, depth, context)
    else:
        square, _ = best_move(own, opp, depth, context)
    if load(context, layout.STOPPED) != 0:
        return game_rules.NO_MOVE
    return square


@kernel
def move_values(own: U, opp: U, agent: int, values: npt.NDArray[np.int64], context: int) -> bool:
    """Fill `values[square]` for every legal move; True when they are exact scores."""
    store(context, layout.NODES, 0)
    store(context, layout.STOPPED, 0)
    # The table may hold values of other rules.
    layout.forget(context)
    depth = set_phase(own, opp, agent, context)
    exact = 64 - popcount(own | opp) <= load(agent, layout.ENDGAME)
    high = int64(64) if exact else int64(64 * game_rules.WIN)
    moves = moves_of(own, opp)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        child_own, child_opp = bits.after_move(square, own, opp)
        if exact:
            values[square] = -solve(child_own, child_opp, -high, high, context)
        else:
            values[square] = -search(child_own, child_opp, -high, high, depth - 1, context)
    return exact


def choice_address() -> int:
    """Address of `choose`, for `play_games`: by its name numba would compile it again with that."""
    return address_of(choose, CHOICE_TYPES)


@kernel
def play_games(
    choice: int,
    agents: npt.NDArray[np.int64],
    pairings: npt.NDArray[np.int32],
    openings: npt.NDArray[np.int8],
    memory: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int8],
    results: npt.NDArray[np.int64],
) -> None:
    """Play a batch of games from the start position, each through its opening to its end.

    choice: see `choice_address`; agents [A, cells]: rows of parameters; pairings [N, 3]: black,
    white, opening; openings [M, plies]: squares without passes, then −1; memory: a context (rules,
    budget, table), used by this thread only, and from the caller because numba frees an array of
    its own after the last use of its name. It fills moves [N, MAX_PLIES]: squares and PASS, then
    −1; and results [N, RESULT_COLUMNS]. All arrays are C-contiguous.
    """
    context = int64(memory.ctypes.data)
    stride = agents.shape[1] * 8
    base = int64(agents.ctypes.data)
    moves[:, :] = -1
    results[:, :] = 0
    for game in range(pairings.shape[0]):
        result = results[game]
        opening = openings[pairings[game, 2]]
        own, opp = bits.START_OWN, bits.START_OPP
        black_to_move = True
        plies, book = 0, 0
        while True:
            legal = moves_of(own, opp)
            if legal == ZERO:
                if moves_of(opp, own) == ZERO:
                    break
                moves[game, plies] = game_rules.PASS
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
                result[game_rules.NODES_BLACK if black_to_move else game_rules.NODES_WHITE] += load(
                    context, layout.NODES
                )
                if square == game_rules.NO_MOVE:
                    result[game_rules.REASON] = (
                        game_rules.OVER_BUDGET_BLACK
                        if black_to_move
                        else game_rules.OVER_BUDGET_WHITE
                    )
                    break
            moves[game, plies] = square
            plies += 1
            own, opp = bits.after_move(square, own, opp)
            black_to_move = not black_to_move
        if not black_to_move:
            own, opp = opp, own
        result[game_rules.DISCS_BLACK] = popcount(own)
        result[game_rules.DISCS_WHITE] = popcount(opp)
        result[game_rules.PLIES] = plies
        result[game_rules.OUTCOME] = bits.outcome(own, opp, load(context, layout.RULES))
