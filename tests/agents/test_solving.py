"""Exact values for Python, at passes and ends as well."""

from __future__ import annotations

import random

import pytest

from evolve.agents.analysis import solve
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS, Rules
from tests import reference


@pytest.mark.parametrize("rules", RULE_SETS)
def test_as_trying_everything(rules: Rules) -> None:
    rng, code, seen = random.Random(4), RULE_SETS[rules].code, set()
    ends = [reference.random_game(rng)[1][-1] for _ in range(5)]
    for own, opp in (*ends, *reference.random_boards(rng, 60, 1, 7)):
        board = Board(own, opp)
        square, score, nodes = solve(board, rules)
        assert score == reference.exact(own, opp, code)
        if board.is_over():
            assert (square, nodes) == (None, 0)
        elif board.legal_moves():
            assert square == reference.best_of(reference.exact_values(own, opp, code))[0]
            assert nodes > 0
        else:
            assert square == PASS
        seen.add("end" if square is None else "pass" if square == PASS else "move")
    assert seen == {"end", "pass", "move"}


def test_nodes_repeat_whatever_was_solved_before() -> None:
    boards = [Board(*board) for board in reference.random_boards(random.Random(5), 6, 9, 11)]
    found = [solve(board) for board in boards]
    assert [solve(board) for board in boards[::-1]] == found[::-1]
