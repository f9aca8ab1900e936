"""Whole games of the tree search to learn from: against itself and against others."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import START_OPP, START_OWN, ZERO, U, moves_of
from evolve.engine.compile import inlined, kernel
from evolve.engine.mcts import (
    BONUS,
    CHILDREN,
    FIRST,
    MOVE,
    PRIOR,
    ROOT,
    VISITS,
    Nodes,
    Q,
    SearchOptions,
    advance_root,
    simulate,
)
from evolve.engine.memory import int64, popcount
from evolve.engine.opening import trained_moves
from evolve.engine.random import GOLDEN, mixed, random_square, uniform
from evolve.engine.scoring import outcome
from evolve.engine.training_games import (
    RANDOM_PLAYER,
    GameRecords,
    Lineup,
    after_move,
    agent_move,
    among,
    record,
    solved_outcome,
    to_move,
)

_NOISE = U(0xD1B54A32D192ED03)

# Cells of a running game: discs of the side to move and of the other, random state; and colour of
# the side to move, moves played, positions recorded.
OWN, OPP, STATE, BOARD_CELLS = 0, 1, 2, 3
SIDE, PLY, COUNT, COUNTERS = 0, 1, 2, 3


class SelfPlayOptions(NamedTuple):
    """How the tree search, which is player 0 of a line-up, plays games to learn from.

    search: how a tree is searched, the rules included.
    simulations: of a move.
    noise: the share of a Dirichlet draw in the priors of the root's moves, 0 to 1.
    temperature: of the choice among moves, in the first `temperature_plies` of a game; 0 after.
    solved: a game ends at so many empties, with its exact outcome.
    reuse: whether a game's tree is kept from move to move.
    """

    search: SearchOptions
    simulations: int
    noise: float
    temperature: float
    temperature_plies: int
    solved: int
    reuse: bool


class Game(NamedTuple):
    """A running game; the arrays of N games have an additional first axis [N].

    board: [BOARD_CELLS] uint64: OWN, OPP, and STATE, of the random draws.
    counters: [COUNTERS] int64: SIDE to move, 1 black, −1 white; PLY; COUNT of recorded positions.
    """

    board: npt.NDArray[np.uint64]
    counters: npt.NDArray[np.int64]


def empty_games(*shape: int) -> Game:
    """Memory for one game, or for N with `shape` [N]."""
    return Game(np.empty((*shape, BOARD_CELLS), np.uint64), np.empty((*shape, COUNTERS), np.int64))


@inlined
def add_root_noise(noise: float, nodes: Nodes, state: np.uint64) -> None:
    """Mix the share `noise` of a Dirichlet draw into the priors of the root's children.

    P ← (1 − noise) P + noise η with η ~ Dir(1), flat; Silver et al. 2017 take Dir(0.03) in Go.
    """
    links, values = nodes.links, nodes.values
    first, count = int64(links[ROOT, FIRST]), int64(links[ROOT, CHILDREN])
    state = mixed(state ^ _NOISE)  # a separate stream: the move is drawn from `state`
    total = 0.0
    for child in range(count):
        total -= math.log(1.0 - uniform(state + U(child) * GOLDEN))
    for child in range(count):
        share = -math.log(1.0 - uniform(state + U(child) * GOLDEN)) / total
        node = first + child
        values[node, PRIOR] = (1.0 - noise) * values[node, PRIOR] + noise * share
        values[node, BONUS] = values[node, PRIOR] / np.float32(1.0 + links[node, VISITS])


@inlined
def sample_child(temperature: float, moves: np.uint64, nodes: Nodes, draw: float) -> int:
    """A child of the root, drawn by `draw`, 0 to 1, in proportion to visits^(1 / temperature).

    At temperature 0 it is the most visited one; Silver et al. 2017. Only `moves` can be drawn.
    """
    links = nodes.links
    first, count = int64(links[ROOT, FIRST]), int64(links[ROOT, CHILDREN])
    best, most = first, int64(-1)
    for child in range(first, first + count):
        if among(moves, links[child, MOVE]) and links[child, VISITS] > most:
            best, most = child, int64(links[child, VISITS])
    if temperature <= 0.0 or most == 0:
        return best
    total = 0.0
    for child in range(first, first + count):
        if among(moves, links[child, MOVE]):
            total += (float(links[child, VISITS]) / float(most)) ** (1.0 / temperature)
    left = draw * total
    for child in range(first, first + count):
        if among(moves, links[child, MOVE]):
            left -= (float(links[child, VISITS]) / float(most)) ** (1.0 / temperature)
            if left < 0.0:
                return child
    return best


@inlined
def start_game(seed: np.uint64, game: Game) -> None:
    """Set up a game from the start position."""
    board, counters = game
    board[OWN], board[OPP], board[STATE] = START_OWN, START_OPP, mixed(seed)
    counters[SIDE], counters[PLY], counters[COUNT] = 1, 0, 0


@inlined
def _play(square: int, game: Game) -> None:
    """Play a move of the side to move."""
    board, counters = game
    board[OWN], board[OPP] = after_move(square, board[OWN], board[OPP])
    counters[SIDE] = -counters[SIDE]
    counters[PLY] += 1


@inlined
def play_to_search(
    number: int,
    lineup: Lineup,
    agents: npt.NDArray[np.int64],
    options: SelfPlayOptions,
    context: int,
    game: Game,
    records: GameRecords,
) -> bool:
    """Play game `number` until the search is to move (True), or to its recorded end (False)."""
    board, counters = game
    while True:
        board[STATE] += GOLDEN
        own, opp, side, moves = to_move(board[OWN], board[OPP], counters[SIDE])
        if side != counters[SIDE]:
            board[STATE] += GOLDEN  # a pass counts as a draw
            board[OWN], board[OPP], counters[SIDE] = own, opp, side
        if moves == ZERO:
            records.results[number] = side * outcome(own, opp, options.search.rules)
            break
        if 64 - popcount(own | opp) <= options.solved:
            value = solved_outcome(own, opp, context)
            _record(number, game, value, records)
            records.results[number] = side * value
            break
        moves = trained_moves(own, opp, moves)
        if moves == ZERO:
            counters[COUNT], records.results[number] = 0, 0
            break
        player = int64(lineup.players[number, 0 if side > 0 else 1])
        if counters[PLY] < lineup.openings[number] or player == RANDOM_PLAYER:
            _play(random_square(moves, board[STATE]), game)
        elif player == 0:
            return True
        else:
            square = agent_move(player - 1, agents, own, opp, moves, board[STATE], context)
            _play(square, game)
    records.counts[number] = counters[COUNT]
    return False


@inlined
def _record(number: int, game: Game, value: float, records: GameRecords) -> None:
    """Record the position of game `number` and its value."""
    board, counters = game
    count = counters[COUNT]
    record(number, count, board[OWN], board[OPP], counters[SIDE], records)
    records.values[number, count] = value
    counters[COUNT] += 1


@inlined
def record_and_play(
    number: int, options: SelfPlayOptions, nodes: Nodes, game: Game, records: GameRecords
) -> None:
    """Record the tree's values for the position of game `number`, and play a move by its visits."""
    board, counters = game
    links = nodes.links
    count = counters[COUNT]
    _record(number, game, -nodes.values[ROOT, Q], records)
    if records.visits.shape[0] > 0:
        first = int64(links[ROOT, FIRST])
        shared = np.float32(max(1, links[ROOT, VISITS] - 1))
        for child in range(first, first + links[ROOT, CHILDREN]):
            share = np.float32(links[child, VISITS]) / shared
            records.visits[number, count, int64(links[child, MOVE])] = share
    temperature = options.temperature if counters[PLY] < options.temperature_plies else 0.0
    moves = trained_moves(board[OWN], board[OPP], moves_of(board[OWN], board[OPP]))
    child = sample_child(temperature, moves, nodes, uniform(board[STATE]))
    square = int64(links[child, MOVE])
    records.moves[number, count] = square
    _play(square, game)


