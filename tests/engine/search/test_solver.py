"""The exact solver against brute force, an independent alpha-beta and the FFO positions."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.engine.search import context as layout
from tests import reference
from tests.engine import RULES, Engine, check_budgets, check_fail_soft, scattered_boards, seeds
from tests.reference import REVERSED, STANDARD, Board, parse, square_of

MANY_BITS = 16
"""Table for the long ones; games use layout.GAME_TABLE_BITS."""


def few_empties(seed: int, empties: int) -> Board:
    (board,) = reference.random_boards(random.Random(seed), 1, empties, empties)
    return board


late_boards = st.builds(few_empties, seeds, st.integers(1, 7))
crowded_boards = scattered_boards.filter(lambda board: reference.empties(*board) <= 7)


def check_solver(board: Board, rules: int, engine: Engine | None = None) -> None:
    """Score by `solve_deep`, and move and score by `solve_move` where there is a move."""
    engine = engine or Engine(rules)
    score = reference.exact(*board, rules)
    assert engine.solve_deep(board) == score
    if reference.legal_moves(*board):
        best = reference.best_of(reference.exact_values(*board, rules))
        assert engine.solve_move(board) == best


@settings(max_examples=180, deadline=None, derandomize=True)
@given(st.one_of(late_boards, crowded_boards), st.sampled_from(RULES))
def test_brute_force(board: Board, rules: int) -> None:
    """Also on boards out of reach: full ones, wipe-outs, long strings of passes."""
    check_solver(board, rules)


@pytest.mark.parametrize("rules", RULES)
def test_one_sided_boards(rules: int) -> None:
    """Boards where one side has next to nothing: scores at the limits that stable discs set."""
    rng, engine, at_limit = random.Random(32 + rules), Engine(rules), 0
    shares = (0.03, 0.9, 0.95, 0.98)
    boards = [reference.scattered_board(rng, 0.1, rng.choice(shares)) for _ in range(200)]
    for own, opp in boards:
        if 6 <= reference.empties(own, opp) <= 8:
            score = reference.exact(own, opp, rules)
            check_solver((own, opp), rules, engine)
            check_windows(engine, (own, opp), score, rng)
            at_limit += score == 64 - 2 * reference.stable(opp, own).bit_count()
    assert at_limit > 10 or rules == REVERSED


def test_independent_alpha_beta() -> None:
    """Nine and ten empties, every move's score, in a table that is far too small. Other programs
    have such scores by standard rules alone: see `test_ffo`."""
    engine, found, expected = Engine(REVERSED, table_bits=2), [], []
    for board in reference.random_boards(random.Random(36), 2, 9, 10):
        children = {move: reference.play(*board, move) for move in reference.legal_moves(*board)}
        values = {m: -reference.exact_alpha_beta(*one, REVERSED) for m, one in children.items()}
        solved = {move: -engine.solve_deep(one) for move, one in children.items()}
        found.append((solved, engine.solve_move(board)))
        expected.append((values, reference.best_of(values)))
    assert found == expected


@pytest.mark.parametrize("rules", RULES)
def test_finished_games(rules: int) -> None:
    """Any number of empties, also those where the last squares are nobody's."""
    engine = Engine(rules)
    numbers = [
        (64, 0, 0), (0, 0, 64), (40, 24, 0), (63, 0, 1), (0, 63, 1), (59, 0, 5), (0, 58, 6),
        (24, 16, 24), (9, 0, 55),
    ]  # fmt: skip
    boards = ["X" * black + "-" * empty + "O" * white for black, white, empty in numbers]
    ends = [parse(cells, side) for cells in boards for side in "XO"]
    scores = [reference.final_score(*board, rules) for board in ends]
    assert [engine.solve_deep(board) for board in ends] == scores
    # A game won by taking the last disc: 64 standard; reversed, the discs themselves.
    board, score = parse("XO-" + "-" * 61, "X"), -3 if rules == REVERSED else 64
    assert engine.solve_move(board) == (2, score)
    assert engine.solve_deep(board) == score
    assert engine.solve_deep(board[::-1]) == -score


def check_windows(engine: Engine, board: Board, exact: int, rng: random.Random) -> None:
    """Fail-soft: a value ≤ alpha is an upper bound, one ≥ beta a lower bound, else exact."""
    windows = [(exact - 1, exact), (exact, exact + 1), (exact - 1, exact + 1), (-65, 65)]
    for _ in range(8):
        alpha = rng.randint(-65, 64)
        windows.append((alpha, rng.choice((alpha + 1, alpha + 2, rng.randint(alpha + 1, 65)))))
    rng.shuffle(windows)
    for alpha, beta in windows:
        value = engine.solve_deep(board, alpha, beta)
        assert -64 <= value <= 64
        check_fail_soft(value, alpha, beta, exact)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(late_boards, st.sampled_from(RULES), seeds)
def test_windows(board: Board, rules: int, seed: int) -> None:
    check_windows(Engine(rules), board, reference.exact(*board, rules), random.Random(seed))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("table_bits", [1, 3, layout.GAME_TABLE_BITS])
def test_windows_with_a_table(rules: int, table_bits: int) -> None:
    """Bounds that one window leaves in the table must not mislead the next one."""
    rng = random.Random(39 + rules)
    for board in reference.random_boards(rng, 12, 9, 13):
        exact = Engine(rules, table_bits=MANY_BITS).solve_deep(board)
        check_windows(Engine(rules, table_bits=table_bits), board, exact, rng)


