"""Whole games of the tree search, to learn from: against itself and against others."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, START_OPP, START_OWN, ZERO, U, flips_of, moves_of
from evolve.engine.compile import inlined, kernel
from evolve.engine.context import NODES, STOPPED
from evolve.engine.game import choose
from evolve.engine.mcts import (
    BONUS,
    CHILDREN,
    FIRST,
    GOLDEN,
    MEAN,
    MOVE,
    PRIOR,
    PUCT,
    ROOT,
    UNKNOWN,
    VISITS,
    grow,
    mixed,
    outcome,
    random_square,
    uniform,
)
from evolve.engine.memory import int64, popcount, store
from evolve.engine.solver import solve_outcome

# Opponents that are no rows of alpha-beta parameters.
ITSELF: Final = -1
RANDOM: Final = -2

MOST_MOVES: Final = 61
"""Positions of a game in which a side has a move, and the one that is solved."""


@inlined
def _plant(
    own: np.uint64,
    opp: np.uint64,
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> None:
    """A tree of this root alone."""
    boards[ROOT, 0], boards[ROOT, 1] = own, opp
    links[ROOT, CHILDREN], links[ROOT, VISITS] = UNKNOWN, 0
    values[ROOT, MEAN] = values[ROOT, BONUS] = values[ROOT, PRIOR] = 0.0


@inlined
def _disturb(
    noise: float,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    state: np.uint64,
) -> None:
    """Mix the share `noise` of a flat Dirichlet draw into the priors of the root's children."""
    first, count = int64(links[ROOT, FIRST]), int64(links[ROOT, CHILDREN])
    total = 0.0
    for child in range(count):
        total -= math.log(1.0 - uniform(state + U(child) * GOLDEN))
    for child in range(count):
        share = -math.log(1.0 - uniform(state + U(child) * GOLDEN)) / total
        node = first + child
        values[node, PRIOR] = (1.0 - noise) * values[node, PRIOR] + noise * share
        values[node, BONUS] = values[node, PRIOR] / np.float32(1.0 + links[node, VISITS])


@inlined
def _drawn(temperature: float, links: npt.NDArray[np.int32], draw: float) -> int:
    """A child of the root by its visits to the power 1 / temperature; 0: the most visited."""
    first, count = int64(links[ROOT, FIRST]), int64(links[ROOT, CHILDREN])
    best, most = first, int64(-1)
    for child in range(first, first + count):
        if links[child, VISITS] > most:
            best, most = child, int64(links[child, VISITS])
    if temperature <= 0.0:
        return best
    total = 0.0
    for child in range(first, first + count):
        total += (float(links[child, VISITS]) / float(most)) ** (1.0 / temperature)
    left = draw * total
    for child in range(first, first + count):
        left -= (float(links[child, VISITS]) / float(most)) ** (1.0 / temperature)
        if left < 0.0:
            return child
    return best


@kernel
def play_tree_games(
    opponents: npt.NDArray[np.int32],
    colours: npt.NDArray[np.int8],
    openings: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    agents: npt.NDArray[np.int64],
    network: int,
    simulations: int,
    c: float,
    noise: float,
    temperature: float,
    temperature_plies: int,
    solved_empties: int,
    rules: int,
    memory: npt.NDArray[np.int64],
    scratch: npt.NDArray[np.float32],
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    searched: npt.NDArray[np.float32],
    visits: npt.NDArray[np.float32],
    counts: npt.NDArray[np.int64],
    results: npt.NDArray[np.int8],
) -> None:
    """Play N games and record what the tree search saw in them.

    Args:
        opponents: [N] ITSELF, RANDOM or a row of `agents`.
        colours: [N] 1 where the search is black, −1 where it is white; of no use to ITSELF.
        openings: [N] random moves before the first one that is chosen.
        seeds: [N] of each game's random draws.
        agents: [A, cells] rows of alpha-beta parameters.
        network: address of a network with a value, or 0 for random games.
        noise: share of a random draw in the priors of the root, 0 to 1.
        temperature: of the choice among moves, in the first `temperature_plies` of a game.
        solved_empties: a game ends there, with its exact outcome.
        memory, scratch, boards, links, values: context, scratch and tree of this thread.
        positions: [N, MOST_MOVES, 2] filled with own and opp where the search was to move, and
            with the one that was solved.
        sides: [N, MOST_MOVES] filled with who was to move there, 1 black, −1 white.
        searched: [N, MOST_MOVES] filled with the mean value of the search for that side.
        visits: [N, MOST_MOVES, 64] filled with the share of simulations of every square; of
            length 0 when nobody wants them.
        counts: [N] filled with the number of positions.
        results: [N] filled with 1 black won, 0 draw, −1 white won.
    """
    context = int64(memory.ctypes.data)
    agents_at = int64(agents.ctypes.data)
    scratch_at = int64(scratch.ctypes.data)
    for game in range(opponents.shape[0]):
        own, opp, side = START_OWN, START_OPP, int64(1)
        state = mixed(seeds[game])
        opponent = opponents[game]
        ply, count = int64(0), int64(0)
        while True:
            state += GOLDEN
            moves = moves_of(own, opp)
            if moves == ZERO:
                if moves_of(opp, own) == ZERO:
                    results[game] = side * outcome(own, opp, rules)
                    break
                own, opp, side = opp, own, -side
                continue
            if 64 - popcount(own | opp) <= solved_empties:
                store(context, NODES, 0)
                store(context, STOPPED, 0)
                bound = solve_outcome(own, opp, context)
                value = int64(bound > 0) - int64(bound < 0)
                positions[game, count, 0], positions[game, count, 1] = own, opp
                sides[game, count] = side
                searched[game, count] = value
                for square in range(visits.shape[2] if visits.shape[0] > 0 else 0):
                    visits[game, count, square] = 0.0
                count += 1
                results[game] = side * value
                break
            if ply < openings[game] or (opponent == RANDOM and colours[game] != side):
                square = random_square(moves, state)
            elif opponent >= 0 and colours[game] != side:
                square = choose(own, opp, agents_at + opponent * agents.shape[1] * 8, context)
            else:
                _plant(own, opp, boards, links, values)
                used = int64(1)
                if noise > 0.0:
                    used = grow(
                        int64(1),
                        used,
                        boards,
                        links,
                        values,
                        rules,
                        PUCT,
                        c,
                        state,
                        network,
                        scratch_at,
                    )
                    _disturb(noise, links, values, state)
                grow(
                    simulations - (1 if noise > 0.0 else 0),
                    used,
                    boards,
                    links,
                    values,
                    rules,
                    PUCT,
                    c,
                    state,
                    network,
                    scratch_at,
                )
                warm = temperature if ply < temperature_plies else 0.0
                square = int64(links[_drawn(warm, links, uniform(state)), MOVE])
                positions[game, count, 0], positions[game, count, 1] = own, opp
                sides[game, count] = side
                searched[game, count] = -values[ROOT, MEAN]
                if visits.shape[0] > 0:
                    for each in range(64):
                        visits[game, count, each] = 0.0
                    first = int64(links[ROOT, FIRST])
                    shared = np.float32(max(1, links[ROOT, VISITS] - 1))
                    for child in range(first, first + links[ROOT, CHILDREN]):
                        share = np.float32(links[child, VISITS]) / shared
                        visits[game, count, int64(links[child, MOVE])] = share
                count += 1
            turned = flips_of(square, own, opp)
            own, opp, side = opp ^ turned, own ^ turned ^ (ONE << U(square)), -side
            ply += 1
        counts[game] = count
