"""Agents with weights: phases, parameters that make none, and values that agree with the choice."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import pytest

import evolve
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.errors import AgentError
from tests import reference
from tests.agents.conftest import boards, sample_agent


def test_phase_depth_and_weights_change_at_the_boundaries() -> None:
    agent = evolve.AlphaBetaAgent([[1] * 10, [2] * 10], depths=[1, 2], boundaries=[10])
    phases = [agent.cells[1 + discs] for discs in (4, 9, 10, 64)]
    assert phases == [0, 0, 1, 1]


def test_default_boundaries_divide_the_game_evenly() -> None:
    agent = evolve.AlphaBetaAgent([[0] * 10] * 3)
    edges = [4, *agent.boundaries, 65]
    lengths = [high - low for low, high in pairwise(edges)]
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"weights": [[1] * 9]}, "10 numbers"),
        ({"weights": []}, "0 phases"),
        ({"weights": [[1] * 10] * 62}, "62 phases"),
        ({"weights": [[0.5] * 10]}, "0.5"),
        ({"weights": [[True] * 10]}, "True"),
        ({"weights": "abc"}, "weights"),
        ({"mobility": [1, 2]}, "mobility"),
        ({"depths": [0]}, "depths"),
        ({"depths": [61]}, "depths"),
        ({"boundaries": [10]}, "boundaries"),
        ({"weights": [[20_000] * 10]}, "1048576"),
        ({"rules": "freestyle"}, "freestyle"),
    ],
)
def test_bad_parameters_are_named(changes: dict[str, Any], words: str) -> None:
    parameters: dict[str, Any] = {"weights": [[1] * 10], **changes}
    with pytest.raises((AgentError, ValueError), match=words):
        evolve.AlphaBetaAgent(**parameters)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_values_near_the_end_are_the_scores_of_the_rules(rules: Rules) -> None:
    agent, code = evolve.AlphaBetaAgent([[0] * 10], endgame=10, rules=rules), RULE_SETS[rules].code
    found = [agent.analyse(board).values for board in boards(3, 10, 6)]
    assert found == [reference.exact_values(b.own, b.opp, code) for b in boards(3, 10, 6)]


def test_at_changes_depth_and_endgame_in_every_phase() -> None:
    agent = sample_agent().at(depth=1, endgame=0)
    assert agent.depths == (1, 1, 1)
    assert agent.endgame == 0
    assert sample_agent().at() == sample_agent()


def test_exact_values_do_not_depend_on_what_was_solved_before() -> None:
    agents = [replace(sample_agent(), endgame=12, rules=rules) for rules in RULE_SETS]
    (board,) = boards(3, 1, 12)
    expected, found = {agent: agent.analyse(board) for agent in agents}, []
    for agent, other in product(agents, agents):
        other.choose(board)
        found.append(agent.analyse(board) == expected[agent])
    assert all(found)
