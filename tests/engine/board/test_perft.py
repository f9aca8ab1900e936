"""Perft: published counts, and the reference on positions with passes and ends."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.engine.board.bits import perft
from tests import reference
from tests.engine import U, any_boards
from tests.reference import START, Board

COUNTS = {
    0: 1,
    1: 4,
    2: 12,
    3: 56,
    4: 244,
    5: 1_396,
    6: 8_200,
    7: 55_092,
    8: 390_216,
    9: 3_005_288,
    10: 24_571_284,
    11: 212_258_800,
}


def kernel_perft(board: Board, depth: int) -> int:
    return int(perft(U(board[0]), U(board[1]), depth))


@pytest.mark.parametrize(("depth", "leaves"), COUNTS.items())
def test_start_position(depth: int, leaves: int) -> None:
    """From depth 9 on passes and ended games (depth 11: wipe-outs) are among the leaves."""
    assert kernel_perft(START, depth) == leaves


def test_reference() -> None:
    for depth in range(6):
        assert reference.perft(*START, depth) == COUNTS[depth]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(any_boards, st.integers(0, 2))
def test_any_position(board: Board, depth: int) -> None:
    assert kernel_perft(board, depth) == reference.perft(*board, depth)


def test_to_the_end_of_the_game() -> None:
    """Near the end, deeper than any line goes: passes count as plies, ends as one leaf."""
    rng = random.Random(91)
    passes = 0
    for board in reference.random_boards(rng, 60, 1, 5):
        passes += not reference.legal_moves(*board)
        for depth in (1, 2, 3, 4, 5, 6, 8, 12):
            assert kernel_perft(board, depth) == reference.perft(*board, depth)
    assert passes > 3


def test_passes_at_the_root() -> None:
    rng = random.Random(92)
    found = 0
    while found < 25:
        moves, boards = reference.random_game(rng)
        for ply, move in enumerate(moves):
            if move == reference.PASS:
                found += 1
                for depth in range(4):
                    for board in (boards[ply], boards[ply - 1]):
                        assert kernel_perft(board, depth) == reference.perft(*board, depth)


def test_symmetry() -> None:
    rng = random.Random(93)
    for board in reference.random_boards(rng, 10, 5, 55):
        leaves = kernel_perft(board, 4)
        for symmetry in range(8):
            own, opp = (reference.transform(bits, symmetry) for bits in board)
            assert kernel_perft((own, opp), 4) == leaves
