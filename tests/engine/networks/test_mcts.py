"""The tree search: random games against exact averages, trees that add up, wins that are found."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from evolve.engine.board.bits import GOLDEN, U
from evolve.engine.networks import mcts
from tests import networks, reference
from tests.reference import START


def tree_of(own: int, opp: int, size: int) -> mcts.Nodes:
    """Room for so many nodes, and the root."""
    nodes = mcts.empty_nodes(size)
    mcts.reset_tree(U(own), U(opp), nodes)
    return nodes


def children_of(node: int, nodes: mcts.Nodes) -> list[int]:
    first, count = int(nodes.links[node, mcts.FIRST]), int(nodes.links[node, mcts.CHILDREN])
    return list(range(first, first + count))


def simulate(
    simulations: int, nodes: mcts.Nodes, rules: int, formula: int, c: float, seed: int
) -> int:
    """Search a tree of the root alone by rollouts."""
    options = mcts.SearchOptions(rules, formula, c, 0, 0)
    return mcts.simulate(simulations, 1, nodes, options, U(seed))


def random_mean(own: int, opp: int, rules: int, passed: bool = False) -> Fraction:
    """The mean result of all games of random moves, each move as likely as the others."""
    moves = reference.legal_moves(own, opp)
    if not moves:
        if passed:
            score = reference.final_score(own, opp, rules)
            return Fraction((score > 0) - (score < 0))
        return -random_mean(opp, own, rules, True)
    return -sum(
        (random_mean(*reference.play(own, opp, move), rules) for move in moves), Fraction()
    ) / len(moves)


@pytest.mark.parametrize("rules", [0, 1])
def test_random_games_have_the_mean_of_all_games(rules: int) -> None:
    states = np.arange(1, 4_001, dtype=np.uint64) * GOLDEN
    boards = reference.random_boards(random.Random(rules), 12, 3, 6)
    means = [np.mean([mcts.rollout(U(a), U(b), rules, one) for one in states]) for a, b in boards]
    truth = [float(random_mean(own, opp, rules)) for own, opp in boards]
    assert means == pytest.approx(truth, abs=5 / np.sqrt(len(states)))


@pytest.mark.slow
@pytest.mark.parametrize("formula", [mcts.UCB1, mcts.PUCT])
@pytest.mark.parametrize("empties", [(2, 8), (20, 40)])
def test_the_tree_adds_up(formula: int, empties: tuple[int, int]) -> None:
    for own, opp in reference.random_boards(random.Random(3), 5, *empties):
        boards, links, values = nodes = tree_of(own, opp, 20_000)
        used = simulate(1000, nodes, 0, formula, 1.0, 7)
        assert links[0, mcts.VISITS] == 1000
        seen = {0}
        for node in range(used):
            here = (int(boards[node, 0]), int(boards[node, 1]))
            children, visits = children_of(node, nodes), links[node, mcts.VISITS]
            assert abs(values[node, mcts.Q]) <= 1 + 1e-5
            if links[node, mcts.CHILDREN] == mcts.UNEXPANDED:
                assert visits == 0
                continue
            moves = reference.legal_moves(*here)
            if moves:
                assert links[children, mcts.MOVE].tolist() == moves
                for child, move in zip(children, moves, strict=True):
                    assert tuple(boards[child].tolist()) == reference.play(*here, move)
            elif reference.legal_moves(here[1], here[0]):
                assert links[children, mcts.MOVE].tolist() == [64]
                assert tuple(boards[children[0]].tolist()) == here[::-1]
            else:
                assert not children
                score = reference.final_score(*here, 0)
                assert values[node, mcts.Q] == -((score > 0) - (score < 0)) * (visits > 0)
                continue
            # One visit gave the node its children, each other one went on to a child.
            assert links[children, mcts.VISITS].sum() == visits - 1
            assert not seen & set(children)
            seen |= set(children)
        assert seen == set(range(used))


@pytest.mark.parametrize("rules", [0, 1])
@pytest.mark.parametrize("formula", [mcts.UCB1, mcts.PUCT])
def test_wins_near_the_end_are_found(rules: int, formula: int) -> None:
    tried = 0
    for own, opp in reference.random_boards(random.Random(rules), 40, 4, 6):
        values = reference.exact_values(own, opp, rules)
        outcomes = {move: int(np.sign(value)) for move, value in values.items()}
        if len(set(outcomes.values())) < 2:
            continue
        nodes = tree_of(own, opp, 60_000)
        simulate(5000, nodes, rules, formula, 1.0, 1)
        children = nodes.links[children_of(0, nodes)]
        best = children[np.argmax(children[:, mcts.VISITS]), mcts.MOVE]
        assert outcomes[int(best)] == max(outcomes.values())
        tried += 1
    assert tried > 5


@pytest.mark.parametrize("formula", [mcts.UCB1, mcts.PUCT])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 30, 77])
def test_selection_is_as_its_formula_says(formula: int, count: int) -> None:
    """The children's visits of a tree, from their values by the formulas of the source."""
    nodes, again = tree_of(*START, 20_000), tree_of(*START, 20_000)
    links, values = nodes.links, nodes.values
    simulate(count, nodes, 0, formula, 1.3, 5)
    visits = links[1:5, mcts.VISITS].astype(float)
    total = float(links[0, mcts.VISITS])
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = values[1:5, mcts.Q]
        if formula == mcts.UCB1:
            bonus = 1.3 * np.sqrt(np.log(total + 1) / visits)
        else:
            bonus = 1.3 * np.sqrt(total) / 4 / (1 + visits)
    simulate(count + 1, again, 0, formula, 1.3, 5)
    added = again.links[1:5, mcts.VISITS] - links[1:5, mcts.VISITS]
    assert added.tolist() == [int(child == np.argmax(mean + bonus)) for child in range(4)]


