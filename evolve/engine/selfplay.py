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
    MEAN,
    MOVE,
    PRIOR,
    PUCT,
    ROOT,
    UNKNOWN,
    VISITS,
    found,
    grow,
    replant,
)
from evolve.engine.memory import int64, popcount, store
from evolve.engine.parts import trained_moves
from evolve.engine.random import GOLDEN, RANDOM, mixed, random_square, uniform
from evolve.engine.scoring import outcome
from evolve.engine.solver import solve_outcome

ITSELF: Final = -1
"""An opponent that, like RANDOM, is no row of alpha-beta parameters."""

_NOISE = U(0xD1B54A32D192ED03)

# Cells of a game in hand: discs of the side to move and of the other, random state | colour of
# the side to move, moves played, positions recorded.
OWN, OPP, STATE, DISCS = 0, 1, 2, 3
SIDE, PLY, COUNT, COUNTERS = 0, 1, 2, 3

MOST_MOVES: Final = 61
"""Positions of a game in which a side has a move, and the one that is solved."""


@inlined
def root(
    own: np.uint64,
    opp: np.uint64,
    used: int,
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> int:
    """Make the position the root, keeping what the tree of `used` nodes knows of it.

    Returns the number of nodes in use; a tree of 0 nodes, or one without the position, is
    planted anew.
    """
    node = found(own, opp, used, boards, links)
    if node != UNKNOWN:
        return replant(node, used, boards, links, values)
    plant(own, opp, boards, links, values)
    return int64(1)


@inlined
def plant(
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
def disturb(
    noise: float,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    state: np.uint64,
) -> None:
    """Mix the share `noise` of a flat Dirichlet draw into the priors of the root's children."""
    first, count = int64(links[ROOT, FIRST]), int64(links[ROOT, CHILDREN])
    state = mixed(state ^ _NOISE)  # a stream of its own: the move is drawn from `state`
    total = 0.0
    for child in range(count):
        total -= math.log(1.0 - uniform(state + U(child) * GOLDEN))
    for child in range(count):
        share = -math.log(1.0 - uniform(state + U(child) * GOLDEN)) / total
        node = first + child
        values[node, PRIOR] = (1.0 - noise) * values[node, PRIOR] + noise * share
        values[node, BONUS] = values[node, PRIOR] / np.float32(1.0 + links[node, VISITS])


@inlined
def drawn(temperature: float, moves: np.uint64, links: npt.NDArray[np.int32], draw: float) -> int:
    """A child of the root by its visits to the power 1 / temperature; 0: the most visited.

    Only `moves` are drawn.
    """
    first, count = int64(links[ROOT, FIRST]), int64(links[ROOT, CHILDREN])
    best, most = first, int64(-1)
    for child in range(first, first + count):
        if _among(moves, links[child, MOVE]) and links[child, VISITS] > most:
            best, most = child, int64(links[child, VISITS])
    if temperature <= 0.0 or most == 0:
        return best
    total = 0.0
    for child in range(first, first + count):
        if _among(moves, links[child, MOVE]):
            total += (float(links[child, VISITS]) / float(most)) ** (1.0 / temperature)
    left = draw * total
    for child in range(first, first + count):
        if _among(moves, links[child, MOVE]):
            left -= (float(links[child, VISITS]) / float(most)) ** (1.0 / temperature)
            if left < 0.0:
                return child
    return best


@inlined
def _among(moves: np.uint64, square: int) -> bool:
    return bool((moves >> U(square)) & ONE != ZERO)


@inlined
def begin(seed: np.uint64, discs: npt.NDArray[np.uint64], counters: npt.NDArray[np.int64]) -> None:
    """Set up a game: `discs` [DISCS] and `counters` [COUNTERS]."""
    discs[OWN], discs[OPP], discs[STATE] = START_OWN, START_OPP, mixed(seed)
    counters[SIDE], counters[PLY], counters[COUNT] = 1, 0, 0


@inlined
def _play(square: int, discs: npt.NDArray[np.uint64], counters: npt.NDArray[np.int64]) -> None:
    """Play a move of the side to move."""
    own, opp = discs[OWN], discs[OPP]
    turned = flips_of(square, own, opp)
    discs[OWN], discs[OPP] = opp ^ turned, own ^ turned ^ (ONE << U(square))
    counters[SIDE] = -counters[SIDE]
    counters[PLY] += 1


@inlined
def advance(
    game: int,
    opponents: npt.NDArray[np.int32],
    colours: npt.NDArray[np.int8],
    openings: npt.NDArray[np.int32],
    agents: npt.NDArray[np.int64],
    solved_empties: int,
    rules: int,
    context: int,
    discs: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    searched: npt.NDArray[np.float32],
    visits: npt.NDArray[np.float32],
    counts: npt.NDArray[np.int64],
    results: npt.NDArray[np.int8],
) -> bool:
    """Play on until the search is to move: True, or the game is over: False, all recorded."""
    while True:
        discs[STATE] += GOLDEN
        own, opp, side = discs[OWN], discs[OPP], counters[SIDE]
        moves = moves_of(own, opp)
        if moves == ZERO:
            if moves_of(opp, own) == ZERO:
                results[game] = side * outcome(own, opp, rules)
                break
            discs[OWN], discs[OPP], counters[SIDE] = opp, own, -side
            continue
        if 64 - popcount(own | opp) <= solved_empties:
            store(context, NODES, 0)
            store(context, STOPPED, 0)
            bound = solve_outcome(own, opp, context)
            value = int64(bound > 0) - int64(bound < 0)
            _record(game, discs, counters, value, positions, sides, searched, visits)
            results[game] = side * value
            break
        moves = trained_moves(own, opp, moves)
        if moves == ZERO:
            counters[COUNT], results[game] = 0, 0
            break
        opponent = opponents[game]
        theirs = opponent != ITSELF and colours[game] != side
        if counters[PLY] < openings[game] or (theirs and opponent == RANDOM):
            _play(random_square(moves, discs[STATE]), discs, counters)
        elif theirs:
            row = int64(agents.ctypes.data) + opponent * agents.shape[1] * 8
            square = choose(own, opp, row, context)
            if not _among(moves, square):
                square = random_square(moves, discs[STATE])
            _play(square, discs, counters)
        else:
            return True
    counts[game] = counters[COUNT]
    return False


@inlined
def _record(
    game: int,
    discs: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
    value: float,
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    searched: npt.NDArray[np.float32],
    visits: npt.NDArray[np.float32],
) -> None:
    """Record the position in hand and its value, without visits."""
    count = counters[COUNT]
    positions[game, count, 0], positions[game, count, 1] = discs[OWN], discs[OPP]
    sides[game, count], searched[game, count] = counters[SIDE], value
    if visits.shape[0] > 0:
        for square in range(64):
            visits[game, count, square] = 0.0
    counters[COUNT] += 1


@inlined
def decide(
    game: int,
    temperature: float,
    temperature_plies: int,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    discs: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    searched: npt.NDArray[np.float32],
    visits: npt.NDArray[np.float32],
) -> None:
    """Record what the tree says of the position in hand, and play a move of it."""
    count = counters[COUNT]
    _record(game, discs, counters, -values[ROOT, MEAN], positions, sides, searched, visits)
    if visits.shape[0] > 0:
        first = int64(links[ROOT, FIRST])
        shared = np.float32(max(1, links[ROOT, VISITS] - 1))
        for child in range(first, first + links[ROOT, CHILDREN]):
            share = np.float32(links[child, VISITS]) / shared
            visits[game, count, int64(links[child, MOVE])] = share
    warm = temperature if counters[PLY] < temperature_plies else 0.0
    moves = trained_moves(discs[OWN], discs[OPP], moves_of(discs[OWN], discs[OPP]))
    child = drawn(warm, moves, links, uniform(discs[STATE]))
    _play(int64(links[child, MOVE]), discs, counters)


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
    reuse: bool,
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
        reuse: whether a game's tree is kept from move to move.
        memory, scratch, boards, links, values: context, scratch and tree of this thread.
        positions: [N, MOST_MOVES, 2] filled with own and opp where the search was to move, and
            with the one that was solved.
        sides: [N, MOST_MOVES] filled with who was to move there, 1 black, −1 white.
        searched: [N, MOST_MOVES] filled with the mean value of the search for that side.
        visits: [N, MOST_MOVES, 64] filled with the share of simulations of every square; of
            length 0 when nobody wants them.
        counts: [N] filled with the number of positions; 0 for a game that could only go on with
            an opening of a match (`engine.parts`): it is given up.
        results: [N] filled with 1 black won, 0 draw, −1 white won.
    """
    context = int64(memory.ctypes.data)
    scratch_at = int64(scratch.ctypes.data)
    discs, counters = np.empty(DISCS, np.uint64), np.empty(COUNTERS, np.int64)
    for game in range(opponents.shape[0]):
        begin(seeds[game], discs, counters)
        used = int64(0)
        while advance(
            game,
            opponents,
            colours,
            openings,
            agents,
            solved_empties,
            rules,
            context,
            discs,
            counters,
            positions,
            sides,
            searched,
            visits,
            counts,
            results,
        ):
            used = root(discs[OWN], discs[OPP], used if reuse else int64(0), boards, links, values)
            used = grow(
                int64(1),
                used,
                boards,
                links,
                values,
                rules,
                PUCT,
                c,
                discs[STATE],
                network,
                scratch_at,
            )
            if noise > 0.0:
                disturb(noise, links, values, discs[STATE])
            used = grow(
                simulations - 1,
                used,
                boards,
                links,
                values,
                rules,
                PUCT,
                c,
                discs[STATE],
                network,
                scratch_at,
            )
            decide(
                game,
                temperature,
                temperature_plies,
                links,
                values,
                discs,
                counters,
                positions,
                sides,
                searched,
                visits,
            )
