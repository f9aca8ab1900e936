"""Games by tree search: every move by the rules, every record as it was searched."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.memory import Tree
from evolve.engine.games import mcts_games
from evolve.engine.games.training_games import MOST_POSITIONS, RANDOM_PLAYER
from evolve.engine.networks import mcts
from evolve.engine.networks.architecture import Architecture
from tests import networks, reference
from tests.engine import RULES, U
from tests.engine.game_records import sign, tree_games


@pytest.mark.slow
@pytest.mark.parametrize("rules", [0, 1])
@pytest.mark.parametrize("architecture", [networks.VALUE, networks.POLICY, None])
def test_tree_games_are_games(rules: int, architecture: Any) -> None:
    network = networks.random_network(architecture) if architecture else None
    opponents = [0] * 4 + [RANDOM_PLAYER] * 2 + [1] * 2
    games = tree_games(network, opponents, rules)
    again = tree_games(network, opponents, rules)
    assert all((games[key] == again[key]).all() for key in games)
    assert games["counts"].mean() > 15  # one that is beaten early may have few moves
    for game, opponent in enumerate(opponents):
        count = games["counts"][game]
        assert 1 <= count <= MOST_POSITIONS
        own_colour = 1 if game % 2 == 0 else -1
        discs = np.bitwise_count(games["positions"][game, :count].sum(axis=1))
        assert (np.diff(discs.astype(int)) > 0).all()
        for ply in range(count):
            own, opp = map(int, games["positions"][game, ply])
            moves = reference.legal_moves(own, opp)
            side = int(games["sides"][game, ply])
            assert moves
            assert -1 <= games["values"][game, ply] <= 1
            solved = reference.empties(own, opp) <= 8
            if opponent != 0 and not solved:
                assert side == own_colour
            shares = games["visits"][game, ply]
            if ply > 0 and opponent == 0:
                before_it = tuple(map(int, games["positions"][game, ply - 1]))
                after = reference.play(*before_it, int(games["moves"][game, ply - 1]))
                passed = games["sides"][game, ply - 1] == side
                assert (own, opp) == (after[::-1] if passed else after)
            if solved:
                assert ply == count - 1
                outcome = sign(reference.exact_alpha_beta(own, opp, rules))
                assert games["values"][game, ply] == outcome
                assert games["results"][game] == side * outcome
                assert not shares.any()
            else:
                assert set(np.flatnonzero(shares)) <= set(moves)
                assert shares.sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("architecture", [networks.VALUE, networks.POLICY])
def test_a_tree_is_kept_from_move_to_move(architecture: Any) -> None:
    """Games of the kernels move by move with a tree of Python's."""
    network = networks.random_network(architecture)
    quiet = {"noise": 0.0, "temperature": 0.0}
    kept = tree_games(network, [0, RANDOM_PLAYER] * 2, 0, reuse=True, **quiet)
    anew = tree_games(network, [0, RANDOM_PLAYER] * 2, 0, **quiet)
    assert (kept["values"] != anew["values"]).any()
    for game in range(4):
        tree, scratch = Tree.of_size(4000), network.scratch()
        options = mcts.SearchOptions(0, mcts.PUCT, 1.2, network.address, scratch.ctypes.data)
        for ply in range(kept["counts"][game] - 1):
            own, opp = map(int, kept["positions"][game, ply])
            tree.advance(evolve.Board(own=own, opp=opp))
            links = tree.nodes.links
            before = int(links[0, mcts.VISITS])
            tree.simulate(20, options, 0)
            assert kept["values"][game, ply] == -tree.nodes.values[0, mcts.Q]
            assert links[0, mcts.VISITS] == before + 20
            children = links[tree.children()]
            found = kept["visits"][game, ply, children[:, mcts.MOVE]]
            assert found == pytest.approx(children[:, mcts.VISITS] / (before + 19), abs=1e-6)


@pytest.mark.parametrize(
    ("changes", "differ"),
    [
        ({"noise": 0.0, "temperature": 0.0}, False),
        ({"noise": 0.5, "temperature": 0.0}, True),
        ({"noise": 0.0, "temperature": 1.0}, True),
        ({"noise": 0.0, "temperature": 1.0, "temperature_plies": 0}, False),
    ],
)
def test_noise_and_temperature_make_games_differ(changes: dict[str, Any], differ: bool) -> None:
    network = networks.random_network(networks.VALUE)
    games = tree_games(network, [0] * 40, 0, **changes)
    # Without random moves at their beginning two games differ by the search's choices alone.
    first = np.bitwise_count(games["positions"][:, 0].sum(axis=1)) == 4
    lines = {games["positions"][game, :9].tobytes() for game in np.flatnonzero(first)}
    assert first.sum() > 2
    assert (len(lines) > 1) == differ


def test_the_noise_of_a_move_says_nothing_of_its_choice() -> None:
    """Four moves at the start: how often each is played first does not depend on its number."""
    found = tree_games(None, [0] * 400, 0, simulations=2, noise=1.0, solved=0)
    at_start = np.bitwise_count(found["positions"][:, 0].sum(axis=1)) == 4
    moves, counts = np.unique(found["moves"][at_start, 0], return_counts=True)
    assert moves.tolist() == [19, 26, 37, 44]
    started = counts.sum()
    assert (counts > started / 4 - 4 * (started * 3 / 16) ** 0.5).all()


SIMULATIONS = 40
SIZE = 1500


def trees_of(boards: list[reference.Board]) -> tuple[mcts_games.Trees, mcts_games.Leaves]:
    """A tree of each of these roots."""
    trees = mcts_games.empty_trees(len(boards), SIZE)
    for number, (own, opp) in enumerate(boards):
        nodes = mcts.Nodes._make(array[number] for array in trees.nodes)
        trees.used[number] = mcts.reset_tree(U(own), U(opp), nodes)
    return trees, mcts_games.empty_leaves(len(boards))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("architecture", [networks.VALUE, networks.POLICY], ids=lambda a: a.output)
def test_side_by_side_as_alone(architecture: Architecture, rules: int) -> None:
    """From all parts of the game, ends that need no network among them."""
    rng = random.Random(0)
    boards = [*reference.random_boards(rng, 6, 1, 5), *reference.random_boards(rng, 6, 10, 55)]
    network = networks.random_network(architecture)
    trees, leaves = trees_of(boards)
    trees.searching[3] = False
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
    trees, leaves = trees_of([reference.START] * 2)
    trees.used[:] = 1, SIZE - mcts.MOST_CHILDREN + 1
    assert mcts_games.select_all(trees, leaves, 0, 1.2) == 1
    assert leaves.depths.tolist() == [0, -1]
    mcts_games.backpropagate_all(networks.outputs(network, leaves.boards[:1]), trees, leaves)
    assert trees.nodes.links[:, 0, mcts.VISITS].tolist() == [1, 0]
