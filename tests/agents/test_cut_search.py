"""Searches with forward cuts by the weights of squares, as limits of time and nodes need them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evolve.agents.agent import Limit
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import table_agent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules
from evolve.engine.search.context import NODES
from evolve.engine.search.genes import TERM_NAMES
from tests import reference


def random_agent(seed: int, rules: Rules) -> AlphaBetaAgent:
    """An agent with three phases and all terms."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(-200, 200, (3, 10)).tolist()
    terms = {name: rng.integers(-60, 60, 3).tolist() for name in TERM_NAMES}
    return AlphaBetaAgent(weights, depths=[1, 1, 1], rules=rules, terms=terms)


def some_boards(seed: int) -> list[Board]:
    """Positions with moves from all parts of the game, and some where the other side must pass."""
    rng = random.Random(seed)
    found = [Board(*board, "black") for board in reference.random_boards(rng, 30, 1, 55)]
    return [board for board in found if board.legal_moves()]


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_without_cuts_values_are_those_of_the_plain_search(rules: Rules) -> None:
    """Near the end too, where sides pass and games end inside of the tree."""
    for seed in range(3):
        agent = random_agent(seed, rules)
        for board in some_boards(seed):
            _, *values = agent.values_by_depth(board, 4)
            for depth, value in enumerate(values, 1):
                assert value == max(agent.at(depth).analyse(board).values.values())


def test_cuts_save_nodes_and_seldom_change_the_move() -> None:
    agent = table_agent("swh").at(7)
    boards = [board for board in some_boards(5) if board.empties > 20]
    plain, few, same = 0, 0, 0
    for board in boards:
        square, nodes = agent.choose_counted(board)
        search = agent._search(board)
        search.prepare()
        search.context[NODES] = 0
        plain += nodes
        same += square == search.deepen(7)[0]
        few += int(search.context[NODES])
    assert few < plain / 3
    assert same > len(boards) / 3


def test_weights_without_meaning_can_be_searched() -> None:
    agent = AlphaBetaAgent([[0] * 10], limit=Limit(nodes=500))
    assert agent.choose(Board.start()) in Board.start().legal_moves()
