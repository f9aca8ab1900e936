"""Deepening with a table: the same moves and values as the plain search."""

from __future__ import annotations

import random

import pytest

from evolve.engine import context as layout
from evolve.engine.deepening import best_move_deep
from tests import reference
from tests.engine import RULES, Engine, U, random_weights
from tests.reference import Board


def deep_move(engine: Engine, board: Board, depth: int) -> tuple[int, int]:
    engine.cells[layout.NODES] = engine.cells[layout.STOPPED] = 0
    square, value = best_move_deep(U(board[0]), U(board[1]), depth, engine.address)
    return int(square), int(value)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("depth", "empties"), [(4, (1, 55)), (5, (1, 55)), (8, (2, 50)), (9, (9, 30))]
)
def test_same_move_and_value(rules: int, depth: int, empties: tuple[int, int]) -> None:
    """With a table of one bucket pair or of many, used anew for every position."""
    rng = random.Random(31 * depth + rules)
    boards = reference.random_boards(rng, 6 if depth >= 8 else 40, *empties)
    for bits in (1, 12):
        for board in boards:
            if reference.legal_moves(*board):
                engine = Engine(rules, random_weights(rng), table_bits=bits)
                expected = engine.best_move(board, depth)
                for _ in range(2):
                    assert deep_move(engine, board, depth) == expected


@pytest.mark.parametrize("rules", RULES)
def test_what_the_table_holds_of_other_weights_does_not_count(rules: int) -> None:
    rng = random.Random(77 + rules)
    engine = Engine(rules, table_bits=12)
    for board in reference.random_boards(rng, 12, 20, 45):
        for _ in range(2):
            engine.set_weights(random_weights(rng))
            assert deep_move(engine, board, 6) == engine.best_move(board, 6)


def test_fewer_nodes_than_the_plain_search() -> None:
    rng = random.Random(5)
    engine = Engine(reference.STANDARD, table_bits=14)
    plain = deep = 0
    for board in reference.random_boards(rng, 8, 24, 40):
        engine.best_move(board, 8)
        plain += engine.nodes
        deep_move(engine, board, 8)
        deep += engine.nodes
    assert deep < plain


@pytest.mark.parametrize("rules", RULES)
def test_budget(rules: int) -> None:
    rng = random.Random(13 + rules)
    for board in reference.random_boards(rng, 4, 20, 45):
        engine = Engine(rules)
        answer = deep_move(engine, board, 6)
        needed = engine.nodes
        for budget in (1, needed // 2, needed - 1, needed):
            engine.budget = budget
            limited = deep_move(engine, board, 6)
            assert engine.stopped == (needed > budget)
            assert engine.nodes == min(needed, budget)
            assert limited == answer if not engine.stopped else limited[0] == -1
            engine.budget = 0
            assert engine.best_move(board, 4) == Engine(rules).best_move(board, 4)
