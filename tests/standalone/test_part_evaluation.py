"""What exported files value positions by: every term, and weights of any size."""

from __future__ import annotations

import random
from typing import Any

import pytest

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.search.genes import TERM_NAMES
from tests import reference
from tests.standalone import boards_with_choice, exported, random_agent, square_chosen


@pytest.mark.parametrize("term", ["weights", *TERM_NAMES])
def test_same_moves_with_a_single_term(term: str) -> None:
    rng = random.Random(term)
    values: dict[str, Any] = {"weights": [[0] * 10], term: [rng.choice((-3, 7))]}
    if term == "weights":
        values = {"weights": [list(range(10))]}
    agent = AlphaBetaAgent(depths=[2], **values)
    module = exported(agent)
    boards = boards_with_choice(rng, 30)
    assert [square_chosen(module, board) for board in boards] == [
        agent.choose(board) for board in boards
    ]


@pytest.mark.parametrize("phase", [0, 1])
def test_many_boards_at_once_are_worth_what_each_of_them_is(phase: int) -> None:
    rng = random.Random(9)
    agent = random_agent(rng, "standard", [2, 2], 4)
    module = exported(agent)
    boards = [board for board in boards_with_choice(rng, 20) if not board.is_over()]
    words = [board.own | board.opp << 64 for board in boards]
    evaluation = module.Evaluation(phase)
    values, _, _ = evaluation.of_boards(
        words,
        [evaluation.square_sum(word) for word in words],
        [evaluation.corner_value[word & module.CORNER_AREA] for word in words],
        0,
        module.WIDTHS[len(words)],
    )
    terms = [agent.terms[name][phase] for name in TERM_NAMES]
    weights = [*agent.weights[phase], *terms]
    assert values == [reference.evaluate(b.own, b.opp, weights) for b in boards]
