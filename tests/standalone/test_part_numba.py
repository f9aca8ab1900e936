"""Exported files that compile their search: the same moves, before and after and without numba."""

from __future__ import annotations

import ast
import random
import time
from dataclasses import replace
from typing import Any

import pytest

from evolve.engine.board.rules import Rules
from tests.standalone import (
    RULES,
    boards_with_choice,
    compiled,
    load,
    random_agent,
    square_chosen,
    text_of,
)


@pytest.fixture(scope="module")
def compiler() -> Any:
    """The search that a file compiled, for all: it knows nothing of the agent."""
    made = load(text_of(random_agent(random.Random(34), "reversed", [3], 6), numba=True)).COMPILER
    made.work()
    return made


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
def test_the_compiled_search_plays_the_same_moves(rules: Rules, compiler: Any) -> None:
    rng = random.Random(31)
    agent = random_agent(rng, rules, [4, 2, 5], 12)
    small = replace(agent, weights=[[0] * 10, [1] * 10, [0, 1] * 5])  # ties
    modules = [compiled(one, compiler) for one in (agent, small)]
    boards = boards_with_choice(rng, 60)
    found = [[square_chosen(module, board) for board in boards] for module in modules]
    assert found == [[one.choose(board) for board in boards] for one in (agent, small)]


@pytest.mark.clock
def test_the_compiled_search_stops_in_time_with_a_legal_move(compiler: Any) -> None:
    """A contest ends the game of who takes longer, so there is no tolerance."""
    module = compiled(random_agent(random.Random(32), "standard", [40], 60), compiler)
    for board in boards_with_choice(random.Random(33), 3, 4, 30):
        begin = time.perf_counter()
        square = square_chosen(module, board, 0.5)
        assert time.perf_counter() - begin < 0.5
        assert square in board.legal_moves()


def test_the_part_with_numba_keeps_the_rules_of_the_file() -> None:
    text = text_of(random_agent(random.Random(38), "standard", [3], 6), numba=True)
    assert "import os" not in text
    ast.parse(text, feature_version=(3, 7))
    assert "numba" not in text_of(random_agent(random.Random(38), "standard", [3], 6))