@pytest.mark.parametrize("rules", RULES)
def test_lowest_square_of_ties(rules: int) -> None:
    """At twelve empties: the chosen square is the lowest whose score is the best."""
    engine, found, expected, ties = Engine(rules), [], [], 0
    for board in reference.random_boards(random.Random(45 + rules), 60, 8, 12):
        moves = reference.legal_moves(*board)
        values = {move: -engine.solve_deep(reference.play(*board, move)) for move in moves}
        if values:
            ties += [*values.values()].count(max(values.values())) > 1
            found.append(engine.solve_move(board))
            expected.append(reference.best_of(values))
    assert found == expected
    assert ties > 10


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("empties", [1, 4, 6, 8, 9, 11])
def test_budget(rules: int, empties: int) -> None:
    rng = random.Random(100 * empties + rules)
    for board in reference.random_boards(rng, 4, empties, empties):
        engine = Engine(rules)
        check_budgets(engine, lambda e=engine, b=board: (e.forget(), e.solve_deep(b))[1])
        score, engine.budget = engine.solve_deep(board), 1 + engine.nodes // 2
        engine.forget()
        engine.solve_deep(board)
        engine.budget = 0
        assert engine.solve_deep(board) == score, "a stopped search leaves no wrong bounds"
        if reference.legal_moves(*board):
            check_budgets(engine, lambda e=engine, b=board: e.solve_move(b))


@pytest.mark.parametrize("rules", RULES)
def test_nodes_do_not_depend_on_the_past(rules: int) -> None:
    """The same position costs the same nodes, whatever the table holds from before."""
    boards = reference.random_boards(random.Random(47 + rules), 25, 9, 13)
    boards = [board for board in boards if reference.legal_moves(*board)]
    used, found, expected = Engine(rules), [], []
    for board in boards + boards[::-1]:
        fresh = Engine(rules)
        expected.append((fresh.solve_move(board), fresh.nodes))
        found.append((used.solve_move(board), used.nodes))
        used.best_move(board, 4)
        used.budget = 50
        used.solve_move(board)
        used.budget = 0
    assert found == expected


def ffo_positions() -> list[Any]:
    """The endgame test of the Fédération Française d'Othello: position, and scores by square.

    In the file a line has number, cells and side to move, the next one the score of every move as
    edax's problem files give them. Number 40 has that of its best move alone: at 20 empties its
    other moves take longer than all positions above.
    """
    lines = Path(__file__).with_name("ffo.txt").read_text().splitlines()
    positions = []
    for place, moves in zip(lines[::2], lines[1::2], strict=True):
        number, cells, side = place.split()
        scores = {square_of(move[:2]): int(move[3:]) for move in moves.split()}
        marks = [pytest.mark.slow] if number == "40" else []
        positions.append(pytest.param(parse(cells, side), scores, id=number, marks=marks))
    return positions


@pytest.mark.parametrize(("board", "scores"), ffo_positions())
def test_ffo(board: Board, scores: dict[int, int]) -> None:
    engine = Engine(STANDARD, table_bits=MANY_BITS)
    assert engine.solve_move(board) == reference.best_of(scores)
    if len(scores) > 1:
        children = {move: reference.play(*board, move) for move in reference.legal_moves(*board)}
        assert {move: -engine.solve_deep(child) for move, child in children.items()} == scores


@pytest.mark.parametrize(("rules", "pinned"), [(STANDARD, 1166291), (REVERSED, 1992221)])
def test_bench(rules: int, pinned: int) -> None:
    """The nodes of a fixed set of positions: a change of behaviour must change this figure."""
    engine, nodes = Engine(rules), 0
    for board in reference.random_boards(random.Random(2025), 30, 10, 14):
        if reference.legal_moves(*board):
            engine.solve_move(board)
            nodes += engine.nodes
    assert nodes == pinned


@pytest.mark.parametrize("rules", RULES)
def test_hints_change_no_score_and_save_nodes(rules: int) -> None:
    """The table of another context is asked for moves, and for nothing else."""
    scores, nodes = list[list[int]](), [0, 0]
    for board in reference.random_boards(random.Random(72), 12, 13, 13):
        hinting, hinted = Engine(rules, table_bits=MANY_BITS), Engine(rules)
        scores.append([hinting.solve_deep(board)])
        for run, hints in enumerate((0, hinting.address)):
            hinted.forget()
            hinted.cells[layout.HINTS] = hints
            scores[-1].append(hinted.solve_deep(board))
            nodes[run] += hinted.nodes
    assert all(len(set(found)) == 1 for found in scores)
    assert nodes[1] < nodes[0]


@pytest.mark.parametrize("rules", RULES)
def test_outcome(rules: int) -> None:
    """Won, drawn or lost as the exact score says, and the move tried first where it is enough.

    Where it is stopped it leaves that move only when it has refuted it.
    """
    rng, engine = random.Random(71 + rules), Engine(rules)
    seen, left = set(), 0
    for board in reference.random_boards(rng, 60, 6, 7):
        if not reference.legal_moves(*board):
            continue
        values = reference.exact_values(*board, rules)
        best, first = max(values.values()), rng.choice(list(values))
        square, bound = engine.solve_outcome(board, first)
        assert np.sign(bound) == np.sign(best)
        enough = [s for s, value in values.items() if value >= min(best, 1)] if bound >= 0 else [-1]
        assert square == first if first in enough else square in enough
        seen.add(int(np.sign(best)))
        if engine.nodes > 1:
            limited = Engine(rules, budget=engine.nodes // 2)
            square, _ = limited.solve_outcome(board, first)
            assert limited.stopped
            assert square == first or (square in values and values[first] < 0)
            left += square != first
    assert seen == {-1, 0, 1}
    assert left > 0
