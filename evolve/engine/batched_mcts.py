"""Tree searches of many games side by side, for networks that evaluate many positions at once.

Every game has its own tree. `select_all` selects a leaf in each that needs an evaluation; the
caller has all leaves evaluated together, on any device, and passes the values to
`backpropagate_all`. Games and choices are those of `engine.mcts_games`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.compile import inlined, kernel
from evolve.engine.mcts import (
    CHILDREN,
    DEEPEST,
    MOST_CHILDREN,
    PUCT,
    UNEXPANDED,
    Nodes,
    advance_root,
    backpropagate,
    empty_nodes,
    expand,
    select,
    set_priors,
)
from evolve.engine.mcts_games import (
    OPP,
    OWN,
    STATE,
    Game,
    SelfPlayOptions,
    add_root_noise,
    play_to_search,
    record_and_play,
    start_game,
)
from evolve.engine.memory import int64
from evolve.engine.scoring import outcome
from evolve.engine.training_games import GameRecords, Lineup


class Trees(NamedTuple):
    """The trees of N games.

    searching: [N] bool, whether the search is to move in that game.
    used: [N] int64, nodes in use.
    nodes: the nodes of all trees, [N, M, …].
    """

    searching: npt.NDArray[np.bool_]
    used: npt.NDArray[np.int64]
    nodes: Nodes


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
    return Trees(np.ones(count, np.bool_), np.zeros(count, np.int64), empty_nodes(count, size))


def empty_leaves(count: int) -> Leaves:
    """Memory for the leaves of `count` trees."""
    return Leaves(
        np.empty((count, 2), np.uint64),
        np.empty((count, DEEPEST), np.int32),
        np.empty(count, np.int64),
    )


@inlined
def _tree(number: int, nodes: Nodes) -> Nodes:
    """The nodes of one of the trees."""
    return Nodes(nodes.boards[number], nodes.links[number], nodes.values[number])


@inlined
def _game(number: int, games: Game) -> Game:
    """One of the games."""
    return Game(games.board[number], games.counters[number])


@kernel
def start_all(seeds: npt.NDArray[np.uint64], games: Game) -> None:
    """Set up N games from seeds [N]."""
    for number in range(seeds.size):
        start_game(seeds[number], _game(number, games))


@kernel
def play_to_search_all(
    trees: Trees,
    lineup: Lineup,
    agents: npt.NDArray[np.int64],
    options: SelfPlayOptions,
    memory: npt.NDArray[np.int64],
    games: Game,
    records: GameRecords,
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
        searching[number] = play_to_search(number, lineup, agents, options, context, game, records)
        if searching[number]:
            kept = used[number] if options.reuse else int64(0)
            nodes = _tree(number, trees.nodes)
            used[number] = advance_root(game.board[OWN], game.board[OPP], kept, nodes)
            going += 1
    return going


@kernel
def select_all(trees: Trees, leaves: Leaves, rules: int, c: float) -> int:
    """Select a leaf of every tree by PUCT and expand it; return how many need an evaluation."""
    searching, used = trees.searching, trees.used
    boards, paths, depths = leaves
    every = trees.nodes
    most = every.boards.shape[1] - MOST_CHILDREN
    wanted = int64(0)
    for number in range(searching.size):
        depths[number] = -1
        if not searching[number] or used[number] > most:
            continue
        nodes = _tree(number, every)
        path = paths[number]
        depth = select(path, nodes, PUCT, c)
        node = int64(path[depth])
        if nodes.links[node, CHILDREN] == UNEXPANDED:
            used[number] += expand(node, used[number], nodes, PUCT)
        own, opp = nodes.boards[node, 0], nodes.boards[node, 1]
        if nodes.links[node, CHILDREN] == 0:
            value = np.float32(outcome(own, opp, rules))
            backpropagate(path, depth, value, nodes, PUCT)
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
            set_priors(int64(path[depth]), int64(outputs[row].ctypes.data), nodes)
        backpropagate(path, depth, outputs[row, last], nodes, PUCT)
        row += 1


@kernel
def add_root_noise_all(noise: float, trees: Trees, games: Game) -> None:
    """Mix noise into the priors of the roots, which must be expanded."""
    for number in range(trees.searching.size):
        if trees.searching[number]:
            add_root_noise(noise, _tree(number, trees.nodes), games.board[number, STATE])


@kernel
def record_and_play_all(
    trees: Trees, options: SelfPlayOptions, games: Game, records: GameRecords
) -> None:
    """Record the results of the trees, and play a move in every game where the search moves."""
    for number in range(trees.searching.size):
        if trees.searching[number]:
            nodes, game = _tree(number, trees.nodes), _game(number, games)
            record_and_play(number, options, nodes, game, records)
