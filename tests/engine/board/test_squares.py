"""Squares and moves as text, there and back."""

from __future__ import annotations

import pytest

from evolve.engine.board.squares import format_moves, parse_moves, parse_square, square_name
from evolve.errors import RecordError


def test_moves_as_text() -> None:
    assert [square_name(square) for square in (0, 7, 19, 56, 63, 64)] == [
        "a1", "h1", "d3", "a8", "h8", "pass",
    ]  # fmt: skip
    assert parse_moves("f5d6 C3PASS e3") == [37, 43, 18, 64, 20]
    assert format_moves(parse_moves("f5d6passc3")) == "f5 d6 pass c3"
    assert parse_square(" D3 ") == 19
    for text in ("f9", "f5x", "i1", "f5 d", "pas"):
        with pytest.raises(RecordError, match="not a move"):
            parse_moves(text)
    with pytest.raises(RecordError):
        parse_square("d3d4")


def test_squares_are_numbers() -> None:
    assert parse_square("D3") == 19
