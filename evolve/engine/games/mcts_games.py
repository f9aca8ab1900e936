"""Whole games of the tree search to learn from: against itself and against others."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.board import bits
from evolve.engine.board.bits import ZERO, U
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import int64, popcount
from evolve.engine.games import training_games as training
from evolve.engine.games.opening import trained_moves
from evolve.engine.networks import mcts

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

    search: mcts.SearchOptions
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
def _add_root_noise(noise: float, nodes: mcts.Nodes, state: U) -> None:
    """Mix the share `noise` of a Dirichlet draw into the priors of the root's children.

    P ← (1 − noise) P + noise η with η ~ Dir(1), flat; Silver et al. 2017 take Dir(0.03) in Go.
    """
    links, values = nodes.links, nodes.values
    first, count = int64(links[mcts.ROOT, mcts.FIRST]), int64(links[mcts.ROOT, mcts.CHILDREN])
    state = bits.mixed(state ^ _NOISE)  # a separate stream: the move is drawn from `state`
    total = 0.0
    for child in range(count):
        total -= math.log(1.0 - bits.uniform(state + U(child) * bits.GOLDEN))
    for child in range(count):
        share = -math.log(1.0 - bits.uniform(state + U(child) * bits.GOLDEN)) / total
        node = first + child
        values[node, mcts.PRIOR] = (1.0 - noise) * values[node, mcts.PRIOR] + noise * share
        values[node, mcts.BONUS] = values[node, mcts.PRIOR] / np.float32(
            1.0 + links[node, mcts.VISITS]
        )


@inlined
def _sample_child(temperature: float, moves: U, nodes: mcts.Nodes, draw: float) -> int:
    """A child of the root, drawn by `draw`, 0 to 1, in proportion to visits^(1 / temperature).

    At temperature 0 it is the most visited one; Silver et al. 2017. Only `moves` can be drawn.
    """
    links = nodes.links
    first, count = int64(links[mcts.ROOT, mcts.FIRST]), int64(links[mcts.ROOT, mcts.CHILDREN])
    best, most = first, int64(-1)
    for child in range(first, first + count):
        if training.among(moves, links[child, mcts.MOVE]) and links[child, mcts.VISITS] > most:
            best, most = child, int64(links[child, mcts.VISITS])
    if temperature <= 0.0 or most == 0:
        return best
    total = 0.0
    for child in range(first, first + count):
        if training.among(moves, links[child, mcts.MOVE]):
            total += (float(links[child, mcts.VISITS]) / float(most)) ** (1.0 / temperature)
    left = draw * total
    for child in range(first, first + count):
        if training.among(moves, links[child, mcts.MOVE]):
            left -= (float(links[child, mcts.VISITS]) / float(most)) ** (1.0 / temperature)
            if left < 0.0:
                return child
    return best


@inlined
def _start_game(seed: U, game: Game) -> None:
    """Set up a game from the start position."""
    board, counters = game
    board[OWN], board[OPP], board[STATE] = bits.START_OWN, bits.START_OPP, bits.mixed(seed)
    counters[SIDE], counters[PLY], counters[COUNT] = 1, 0, 0


@inlined
def _play(square: int, game: Game) -> None:
    """Play a move of the side to move."""
    board, counters = game
    board[OWN], board[OPP] = bits.after_move(square, board[OWN], board[OPP])
    counters[SIDE] = -counters[SIDE]
    counters[PLY] += 1


@inlined
def _play_to_search(
    number: int,
    lineup: training.Lineup,
    agents: npt.NDArray[np.int64],
    options: SelfPlayOptions,
    context: int,
    game: Game,
    records: training.GameRecords,
) -> bool:
    """Play game `number` until the search is to move (True), or to its recorded end (False)."""
    board, counters = game
    while True:
        board[STATE] += bits.GOLDEN
        own, opp, side, moves = training.to_move(board[OWN], board[OPP], counters[SIDE])
        if side != counters[SIDE]:
            board[STATE] += bits.GOLDEN  # a pass counts as a draw
            board[OWN], board[OPP], counters[SIDE] = own, opp, side
        if moves == ZERO:
            records.results[number] = side * bits.outcome(own, opp, options.search.rules)
            break
        if 64 - popcount(own | opp) <= options.solved:
            value = training.solved_outcome(own, opp, context)
            _record(number, game, value, records)
            records.results[number] = side * value
            break
        moves = trained_moves(own, opp, moves)
        if moves == ZERO:
            counters[COUNT], records.results[number] = 0, 0
            break
        player = int64(lineup.players[number, 0 if side > 0 else 1])
        if counters[PLY] < lineup.openings[number] or player == training.RANDOM_PLAYER:
            _play(bits.random_square(moves, board[STATE]), game)
        elif player == 0:
            return True
        else:
            square = training.agent_move(player - 1, agents, own, opp, moves, board[STATE], context)
            _play(square, game)
    records.counts[number] = counters[COUNT]
    return False


@inlined
def _record(number: int, game: Game, value: float, records: training.GameRecords) -> None:
    """Record the position of game `number` and its value."""
    board, counters = game
    count = counters[COUNT]
    training.record(number, count, board[OWN], board[OPP], counters[SIDE], records)
    records.values[number, count] = value
    counters[COUNT] += 1


@inlined
def _record_and_play(
    number: int,
    options: SelfPlayOptions,
    nodes: mcts.Nodes,
    game: Game,
    records: training.GameRecords,
) -> None:
    """Record the tree's values for the position of game `number`, and play a move by its visits."""
    board, counters = game
    links = nodes.links
    count = counters[COUNT]
    _record(number, game, -nodes.values[mcts.ROOT, mcts.Q], records)
    if records.visits.shape[0] > 0:
        first = int64(links[mcts.ROOT, mcts.FIRST])
        shared = np.float32(max(1, links[mcts.ROOT, mcts.VISITS] - 1))
        for child in range(first, first + links[mcts.ROOT, mcts.CHILDREN]):
            share = np.float32(links[child, mcts.VISITS]) / shared
            records.visits[number, count, int64(links[child, mcts.MOVE])] = share
    temperature = options.temperature if counters[PLY] < options.temperature_plies else 0.0
    moves = trained_moves(board[OWN], board[OPP], bits.moves_of(board[OWN], board[OPP]))
    child = _sample_child(temperature, moves, nodes, bits.uniform(board[STATE]))
    square = int64(links[child, mcts.MOVE])
    records.moves[number, count] = square
    _play(square, game)


