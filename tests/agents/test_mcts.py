"""UCT as an agent: it repeats, keeps its time, proves what it can, and beats who it should."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import evolve
from evolve.agents.analysis import solved
from evolve.agents.mcts import MctsAgent
from evolve.agents.memory import Tree
from evolve.arena.match import Match
from evolve.engine.board.bits import U
from evolve.engine.networks import mcts
from evolve.errors import AgentError, IllegalMoveError
from evolve.fitness.openings import Part, balanced_openings
from tests import networks
from tests.agents.conftest import boards, mcts_agent


def test_nodes_are_those_that_were_searched() -> None:
    """A full tree runs fewer simulations than are asked for; a forced move needs none."""
    tree = Tree.of_size(100)
    tree.reset(evolve.Board.start())
    tree.simulate(1000, mcts.SearchOptions(0, mcts.UCB1, 1.0, 0, 0), 0)
    assert 0 < tree.simulations == tree.nodes.links[mcts.ROOT, mcts.VISITS] < 100
    tree.advance(evolve.Board.start().play(19))
    assert tree.simulations == 0 < tree.nodes.links[mcts.ROOT, mcts.VISITS]

    agent = replace(mcts_agent(), simulations=40, endgame=8)
    assert agent.network is not None
    together = replace(agent, evaluate=partial(networks.outputs, agent.network))
    forced = evolve.Board(own=1 << 2, opp=1 << 1)
    places = [*boards(0, 2, 8), *boards(0, 2, 20), forced]
    counts = [nodes for _, nodes in together.choose_all(places)]
    assert counts == [agent.choose_counted(board)[1] for board in places]
    assert counts[2:] == [40, 40, 0]
    assert min(counts[:2]) > 40


def test_the_same_seed_plays_the_same_moves_and_another_does_not() -> None:
    places = boards(0, 20, 30)
    one, other = (
        [MctsAgent(simulations=60, seed=seed).choose(board) for board in places] for seed in (1, 2)
    )
    assert one == [MctsAgent(simulations=60, seed=1).choose(board) for board in places]
    assert one != other
    assert MctsAgent().for_game(1) != MctsAgent().for_game(2)


def test_it_beats_random_and_more_simulations_beat_fewer() -> None:
    openings = balanced_openings(10, Part.MATCH, "standard", np.random.default_rng(0))
    agent = evolve.load_agent("uct?simulations=100")
    assert Match(agent, evolve.load_agent("random"), openings, "standard").play().score.value > 0.9
    fewer = evolve.load_agent("uct?simulations=10")
    assert Match(agent, fewer, openings, "standard").play().score.value > 0.7


@pytest.mark.clock
def test_the_time_for_a_move_is_used() -> None:
    """An answer in less than half of it would leave strength."""
    agent, waited = evolve.load_agent("uct?time=0.1"), []
    for board in boards(0, 5, 40):
        begin = time.perf_counter()
        agent.choose(board)
        waited.append(time.perf_counter() - begin)
    assert sorted(waited)[2] > 0.05


def test_settings_are_taken() -> None:
    found = evolve.load_agent("uct?simulations=30&c=0.5&endgame=3&seed=9")
    assert found == MctsAgent(30, 0.5, endgame=3, seed=9, name=found.name)
    with pytest.raises(AgentError, match="selection"):
        MctsAgent(selection="ucb2")  # type: ignore[arg-type]
    with pytest.raises(IllegalMoveError):
        MctsAgent().choose(evolve.Board(own=1, opp=2, side="black").play(2))


def test_the_exact_search_takes_moves_by_visits_or_by_value() -> None:
    """Of the moves with the best exact score the first in that order is played."""
    agent = mcts_agent()
    by_value = replace(agent, order="value")
    found, expected = [], []
    for board in boards(1, 90, 8):
        tree = agent._search(board)
        orders = tree.ranked(), tree.ranked("value")
        scores = {move: -solved(board.play(move)).score for move in board.legal_moves()}
        best = max(scores.values())
        if best >= 0:
            found.append([player.choose(board) for player in (agent, by_value)])
            expected.append([next(m for m in order if scores[m] == best) for order in orders])
    assert found == expected
    assert any(one != other for one, other in found)


def test_a_tree_is_kept_through_a_game() -> None:
    agent = replace(mcts_agent(), reuse=True, simulations=200, endgame=0)
    player, board = agent.for_game(1), evolve.Board.start()
    tree = player.tree
    assert tree is not None
    for _ in range(6):
        board = board.play(player.choose(board))
        board = board.play(evolve.RandomAgent(3).choose(board))
        node = mcts.find_node(U(board.own), U(board.opp), tree.used, tree.nodes)
        assert node != mcts.NO_NODE
        visits = int(tree.nodes.links[node, 3])
        player.choose(board)
        assert tree.nodes.links[0, 3] == visits + 200
