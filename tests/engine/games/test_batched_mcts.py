"""Trees that are searched side by side: each as it would be by itself."""

from __future__ import annotations

import random

import pytest

from evolve.engine.games import mcts_games
from evolve.engine.networks import mcts
from evolve.engine.networks.architecture import Architecture
from tests import networks, reference
from tests.engine import RULES, U

SIMULATIONS = 40
SIZE = 1500


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("architecture", [networks.VALUE, networks.POLICY], ids=lambda a: a.output)
def test_side_by_side_as_alone(architecture: Architecture, rules: int) -> None:
    """From all parts of the game, ends that need no network among them."""
    rng = random.Random(0)
    boards = [*reference.random_boards(rng, 6, 1, 5), *reference.random_boards(rng, 6, 10, 55)]
    network = networks.random_network(architecture)
    trees, leaves = (
        mcts_games.empty_trees(len(boards), SIZE),
        mcts_games.empty_leaves(len(boards)),
    )
    trees.searching[3] = False
    for number, (own, opp) in enumerate(boards):
        nodes = mcts.Nodes._make(array[number] for array in trees.nodes)
        trees.used[number] = mcts.reset_tree(U(own), U(opp), nodes)
    asked = []
    for _ in range(SIMULATIONS):
        wanted = mcts_games.select_all(trees, leaves, rules, 1.2)
        asked.append(wanted)
        if wanted:
            outputs = networks.outputs(network, leaves.boards[:wanted])
            mcts_games.backpropagate_all(outputs, trees, leaves)
    assert 0 < min(asked) < max(asked)
    scratch = network.scratch()
    options = mcts.SearchOptions(rules, mcts.PUCT, 1.2, network.address, scratch.ctypes.data)
    for number, (own, opp) in enumerate(boards):
        alone = mcts.empty_nodes(SIZE)
        used = mcts.reset_tree(U(own), U(opp), alone)
        if trees.searching[number]:
            used = mcts.simulate(SIMULATIONS, used, alone, options, U(0))
        assert trees.used[number] == used
        boards_there, links, values = (array[number, :used] for array in trees.nodes)
        assert (boards_there == alone.boards[:used]).all()
        assert (values[:, : mcts.PRIOR + 1] == alone.values[:used, : mcts.PRIOR + 1]).all()
        for column in (mcts.CHILDREN, mcts.VISITS):
            assert (links[:, column] == alone.links[:used, column]).all()
        # No move leads to the root, and nothing is said of where children that are not there are.
        assert (links[1:, mcts.MOVE] == alone.links[1:used, mcts.MOVE]).all()
        some = links[:, mcts.CHILDREN] > 0
        assert (links[some, mcts.FIRST] == alone.links[:used][some, mcts.FIRST]).all()


def test_a_tree_that_is_full_waits_for_the_others() -> None:
    network = networks.random_network(networks.VALUE)
    trees, leaves = mcts_games.empty_trees(2, SIZE), mcts_games.empty_leaves(2)
    for number in range(2):
        nodes = mcts.Nodes._make(array[number] for array in trees.nodes)
        mcts.reset_tree(*map(U, reference.START), nodes)
    trees.used[:] = 1, SIZE - mcts.MOST_CHILDREN + 1
    assert mcts_games.select_all(trees, leaves, 0, 1.2) == 1
    assert leaves.depths.tolist() == [0, -1]
    mcts_games.backpropagate_all(networks.outputs(network, leaves.boards[:1]), trees, leaves)
    assert trees.nodes.links[:, 0, mcts.VISITS].tolist() == [1, 0]
