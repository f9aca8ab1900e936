"""The exact solver against brute force, an independent alpha-beta and the FFO positions."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.engine.search import context as layout
from tests import reference
from tests.engine import (
    RULES,
    Engine,
    check_budgets,
    check_fail_soft,
    passes,
    scattered_boards,
    seeds,
)
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


@settings(max_examples=80, deadline=None, derandomize=True)
@given(late_boards, st.sampled_from(RULES))
def test_brute_force_in_games(board: Board, rules: int) -> None:
    check_solver(board, rules)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(crowded_boards, st.sampled_from(RULES))
def test_brute_force_on_crowded_boards(board: Board, rules: int) -> None:
    """Boards out of reach: full ones, wipe-outs, long strings of passes."""
    check_solver(board, rules)


@pytest.mark.parametrize("rules", RULES)
def test_one_sided_boards(rules: int) -> None:
    """Boards where one side has next to nothing: scores at the limits that stable discs set."""
    rng = random.Random(32 + rules)
    engine = Engine(rules)
    boards = [
        reference.scattered_board(rng, 0.1, rng.choice((0.03, 0.9, 0.95, 0.98))) for _ in range(200)
    ]
    at_limit = 0
    for own, opp in boards:
        if 6 <= reference.empties(own, opp) <= 8:
            score = reference.exact(own, opp, rules)
            check_solver((own, opp), rules, engine)
            check_windows(engine, (own, opp), score, rng)
            at_limit += score == 64 - 2 * reference.stable(opp, own).bit_count()
    assert at_limit > 10 or rules == REVERSED


@pytest.mark.parametrize("rules", RULES)
def test_independent_alpha_beta(rules: int) -> None:
    """Ten and eleven empties, every move's score, in a table that is far too small."""
    rng = random.Random(35 + rules)
    engine = Engine(rules, table_bits=2)
    for board in reference.random_boards(rng, 2, 10, 11):
        values = {
            square: -reference.exact_alpha_beta(*reference.play(*board, square), rules)
            for square in reference.legal_moves(*board)
        }
        for square, score in values.items():
            assert -engine.solve_deep(reference.play(*board, square)) == score
        if values:
            assert engine.solve_move(board) == reference.best_of(values)


@pytest.mark.parametrize("rules", RULES)
def test_passes(rules: int) -> None:
    """Positions where the side to move passes, and those one move before."""
    late = (pair for pair in passes(random.Random(37 + rules)) if reference.empties(*pair[1]) <= 7)
    for pair in islice(late, 20):
        for board in pair:
            check_solver(board, rules)


@pytest.mark.parametrize("rules", RULES)
def test_finished_games(rules: int) -> None:
    """Any number of empties, also those where the last squares are nobody's."""
    engine = Engine(rules)
    boards = [
        "X" * 64,
        "-" * 64,
        "X" * 40 + "O" * 24,
        "X" * 63 + "-",
        "O" * 63 + "-",
        "X" * 59 + "-" * 5,
        "O" * 58 + "-" * 6,
        "X" * 24 + "-" * 24 + "O" * 16,
        "X" * 9 + "-" * 55,
    ]
    ends = [parse(cells, side) for cells in boards for side in "XO"]
    scores = [reference.final_score(*board, rules) for board in ends]
    assert [engine.solve_deep(board) for board in ends] == scores


@pytest.mark.parametrize(("rules", "score"), [(STANDARD, 64), (REVERSED, -3)])
def test_wipe_outs(rules: int, score: int) -> None:
    """A game won by taking the last disc: 64 standard; reversed, the discs themselves."""
    board = parse("XO-" + "-" * 61, "X")
    engine = Engine(rules)
    assert engine.solve_move(board) == (2, score)
    assert engine.solve_deep(board) == score
    assert engine.solve_deep((board[1], board[0])) == -score


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
    rng = random.Random(seed)
    check_windows(Engine(rules), board, reference.exact(*board, rules), rng)


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
    rng = random.Random(45 + rules)
    engine = Engine(rules)
    found, expected, ties = [], [], 0
    for board in reference.random_boards(rng, 60, 8, 12):
        values = {
            square: -engine.solve_deep(reference.play(*board, square))
            for square in reference.legal_moves(*board)
        }
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
    rng = random.Random(47 + rules)
    boards = reference.random_boards(rng, 25, 9, 13)
    boards = [board for board in boards if reference.legal_moves(*board)]
    used = Engine(rules)
    found, expected = [], []
    for board in boards + boards[::-1]:
        fresh = Engine(rules)
        expected.append((fresh.solve_move(board), fresh.nodes))
        found.append((used.solve_move(board), used.nodes))
        used.best_move(board, 4)
        used.budget = 50
        used.solve_move(board)
        used.budget = 0
    assert found == expected


def ffo_positions() -> list[tuple[int, Board, dict[int, int]]]:
    """The endgame test of the Fédération Française d'Othello: number, position, scores by square.

    In the file a line has number, cells and side to move, the next one the score of every move as
    edax's problem files give them (of the last position the best alone).
    """
    lines = Path(__file__).with_name("ffo.txt").read_text().splitlines()
    positions = []
    for place, moves in zip(lines[::2], lines[1::2], strict=True):
        number, cells, side = place.split()
        scores = {square_of(move[:2]): int(move[3:]) for move in moves.split()}
        positions.append((int(number), parse(cells, side), scores))
    return positions


@pytest.mark.parametrize(
    ("number", "board", "scores"),
    [
        pytest.param(*one, marks=[pytest.mark.slow] if one[0] == 40 else [])
        for one in ffo_positions()
    ],
)
def test_ffo(number: int, board: Board, scores: dict[int, int]) -> None:
    engine = Engine(STANDARD, table_bits=MANY_BITS)
    assert engine.solve_move(board) == reference.best_of(scores)
    if number == 40:  # 20 empties: its other moves take longer than all positions above
        return
    assert set(scores) == set(reference.legal_moves(*board))
    assert {
        square: -engine.solve_deep(reference.play(*board, square)) for square in scores
    } == scores


@pytest.mark.parametrize(("rules", "pinned"), [(STANDARD, 1166291), (REVERSED, 1992221)])
def test_bench(rules: int, pinned: int) -> None:
    """The nodes of a fixed set of positions: a change of behaviour must change this figure."""
    boards = reference.random_boards(random.Random(2025), 30, 10, 14)
    engine = Engine(rules)
    nodes = 0
    for board in boards:
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
    rng = random.Random(71 + rules)
    engine = Engine(rules)
    seen, left = set(), 0
    for board in reference.random_boards(rng, 60, 6, 7):
        if not reference.legal_moves(*board):
            continue
        values = reference.exact_values(*board, rules)
        best = max(values.values())
        first = rng.choice(list(values))
        square, bound = engine.solve_outcome(board, first)
        assert (bound > 0) - (bound < 0) == (best > 0) - (best < 0)
        if bound < 0:
            assert square == -1
        else:
            enough = [s for s, value in values.items() if value >= min(best, 1)]
            assert square == first if first in enough else square in enough
        seen.add((best > 0) - (best < 0))
        needed = engine.nodes
        bound_engine = Engine(rules, budget=max(1, needed // 2))
        if needed > 1:
            square, _ = bound_engine.solve_outcome(board, first)
            assert bound_engine.stopped
            assert square == first or (square in values and values[first] < 0)
            left += square != first
    assert seen == {-1, 0, 1}
    assert left > 0
