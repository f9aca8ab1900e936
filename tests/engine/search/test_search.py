"""Alpha-beta against plain minimax: values, moves, windows, budgets, node counts.

And deepening with a table: the same moves and values as the plain search.
"""

from __future__ import annotations

import itertools
import random
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.engine.search.search import INFINITY
from tests import reference
from tests.engine import (
    FULL_WEIGHTS,
    RULES,
    Engine,
    any_boards,
    check_budgets,
    check_fail_soft,
    passes,
    random_weights,
    reachable_boards,
    seeds,
    weights_of_any_sign,
)
from tests.reference import REVERSED, STANDARD, START, WIN, Board, parse

PASS_AT_ROOT = parse("XO-" + "-" * 61, "O")
"""O to move has no move, X takes c1: a pass, a move, and the end by wipe-out."""


def check_against_minimax(
    board: Board, depth: int, weights: tuple[int, ...], rules: int, engine: Engine | None = None
) -> None:
    """The value, and at the root the chosen move and its value."""
    engine = engine or Engine(rules, weights)
    own, opp = board
    moves = reference.legal_moves(own, opp)
    if depth == 0 or not moves:
        expected = reference.minimax(own, opp, depth, weights, rules)
    else:
        values = reference.move_values(own, opp, depth, weights, rules)
        square, expected = reference.best_of(values)
        assert engine.best_move(board, depth) == (square, expected)
    assert engine.search(board, depth) == expected


@settings(max_examples=150, deadline=None, derandomize=True)
@given(any_boards, weights_of_any_sign, st.integers(0, 1), st.sampled_from(RULES))
def test_depth_0_and_1(board: Board, weights: tuple[int, ...], depth: int, rules: int) -> None:
    check_against_minimax(board, depth, weights, rules)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("depth", "count", "low", "high"),
    [
        (2, 12, 1, 60),
        (3, 2, 20, 55),
        (3, 4, 1, 14),
        pytest.param(4, 1, 53, 56, marks=pytest.mark.slow),
        (4, 2, 4, 10),
        (5, 3, 3, 8),
        (7, 3, 2, 7),
    ],
)
def test_depth_2_and_more(rules: int, depth: int, count: int, low: int, high: int) -> None:
    """In the middle, and near the end, where games finish and sides pass inside the tree."""
    rng = random.Random(100 * depth + rules)
    for board in reference.random_boards(rng, count, low, high):
        check_against_minimax(board, depth, random_weights(rng), rules)


@pytest.mark.parametrize("rules", RULES)
def test_passes_at_the_root_and_after_it(rules: int) -> None:
    """Positions where the side to move passes, and those one move before."""
    rng = random.Random(21 + rules)
    for before, board in islice(passes(rng), 15):
        weights = random_weights(rng)
        for at, depth in [*((board, depth) for depth in range(4)), (before, 1), (before, 2)]:
            check_against_minimax(at, depth, weights, rules)


@pytest.mark.parametrize("rules", RULES)
def test_finished_games_at_any_depth(rules: int) -> None:
    engine, found, expected = Engine(rules), [], []
    ends = ["X" * 64, "-" * 64, "X" * 40 + "O" * 24, "X" * 9 + "-" * 55]
    for cells, side, depth in itertools.product(ends, "XO", range(5)):
        board = parse(cells, side)
        found.append((engine.search(board, depth), engine.nodes))
        expected.append((reference.final_score(*board, rules) * WIN, 1))
    assert found == expected


def test_ties_go_to_the_lowest_square() -> None:
    """With no weights all moves are equal until the end; with one weight most are."""
    rng = random.Random(22)
    boards = reference.random_boards(rng, 20, 12, 60)
    boards = [board for board in boards if reference.legal_moves(*board)]
    engines = [Engine(rules, (0,) * reference.TERMS) for rules in RULES]
    cases = [*itertools.product(engines, boards, range(1, 6))]
    assert [engine.best_move(board, depth) for engine, board, depth in cases] == [
        (reference.legal_moves(*board)[0], 0) for _, board, _ in cases
    ]
    for board in reference.random_boards(rng, 10, 1, 60):
        weights = [0] * reference.TERMS
        weights[rng.randrange(reference.TERMS)] = rng.choice((-1, 1))
        check_against_minimax(board, 2, tuple(weights), rng.choice(RULES))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(reachable_boards, weights_of_any_sign, st.integers(0, 5), st.sampled_from(RULES), seeds)
def test_windows(board: Board, weights: tuple[int, ...], depth: int, rules: int, seed: int) -> None:
    """The whole window's value is minimax (above); here all others against it."""
    rng = random.Random(seed)
    engine = Engine(rules, weights)
    exact = engine.search(board, depth)
    assert engine.search(board, depth, -64 * WIN - 1, 64 * WIN + 1) == exact
    spread = rng.choice((3, 30, 300, 70 * WIN))
    windows = [(exact - 1, exact), (exact, exact + 1), (exact - 1, exact + 1)]
    windows += [(exact - spread, exact + spread), (-INFINITY, exact), (exact, INFINITY)]
    for _ in range(6):
        alpha = exact + rng.randint(-spread, spread)
        windows.append((alpha, alpha + rng.choice((1, 2, spread))))
    for alpha, beta in windows:
        check_fail_soft(engine.search(board, depth, alpha, beta), alpha, beta, exact)


