"""Boards: values that show, parse, play and score themselves, and refuse what cannot be."""

from __future__ import annotations

import pytest

import evolve
from evolve.engine.board.squares import square_name
from evolve.errors import PositionError


def test_start_position() -> None:
    board = evolve.Board.start()
    assert board.legal_moves() == [19, 26, 37, 44]
    assert (board.discs("black"), board.discs("white"), board.side) == (2, 2, "black")
    assert board == evolve.Board.parse("-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27)


def test_boards_are_values() -> None:
    one, other = evolve.Board.start().play(19), evolve.Board.start().play(19)
    assert one == other
    assert len({one, other, evolve.Board.start()}) == 2
    with pytest.raises(AttributeError):
        one.own = 3  # type: ignore[misc]


def test_text_of_a_board_shows_cells_and_side() -> None:
    text = str(evolve.Board.start().play(19))
    assert "3 - - - X - - - -" in text
    assert "white to move" in text


@pytest.mark.parametrize("side", ["black", "white"])
def test_cells_read_back(side: str) -> None:
    board = evolve.Board.parse("Xx*Oo-. " + "." * 57, side)  # type: ignore[arg-type]
    assert board.cells() == "XXXOO" + "-" * 59
    assert evolve.Board.parse(board.cells(), board.side) == board
    assert board.discs("black") == 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: evolve.Board.parse("X"), "64 cells"),
        (lambda: evolve.Board.parse("?" + "-" * 63), "'\\?' on a1"),
        (lambda: evolve.Board(own=1, opp=1), "a1"),
        (lambda: evolve.Board(own=-1, opp=0), "own=-1"),
        (lambda: evolve.Board(own=1 << 64, opp=0), "64 bits"),
        (lambda: evolve.Board(own=1, opp=2, side="red"), "red"),
        (lambda: evolve.Board.start().score(), "not over"),
    ],
)
def test_boards_that_cannot_be(make: object, words: str) -> None:
    with pytest.raises(PositionError, match=words):
        make()  # type: ignore[operator]


@pytest.mark.parametrize("square", [0, 27, -1, 64, 100])
def test_illegal_moves_name_the_square_and_show_the_board(square: int) -> None:
    with pytest.raises(evolve.IllegalMoveError, match="black to move") as caught:
        evolve.Board.start().play(square)
    assert isinstance(caught.value, ValueError)
    name = square_name(square) if 0 <= square < 64 else str(square)
    assert name in str(caught.value)


def test_passes_only_when_they_must_be() -> None:
    with pytest.raises(evolve.IllegalMoveError, match="must not pass"):
        evolve.Board.start().pass_move()
    over = evolve.Board(own=3, opp=0)
    assert over.is_over()
    with pytest.raises(evolve.IllegalMoveError, match="over"):
        over.pass_move()


def test_a_pass_gives_the_move_to_the_other_side() -> None:
    board = evolve.Board.parse("OX" + "-" * 62, "black")
    assert board.legal_moves() == []
    passed = board.pass_move()
    assert (passed.side, passed.legal_moves()) == ("white", [2])


@pytest.mark.parametrize(
    ("black", "white", "side", "standard", "reversed_"),
    [
        (40, 24, "black", 16, -16),
        (40, 24, "white", -16, 16),
        (32, 32, "black", 0, 0),
        (13, 0, "black", 64, -13),
        (13, 0, "white", -64, 13),
    ],
)
def test_scores(black: int, white: int, side: str, standard: int, reversed_: int) -> None:
    cells = "X" * black + "O" * white + "-" * (64 - black - white)
    board = evolve.Board.parse(cells, side)  # type: ignore[arg-type]
    assert board.is_over()
    assert board.score("standard") == standard
    assert board.score("reversed") == reversed_
