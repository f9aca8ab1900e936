"""Agents with weights: phases, parameters that make none, and values that agree with the choice."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import evolve
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.errors import AgentError
from tests.agents.conftest import sample_agent


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
        ({"endgame": 61}, "endgame"),
        ({"endgame": -1}, "endgame"),
        ({"weights": [[20_000] * 10]}, "1048576"),
        ({"rules": "freestyle"}, "freestyle"),
    ],
)
def test_bad_parameters_are_named(changes: dict[str, Any], words: str) -> None:
    parameters: dict[str, Any] = {"weights": [[1] * 10], **changes}
    with pytest.raises((AgentError, ValueError), match=words):
        evolve.AlphaBetaAgent(**parameters)


def test_choose_needs_a_move() -> None:
    over = evolve.Board(own=1, opp=0)
    with pytest.raises(evolve.IllegalMoveError):
        sample_agent().choose(over)


def test_rules_change_what_the_agent_wants() -> None:
    # Black to move, 2 empties: h8 takes all discs that are left, b1 hardly any.
    agent = evolve.AlphaBetaAgent([[0] * 10], endgame=10)
    board = evolve.Board.parse("-" + "O" + "X" * 30 + "O" * 31 + "-", "black")
    values = {
        rules: agent.with_rules(rules).analyse(board).values  # type: ignore[arg-type]
        for rules in ("standard", "reversed")
    }
    ends = {square: board.play(square) for square in board.legal_moves()}
    ends = {square: after for square, after in ends.items() if after.is_over()}
    for_rules = {
        rules: {square: -after.score(rules) for square, after in ends.items()}  # type: ignore[arg-type]
        for rules in values
    }
    assert {rules: {one: of[one] for one in ends} for rules, of in values.items()} == for_rules


def test_at_changes_depth_and_endgame_in_every_phase() -> None:
    agent = sample_agent().at(depth=1, endgame=0)
    assert agent.depths == (1, 1, 1)
    assert agent.endgame == 0
    assert sample_agent().at() == sample_agent()


@pytest.mark.parametrize("rules", RULE_SETS)
def test_exact_values_do_not_depend_on_what_was_solved_before(rules: Rules) -> None:
    agent = replace(sample_agent(), endgame=12)
    board = evolve.Board.start()
    player = evolve.RandomAgent(seed=3)
    while board.empties > 12 or not board.legal_moves():
        board = board.play(player.choose(board)) if board.legal_moves() else board.pass_move()
    expected = {rules: agent.with_rules(rules).analyse(board) for rules in RULE_SETS}
    agent.with_rules(rules).choose(board)
    found = {}
    for other in RULE_SETS:
        found[other] = agent.with_rules(other).analyse(board)
        agent.with_rules(rules).choose(board)
    assert found == expected