def minimax_nodes(own: int, opp: int, depth: int) -> int:
    """Positions that a search without cut-offs enters, leaves included; a pass is one more."""
    moves = reference.legal_moves(own, opp)
    if depth == 0 or reference.is_over(own, opp):
        return 1
    if not moves:
        return 1 + minimax_nodes(opp, own, depth)
    return 1 + sum(minimax_nodes(*reference.play(own, opp, square), depth - 1) for square in moves)


def test_nodes_of_shallow_searches() -> None:
    """Up to depth 1 nothing can be cut off; deeper no more is entered than minimax enters."""
    engine, nodes, whole = Engine(STANDARD), [], []
    for board in reference.random_boards(random.Random(24), 40, 1, 55):
        for depth in (0, 1, 2):
            engine.search(board, depth)
            nodes.append(engine.nodes)
            whole.append(minimax_nodes(*board, depth))
    assert [nodes[0::3], nodes[1::3]] == [whole[0::3], whole[1::3]]
    assert (np.array(nodes) <= whole).all()
    assert engine.search(PASS_AT_ROOT, 3) == -64 * WIN
    assert engine.nodes == 3


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("depth", range(6))
def test_budget(depth: int, rules: int) -> None:
    rng = random.Random(depth)
    for board in reference.random_boards(rng, 8, 3, 50):
        engine = Engine(rules, random_weights(rng))
        check_budgets(engine, lambda e=engine, b=board: e.search(b, depth))
        if depth and reference.legal_moves(*board):
            check_budgets(engine, lambda e=engine, b=board: e.best_move(b, depth))


def test_nodes_do_not_depend_on_the_past() -> None:
    """The same search counts the same, whatever its context has been used for."""
    boards = reference.random_boards(random.Random(26), 20, 4, 45)
    boards = [board for board in boards if reference.legal_moves(*board)]
    used = Engine(STANDARD)
    found, expected = [], []
    for depth in (1, 2, 3, 4, 6):
        for board in boards + boards[::-1]:
            fresh = Engine(STANDARD)
            expected.append((fresh.best_move(board, depth), fresh.nodes))
            found.append((used.best_move(board, depth), used.nodes))
            if reference.empties(*board) < 12:
                used.solve_move(board)
    assert found == expected


@pytest.mark.parametrize(("rules", "pinned"), [(STANDARD, 293090), (REVERSED, 496399)])
def test_bench(rules: int, pinned: int) -> None:
    """The nodes of a fixed set of searches: a change of behaviour must change this figure."""
    engine, nodes = Engine(rules, FULL_WEIGHTS), 0
    for board in [START, *reference.random_boards(random.Random(2024), 48, 8, 54)]:
        if reference.legal_moves(*board):
            engine.best_move(board, 6)
            nodes += engine.nodes
    assert nodes == pinned


# --- deepening ---


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(
    ("depth", "empties"), [(4, (1, 55)), (5, (1, 55)), (8, (2, 50)), (9, (9, 30))]
)
@pytest.mark.parametrize("bits", [1, 12])
def test_same_move_and_value(rules: int, depth: int, empties: tuple[int, int], bits: int) -> None:
    """With a table of one bucket pair or of many, used anew for every position."""
    rng = random.Random(31 * depth + rules)
    boards = reference.random_boards(rng, 3 if depth >= 8 else 40, *empties)
    found, expected = [], []
    for board in boards:
        if reference.legal_moves(*board):
            engine = Engine(rules, random_weights(rng), table_bits=bits)
            expected.append([engine.best_move(board, depth)] * 2)
            found.append([engine.deep_move(board, depth) for _ in range(2)])
    assert found == expected


@pytest.mark.parametrize("rules", RULES)
def test_what_the_table_holds_of_other_weights_does_not_count(rules: int) -> None:
    rng = random.Random(77 + rules)
    engine = Engine(rules, table_bits=12)
    found, expected = [], []
    for board in reference.random_boards(rng, 12, 20, 45):
        for _ in range(2):
            engine.set_weights(random_weights(rng))
            found.append(engine.deep_move(board, 6))
            expected.append(engine.best_move(board, 6))
    assert found == expected


def test_fewer_nodes_than_the_plain_search() -> None:
    engine = Engine(STANDARD, table_bits=14)
    plain = deep = 0
    for board in reference.random_boards(random.Random(5), 8, 24, 40):
        engine.best_move(board, 8)
        plain += engine.nodes
        engine.deep_move(board, 8)
        deep += engine.nodes
    assert deep < plain


@pytest.mark.parametrize("rules", RULES)
def test_budget_of_deepening(rules: int) -> None:
    for board in reference.random_boards(random.Random(13 + rules), 4, 20, 45):
        engine = Engine(rules)
        check_budgets(engine, lambda e=engine, b=board: e.deep_move(b, 6))
        assert engine.best_move(board, 4) == Engine(rules).best_move(board, 4)
