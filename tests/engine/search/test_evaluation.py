"""The evaluation, reached through `search.leaf`, term by term and in sum."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from evolve.engine.board.rules import WIN
from evolve.engine.search import context as layout
from evolve.engine.search import evaluation as terms
from evolve.engine.search.evaluation import CLASS_NAMES, CLASS_OF_SQUARE
from evolve.engine.search.genes import TERM_NAMES
from tests import reference
from tests.engine import (
    FULL_WEIGHTS,
    RULES,
    SWH,
    Engine,
    any_boards,
    reachable_boards,
    weights_of_any_sign,
)
from tests.reference import REVERSED, STANDARD, START, Board, parse

quick = settings(max_examples=150, deadline=None, derandomize=True)

CONTEXTS = {rules: Engine(rules) for rules in RULES}


def kernel_leaf(board: Board, weights: tuple[int, ...], rules: int = STANDARD) -> int:
    engine = CONTEXTS[rules]
    engine.set_weights(weights)
    value = engine.search(board, 0)
    assert engine.nodes == 1
    return value


def single(term: int) -> tuple[int, ...]:
    """Weight 1 for one term alone."""
    return tuple(int(index == term) for index in range(reference.TERMS))


def test_layout() -> None:
    assert len(CLASS_NAMES) + len(TERM_NAMES) == layout.TERMS
    assert reference.TERMS <= layout.TERMS
    assert CLASS_NAMES == reference.CLASSES
    assert tuple(CLASS_OF_SQUARE) == reference.CLASS_OF
    assert WIN == 2**20
    in_order = [getattr(terms, name.upper()) for name in TERM_NAMES]
    assert in_order == [*range(len(CLASS_NAMES), layout.TERMS)]


def test_classes_by_hand() -> None:
    drawn = (
        "0123 3210",
        "1456 6541",
        "2578 8752",
        "3689 9863",
    )
    rows = [row.replace(" ", "") for row in drawn]
    assert "".join(map(str, reference.CLASS_OF)) == "".join(rows + rows[::-1])


@pytest.mark.parametrize("rules", RULES)
@quick
@given(any_boards, weights_of_any_sign)
def test_as_reference(rules: int, board: Board, weights: tuple[int, ...]) -> None:
    own, opp = board
    if reference.is_over(own, opp):
        expected = reference.final_score(own, opp, rules) * WIN
    else:
        expected = reference.evaluate(own, opp, weights)
    assert kernel_leaf(board, weights, rules) == expected
    assert kernel_leaf((opp, own), weights, rules) == -expected


@settings(max_examples=150, deadline=None, derandomize=True)
@given(any_boards)
def test_each_term_as_reference(board: Board) -> None:
    if not reference.is_over(*board):
        values = [kernel_leaf(board, single(term)) for term in range(reference.TERMS)]
        assert values == reference.terms(*board)


@pytest.mark.parametrize("symmetry", range(8))
def test_corner_terms(symmetry: int) -> None:
    """X and C squares count beside empty corners only, each square for its own corner."""
    x, c = single(terms.X_SQUARES), single(terms.C_SQUARES)

    def board(own: str, opp: str, symmetry: int = symmetry) -> Board:
        discs = [
            reference.mask([reference.square_of(name) for name in names.split()]) | start
            for names, start in ((own, START[0]), (opp, START[1]))
        ]
        return (
            reference.transform(discs[0], symmetry),
            reference.transform(discs[1], symmetry),
        )

    assert kernel_leaf(board("b2", ""), x) == 1
    assert kernel_leaf(board("b2 a1", ""), x) == 0
    assert kernel_leaf(board("b2", "a1"), x) == 0
    assert kernel_leaf(board("b2 g7", "b7 a8"), x) == 2
    assert kernel_leaf(board("b2", ""), c) == 0
    assert kernel_leaf(board("a2 b1", ""), c) == 2
    assert kernel_leaf(board("a2 b1", "a7 g8 h7"), c) == -1
    assert kernel_leaf(board("a2 b1 a1", "a7 b8"), c) == -2
    assert kernel_leaf(board("a3 c1 c3 d1", "f6 f8"), x) == 0
    assert kernel_leaf(board("a3 c1 c3 d1", "f6 f8"), c) == 0


def test_by_hand() -> None:
    """After black's d3: white has e5, black d3, d4, e4 and d5."""
    board = reference.play(*START, reference.square_of("d3"))
    assert kernel_leaf(START, FULL_WEIGHTS) == 0
    # Classes d3 and d4 have weights 2 and 1; each side has three moves.
    assert kernel_leaf(board, SWH) == 1 - 3 * 1 - 2
    assert kernel_leaf(board, single(terms.MOBILITY)) == 0
    # Around black's four discs 13 squares are empty, around white's one 5.
    assert kernel_leaf(board, single(terms.POTENTIAL_MOBILITY)) == 13 - 5


SCORES = [
    # cells, black's score under standard and reversed rules
    ("X" * 64, 64, -64),
    ("X" * 32 + "O" * 32, 0, 0),
    ("X" * 40 + "O" * 24, 16, -16),
    ("-" * 64, 0, 0),
    ("X" + "-" * 63, 64, -1),
    ("O" * 13 + "-" * 51, -64, 13),
    ("X" * 24 + "-" * 16 + "O" * 24, 0, 0),
    ("X" * 24 + "-" * 24 + "O" * 16, 32, -8),
    ("X" * 16 + "-" * 24 + "O" * 24, -32, 8),
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("cells", "standard", "reverse"), SCORES)
def test_finished_games(cells: str, standard: int, reverse: int, rules: int) -> None:
    board, score = parse(cells, "X"), {STANDARD: standard, REVERSED: reverse}[rules]
    assert reference.is_over(*board)
    assert reference.final_score(*board, rules) == score
    assert kernel_leaf(board, FULL_WEIGHTS, rules) == score * WIN
    assert kernel_leaf((board[1], board[0]), FULL_WEIGHTS, rules) == -score * WIN


@quick
@given(reachable_boards)
def test_finished_games_beat_any_evaluation(board: Board) -> None:
    """Also with weights far larger than any agent has."""
    weights = (1000,) * reference.TERMS
    if not reference.is_over(*board):
        assert abs(kernel_leaf(board, weights)) < WIN
