"""Whole games of the tree search to learn from: against itself and against others."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

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
from evolve.engine.memory import int64, popcount, store
from evolve.engine.opening_split import trained_moves
from evolve.engine.random import GOLDEN, mixed, random_square, uniform
from evolve.engine.scoring import outcome
from evolve.engine.solver import solve_outcome

# Opponents that are not rows of alpha-beta parameters.
SELF_PLAY: Final = -1
RANDOM_OPPONENT: Final = -2

_NOISE = U(0xD1B54A32D192ED03)

# Cells of a running game: discs of the side to move and of the other, random state; and colour of
# the side to move, moves played, positions recorded.
OWN, OPP, STATE, BOARD_CELLS = 0, 1, 2, 3
SIDE, PLY, COUNT, COUNTERS = 0, 1, 2, 3

MOST_POSITIONS: Final = 61
"""Positions of a game in which a side has a move, and the one that is solved."""


class Fixtures(NamedTuple):
    """The opponents in N games, and how the games start.

    opponents: [N] int32, SELF_PLAY, RANDOM_OPPONENT or a row of alpha-beta parameters.
    colours: [N] int8, 1 where the search is black, −1 where it is white; unused in self-play.
    openings: [N] int32, random moves before the first one that is chosen.
    seeds: [N] uint64, of each game's random draws.
    """

    opponents: npt.NDArray[np.int32]
    colours: npt.NDArray[np.int8]
    openings: npt.NDArray[np.int32]
    seeds: npt.NDArray[np.uint64]

    def part(self, some: slice) -> Fixtures:
        """The fixtures of some of the games."""
        return Fixtures._make(array[some] for array in self)


class SelfPlayOptions(NamedTuple):
    """How the tree search plays games to learn from.

    search: how a tree is searched, the rules included.
    simulations: of a move.
    noise: the share of a Dirichlet draw in the priors of the root's moves, 0 to 1.
    temperature: of the choice among moves, in the first `temperature_plies` of a game; 0 after.
    solved_empties: a game ends there, with its exact outcome.
    reuse: whether a game's tree is kept from move to move.
    """

    search: SearchOptions
    simulations: int
    noise: float
    temperature: float
    temperature_plies: int
    solved_empties: int
    reuse: bool


class Game(NamedTuple):
    """A running game; the arrays of N games have an additional first axis [N].

    board: [BOARD_CELLS] uint64: OWN, OPP, and STATE, of the random draws.
    counters: [COUNTERS] int64: SIDE to move, 1 black, −1 white; PLY; COUNT of recorded positions.
    """

    board: npt.NDArray[np.uint64]
    counters: npt.NDArray[np.int64]


class Records(NamedTuple):
    """What the search saw in N games: the positions where it had to move, and the solved one.

    positions: [N, MOST_POSITIONS, 2] uint64, own and opp.
    sides: [N, MOST_POSITIONS] int8, the side to move there, 1 black, −1 white.
    searched: [N, MOST_POSITIONS] float32, the mean value of the search for that side, −1 to 1.
    visits: [N, MOST_POSITIONS, 64] float32, each square's share of the simulations; [0, …] when
        not recorded.
    counts: [N] int64, positions; 0 for a game that was given up, because it could only go on with
        an opening of a match (`engine.opening_split`).
    results: [N] int8, 1 black won, 0 draw, −1 white won.
    """

    positions: npt.NDArray[np.uint64]
    sides: npt.NDArray[np.int8]
    searched: npt.NDArray[np.float32]
    visits: npt.NDArray[np.float32]
    counts: npt.NDArray[np.int64]
    results: npt.NDArray[np.int8]

    def part(self, some: slice) -> Records:
        """The arrays of some of the games, to be filled."""
        return Records._make(array[some] for array in self)


def empty_games(*shape: int) -> Game:
    """Memory for one game, or for N with `shape` [N]."""
    return Game(np.empty((*shape, BOARD_CELLS), np.uint64), np.empty((*shape, COUNTERS), np.int64))


def blank_records(count: int, with_visits: bool) -> Records:
    """Records of `count` games, all zero."""
    return Records(
        np.zeros((count, MOST_POSITIONS, 2), np.uint64),
        np.zeros((count, MOST_POSITIONS), np.int8),
        np.zeros((count, MOST_POSITIONS), np.float32),
        np.zeros((count if with_visits else 0, MOST_POSITIONS, 64), np.float32),
        np.zeros(count, np.int64),
        np.zeros(count, np.int8),
    )


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
def start_game(seed: np.uint64, game: Game) -> None:
    """Set up a game from the start position."""
    board, counters = game
    board[OWN], board[OPP], board[STATE] = START_OWN, START_OPP, mixed(seed)
    counters[SIDE], counters[PLY], counters[COUNT] = 1, 0, 0


@inlined
def _play(square: int, game: Game) -> None:
    """Play a move of the side to move."""
    board, counters = game
    own, opp = board[OWN], board[OPP]
    turned = flips_of(square, own, opp)
    board[OWN], board[OPP] = opp ^ turned, own ^ turned ^ (ONE << U(square))
    counters[SIDE] = -counters[SIDE]
    counters[PLY] += 1


@inlined
def play_to_search(
    number: int,
    fixtures: Fixtures,
    agents: npt.NDArray[np.int64],
    options: SelfPlayOptions,
    context: int,
    game: Game,
    records: Records,
) -> bool:
    """Play game `number` until the search is to move (True), or to its recorded end (False)."""
    board, counters = game
    while True:
        board[STATE] += GOLDEN
        own, opp, side = board[OWN], board[OPP], counters[SIDE]
        moves = moves_of(own, opp)
        if moves == ZERO:
            if moves_of(opp, own) == ZERO:
                records.results[number] = side * outcome(own, opp, options.search.rules)
                break
            board[OWN], board[OPP], counters[SIDE] = opp, own, -side
            continue
        if 64 - popcount(own | opp) <= options.solved_empties:
            store(context, NODES, 0)
            store(context, STOPPED, 0)
            bound = solve_outcome(own, opp, context)
            value = int64(bound > 0) - int64(bound < 0)
            _record(number, game, value, records)
            records.results[number] = side * value
            break
        moves = trained_moves(own, opp, moves)
        if moves == ZERO:
            counters[COUNT], records.results[number] = 0, 0
            break
        opponent = fixtures.opponents[number]
        theirs = opponent != SELF_PLAY and fixtures.colours[number] != side
        at_random = theirs and opponent == RANDOM_OPPONENT
        if counters[PLY] < fixtures.openings[number] or at_random:
            _play(random_square(moves, board[STATE]), game)
        elif theirs:
            row = int64(agents.ctypes.data) + opponent * agents.shape[1] * 8
            square = choose(own, opp, row, context)
            if not _among(moves, square):
                square = random_square(moves, board[STATE])
            _play(square, game)
        else:
            return True
    records.counts[number] = counters[COUNT]
    return False


@inlined
def _record(number: int, game: Game, value: float, records: Records) -> None:
    """Record the position of game `number` and its value, without visits."""
    board, counters = game
    count = counters[COUNT]
    records.positions[number, count, 0] = board[OWN]
    records.positions[number, count, 1] = board[OPP]
    records.sides[number, count], records.searched[number, count] = counters[SIDE], value
    if records.visits.shape[0] > 0:
        for square in range(64):
            records.visits[number, count, square] = 0.0
    counters[COUNT] += 1


@inlined
def record_and_play(
    number: int, options: SelfPlayOptions, nodes: Nodes, game: Game, records: Records
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
    _play(int64(links[child, MOVE]), game)


@kernel
def play_tree_games(
    fixtures: Fixtures,
    agents: npt.NDArray[np.int64],
    options: SelfPlayOptions,
    memory: npt.NDArray[np.int64],
    nodes: Nodes,
    records: Records,
) -> None:
    """Play the games of `fixtures` and fill `records`.

    agents [A, cells]: rows of alpha-beta parameters; memory: a context, used by this thread only;
    nodes: memory for a tree. The scratch memory of `options` is used by this thread only, too.
    """
    context = int64(memory.ctypes.data)
    simulations, noise = options.simulations, options.noise
    game = Game(np.empty(BOARD_CELLS, np.uint64), np.empty(COUNTERS, np.int64))
    board = game.board
    for number in range(fixtures.seeds.size):
        start_game(fixtures.seeds[number], game)
        used = int64(0)
        while play_to_search(number, fixtures, agents, options, context, game, records):
            # The first simulation adds the root's children; noise then goes to their priors.
            used = advance_root(board[OWN], board[OPP], used if options.reuse else int64(0), nodes)
            used = simulate(int64(1), used, nodes, options.search, board[STATE])
            if noise > 0.0:
                add_root_noise(noise, nodes, board[STATE])
            used = simulate(simulations - 1, used, nodes, options.search, board[STATE])
            record_and_play(number, options, nodes, game, records)