@kernel
def play_tree_games(
    lineup: Lineup,
    agents: npt.NDArray[np.int64],
    options: SelfPlayOptions,
    memory: npt.NDArray[np.int64],
    nodes: Nodes,
    records: GameRecords,
) -> None:
    """Play the games of `lineup` and fill `records`.

    agents [A, cells]: rows of alpha-beta parameters; memory: a context, used by this thread only;
    nodes: memory for a tree. The scratch memory of `options` is used by this thread only, too.
    """
    context = int64(memory.ctypes.data)
    simulations, noise = options.simulations, options.noise
    game = Game(np.empty(BOARD_CELLS, np.uint64), np.empty(COUNTERS, np.int64))
    board = game.board
    for number in range(lineup.seeds.size):
        start_game(lineup.seeds[number], game)
        used = int64(0)
        while play_to_search(number, lineup, agents, options, context, game, records):
            # The first simulation adds the root's children; noise then goes to their priors.
            used = advance_root(board[OWN], board[OPP], used if options.reuse else int64(0), nodes)
            used = simulate(int64(1), used, nodes, options.search, board[STATE])
            if noise > 0.0:
                add_root_noise(noise, nodes, board[STATE])
            used = simulate(simulations - 1, used, nodes, options.search, board[STATE])
            record_and_play(number, options, nodes, game, records)
