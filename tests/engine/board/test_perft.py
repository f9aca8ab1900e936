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

COUNTS = (
    1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284, 212_258_800,
)  # fmt: skip
"""By depth."""


def kernel_perft(board: Board, depth: int) -> int:
    return int(perft(U(board[0]), U(board[1]), depth))


@pytest.mark.parametrize(("depth", "leaves"), list(enumerate(COUNTS)))
def test_start_position(depth: int, leaves: int) -> None:
    """From depth 9 on passes and ended games (depth 11: wipe-outs) are among the leaves."""
    assert kernel_perft(START, depth) == leaves


@pytest.mark.parametrize("depth", range(6))
def test_reference(depth: int) -> None:
    assert reference.perft(*START, depth) == COUNTS[depth]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(any_boards, st.integers(0, 2))
def test_any_position(board: Board, depth: int) -> None:
    assert kernel_perft(board, depth) == reference.perft(*board, depth)


def test_to_the_end_of_the_game() -> None:
    """Near the end, deeper than any line goes: passes count as plies, ends as one leaf."""
    rng = random.Random(91)
    passes, counts, expected = 0, [], []
    for board in reference.random_boards(rng, 60, 1, 5):
        passes += not reference.legal_moves(*board)
        depths = (1, 2, 3, 4, 5, 6, 8, 12)
        counts.append([kernel_perft(board, depth) for depth in depths])
        expected.append([reference.perft(*board, depth) for depth in depths])
    assert counts == expected
    assert passes > 3