@kernel
def play_tree_games(
    lineup: training.Lineup,
    agents: npt.NDArray[np.int64],
    options: SelfPlayOptions,
    memory: npt.NDArray[np.int64],
    nodes: mcts.Nodes,
    records: training.GameRecords,
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
        _start_game(lineup.seeds[number], game)
        used = int64(0)
        while _play_to_search(number, lineup, agents, options, context, game, records):
            # The first simulation adds the root's children; noise then goes to their priors.
            used = mcts.advance_root(
                board[OWN], board[OPP], used if options.reuse else int64(0), nodes
            )
            used = mcts.simulate(int64(1), used, nodes, options.search, board[STATE])
            if noise > 0.0:
                _add_root_noise(noise, nodes, board[STATE])
            used = mcts.simulate(simulations - 1, used, nodes, options.search, board[STATE])
            _record_and_play(number, options, nodes, game, records)


class Trees(NamedTuple):
    """The trees of N games.

    searching: [N] bool, whether the search is to move in that game.
    used: [N] int64, nodes in use.
    nodes: the nodes of all trees, [N, M, …].
    """

    searching: npt.NDArray[np.bool_]
    used: npt.NDArray[np.int64]
    nodes: mcts.Nodes


class Leaves(NamedTuple):
    """The leaves of N trees that need an evaluation, L of them.

    boards: [N, 2] uint64, own and opp; the first L rows, in the order of the trees.
    paths: [N, DEEPEST] int32, the nodes from each root to its leaf.
    depths: [N] int64, the steps to the leaf; −1 where no evaluation is needed, because the game is
        over there and its value is known.
    """

    boards: npt.NDArray[np.uint64]
    paths: npt.NDArray[np.int32]
    depths: npt.NDArray[np.int64]


def empty_trees(count: int, size: int) -> Trees:
    """Memory for `count` trees of at most `size` nodes, all to be searched."""
    return Trees(np.ones(count, np.bool_), np.zeros(count, np.int64), mcts.empty_nodes(count, size))


def empty_leaves(count: int) -> Leaves:
    """Memory for the leaves of `count` trees."""
    return Leaves(
        np.empty((count, 2), np.uint64),
        np.empty((count, mcts.DEEPEST), np.int32),
        np.empty(count, np.int64),
    )


@inlined
def _tree(number: int, nodes: mcts.Nodes) -> mcts.Nodes:
    """The nodes of one of the trees."""
    return mcts.Nodes(nodes.boards[number], nodes.links[number], nodes.values[number])


@inlined
def _game(number: int, games: Game) -> Game:
    """One of the games."""
    return Game(games.board[number], games.counters[number])


@kernel
def start_all(seeds: npt.NDArray[np.uint64], games: Game) -> None:
    """Set up N games from seeds [N]."""
    for number in range(seeds.size):
        _start_game(seeds[number], _game(number, games))


@kernel
def play_to_search_all(
    trees: Trees,
    lineup: training.Lineup,
    agents: npt.NDArray[np.int64],
    options: SelfPlayOptions,
    memory: npt.NDArray[np.int64],
    games: Game,
    records: training.GameRecords,
) -> int:
    """Play on the games in which the search was to move; return in how many it is to move again.

    In those, the position becomes the root, of a new tree or of the game's own, depending on
    `options`. Where a game has ended, `searching` becomes False.
    """
    context = int64(memory.ctypes.data)
    searching, used = trees.searching, trees.used
    going = int64(0)
    for number in range(searching.size):
        if not searching[number]:
            continue
        game = _game(number, games)
        searching[number] = _play_to_search(number, lineup, agents, options, context, game, records)
        if searching[number]:
            kept = used[number] if options.reuse else int64(0)
            nodes = _tree(number, trees.nodes)
            used[number] = mcts.advance_root(game.board[OWN], game.board[OPP], kept, nodes)
            going += 1
    return going


@kernel
def select_all(trees: Trees, leaves: Leaves, rules: int, c: float) -> int:
    """Select a leaf of every tree by PUCT and expand it; return how many need an evaluation."""
    searching, used = trees.searching, trees.used
    boards, paths, depths = leaves
    every = trees.nodes
    most = every.boards.shape[1] - mcts.MOST_CHILDREN
    wanted = int64(0)
    for number in range(searching.size):
        depths[number] = -1
        if not searching[number] or used[number] > most:
            continue
        nodes = _tree(number, every)
        path = paths[number]
        depth = mcts.select(path, nodes, mcts.PUCT, c)
        node = int64(path[depth])
        if nodes.links[node, mcts.CHILDREN] == mcts.UNEXPANDED:
            used[number] += mcts.expand(node, used[number], nodes, mcts.PUCT)
        own, opp = nodes.boards[node, 0], nodes.boards[node, 1]
        if nodes.links[node, mcts.CHILDREN] == 0:
            value = np.float32(bits.outcome(own, opp, rules))
            mcts.backpropagate(path, depth, value, nodes, mcts.PUCT)
            continue
        boards[wanted, 0], boards[wanted, 1] = own, opp
        depths[number] = depth
        wanted += 1
    return wanted


@kernel
def backpropagate_all(outputs: npt.NDArray[np.float32], trees: Trees, leaves: Leaves) -> None:
    """Backpropagate a network's outputs [L, …] for the leaves in their trees."""
    paths, depths, every = leaves.paths, leaves.depths, trees.nodes
    last = outputs.shape[1] - 1
    row = int64(0)
    for number in range(depths.size):
        depth = depths[number]
        if depth < 0:
            continue
        path, nodes = paths[number], _tree(number, every)
        if last > 0:
            mcts.set_priors(int64(path[depth]), int64(outputs[row].ctypes.data), nodes)
        mcts.backpropagate(path, depth, outputs[row, last], nodes, mcts.PUCT)
        row += 1


@kernel
def add_root_noise_all(noise: float, trees: Trees, games: Game) -> None:
    """Mix noise into the priors of the roots, which must be expanded."""
    for number in range(trees.searching.size):
        if trees.searching[number]:
            _add_root_noise(noise, _tree(number, trees.nodes), games.board[number, STATE])


@kernel
def record_and_play_all(
    trees: Trees, options: SelfPlayOptions, games: Game, records: training.GameRecords
) -> None:
    """Record the results of the trees, and play a move in every game where the search moves."""
    for number in range(trees.searching.size):
        if trees.searching[number]:
            nodes, game = _tree(number, trees.nodes), _game(number, games)
            _record_and_play(number, options, nodes, game, records)
