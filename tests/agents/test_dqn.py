"""Agents that play what their networks value most."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import evolve
from evolve.agents.dqn import DqnAgent
from evolve.engine.board.board import Board
from tests import networks
from tests.agents.conftest import dqn_agent
from tests.agents.test_mcts import ends


def test_copies_know_where_their_own_weights_are() -> None:
    agent = dqn_agent()
    board = evolve.Board.start()
    wanted = agent.analyse(board).values
    copies = [copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
    assert len({net.address for one in (agent, *copies) for net in one.networks}) == 3
    del agent
    assert not [one for one in copies if one.analyse(board).values != wanted]


def test_a_network_that_says_nothing_of_use_plays_a_legal_move() -> None:
    layers = ("dense 64", *["gate"] * 12, "dense 64")
    network = networks.random_network(networks.Architecture("canonical", layers), scale=1e6)
    agent = DqnAgent((network,))
    assert not [board for board in ends(10, 30) if agent.choose(board) not in board.legal_moves()]


def test_each_colour_has_its_network() -> None:
    first, second = (networks.random_network(networks.DUELING, seed) for seed in (0, 1))
    both = DqnAgent((first, second))
    assert [both.choose(board) for board in ends(10, 40)] == [
        DqnAgent(((first if board.side == "black" else second),)).choose(board)
        for board in ends(10, 40)
    ]


@pytest.mark.parametrize("board", ends(10, 30))
def test_moves_are_ranked_by_what_the_network_says(board: Board) -> None:
    agent = dqn_agent()
    said = networks.outputs(agent.networks[0], np.array([(board.own, board.opp)], np.uint64))[0]
    analysis = agent.analyse(board)
    assert [*analysis.values] == sorted(board.legal_moves(), key=lambda move: -said[move])
    assert analysis.line == (agent.choose(board),)
    assert agent.choose_counted(board) == (agent.choose(board), 1)


@pytest.mark.parametrize("board", ends(3, 30))
def test_each_ply_ahead_looks_at_more_positions(board: Board) -> None:
    agent = dqn_agent()
    nodes = [replace(agent, lookahead=plies).choose_counted(board)[1] for plies in range(4)]
    assert nodes == sorted({*nodes})