def test_a_tree_that_is_full_stays_whole() -> None:
    nodes = tree_of(*START, 200)
    assert simulate(5000, nodes, 0, mcts.UCB1, 1.0, 5) <= 200
    assert 0 < nodes.links[0, mcts.VISITS] < 5000


@pytest.mark.parametrize("architecture", [networks.VALUE, networks.POLICY])
def test_a_network_values_what_is_new_and_its_policy_is_the_prior(architecture: Any) -> None:
    network = networks.random_network(architecture)
    scratch = network.scratch()
    for own, opp in reference.random_boards(random.Random(5), 5, 20, 50):
        boards, links, values = nodes = tree_of(own, opp, 20_000)
        options = mcts.SearchOptions(0, mcts.PUCT, 1.2, network.address, scratch.ctypes.data)
        used = mcts.simulate(200, 1, nodes, options, U(0))
        outputs = networks.outputs(network, boards[:used])
        for node in range(used):
            children = children_of(node, nodes)
            if not children:
                continue
            moves = links[children, mcts.MOVE]
            # The mean of its own value and of all that came up, from the other side.
            below = values[children, mcts.Q] @ links[children, mcts.VISITS]
            mean = (float(outputs[node, -1]) + below) / links[node, mcts.VISITS]
            assert -values[node, mcts.Q] == pytest.approx(mean, abs=1e-4)
            prior = np.full(len(children), 1 / len(children))
            if architecture.output == "policy-value" and moves[0] != 64:
                shares = np.exp(outputs[node, moves].astype(float))
                prior = shares / shares.sum()
            assert values[children, mcts.PRIOR] == pytest.approx(prior, abs=1e-5)


def test_what_is_kept_of_a_tree_is_the_part_below() -> None:
    boards, links, values = nodes = tree_of(*START, 60_000)
    used = simulate(4000, nodes, 0, mcts.UCB1, 1.0, 3)

    def subtree(node: int) -> tuple[Any, ...]:
        return (
            boards[node].tolist(),
            links[node, mcts.MOVE :].tolist(),
            values[node, : mcts.PRIOR + 1].tolist(),
            *map(subtree, children_of(node, nodes)),
        )

    grandchild = children_of(children_of(0, nodes)[2], nodes)[1]
    before = subtree(grandchild)
    kept = mcts.reroot(grandchild, used, nodes)
    assert 1 < kept < used
    assert subtree(0) == before
    seen = {child for node in range(kept) for child in children_of(node, nodes)}
    assert seen == set(range(1, kept))
