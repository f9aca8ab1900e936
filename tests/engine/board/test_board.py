"""Boards: values that show, parse, play and score themselves, and refuse what cannot be."""

from __future__ import annotations

import random
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from evolve.engine.board.bits import SQUARE_IMAGES, U, images_of, score_of
from evolve.engine.board.rules import RULE_SETS
from evolve.engine.board.squares import format_moves, parse_moves, parse_square, square_name
from evolve.errors import PositionError, RecordError
from tests import reference
from tests.engine import RULES, raw_boards


def test_start_position() -> None:
    board = evolve.Board.start()
    assert board.legal_moves() == [19, 26, 37, 44]
    assert (board.discs("black"), board.discs("white"), board.side) == (2, 2, "black")
    assert board == evolve.Board.parse("-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27)


def test_boards_are_values() -> None:
    one, other = evolve.Board.start().play(19), evolve.Board.start().play(19)
    assert len({one, other, evolve.Board.start()}) == 2
    with pytest.raises(AttributeError):
        one.own = 3  # type: ignore[misc]
    assert str(one).splitlines()[3:] == [
        "3 - - - X - - - -", "4 - - - X X - - -", "5 - - - X O - - -",
        *(f"{row} - - - - - - - -" for row in (6, 7, 8)), "white to move",
    ]  # fmt: skip


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


def test_moves_may_be_named_as_people_name_them() -> None:
    board = evolve.Board.start()
    assert board.play("d3") == board.play(" D3 ") == board.play(evolve.square("d3"))
    assert evolve.square_name(board.play("f5").moves[0]) == "f5"  # type: ignore[index]
    must_pass = evolve.Board.parse("OX" + "-" * 62, "black")
    assert must_pass.play("pass") == must_pass.pass_move()
    for name in ("z9", "a1", "pass", ""):
        with pytest.raises(evolve.IllegalMoveError, match=r"black to move|must not pass"):
            board.play(name)


@pytest.mark.parametrize("name", ["legal_moves", "is_over", "cells", "score"])
def test_a_method_that_is_not_called_is_no_value(name: str) -> None:
    method = getattr(evolve.Board.start(), name)
    for misuse in (lambda: bool(method), lambda: not method, lambda: method == []):
        with pytest.raises(TypeError, match=rf"{name}\(\):"):
            misuse()
    assert getattr(evolve.Board, name).__doc__


def test_passes_only_when_they_must_be() -> None:
    board = evolve.Board.parse("OX" + "-" * 62, "black")
    assert board.legal_moves() == []
    passed = board.pass_move()
    assert (passed.side, passed.legal_moves()) == ("white", [2])
    with pytest.raises(evolve.IllegalMoveError, match="pass"):
        evolve.Board.start().pass_move()
    over = evolve.Board(own=3, opp=0)
    assert over.is_over()
    with pytest.raises(evolve.IllegalMoveError, match="over"):
        over.pass_move()


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


def test_images_are_the_eight_symmetries() -> None:
    turns = [tuple(places) for places in SQUARE_IMAGES.tolist()]
    assert turns[0] == tuple(range(64))
    assert set(turns) == set(reference.SYMMETRIES)
    boards = np.array(reference.random_boards(random.Random(0), 16, 0, 50), np.uint64)
    images = (np.arange(16) % 8).astype(np.int8)
    assert images_of(boards, images).tolist() == [
        [sum(1 << turns[image][square] for square in reference.squares(bits)) for bits in board]
        for image, board in zip(images, boards.tolist(), strict=True)
    ]


@settings(deadline=None)
@given(raw_boards, st.sampled_from(RULES))
def test_scores_are_those_of_the_reference(board: reference.Board, rules: int) -> None:
    own, opp = board
    assert score_of(U(own), U(opp), rules) == reference.final_score(own, opp, rules)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_side_has_the_score_whoever_is_to_move(rules: str) -> None:
    board = evolve.Board(own=7, opp=0, side="white")
    assert board.score_of("white", rules) == board.score(rules) == -board.score_of("black", rules)


SVG = "{http://www.w3.org/2000/svg}"
BLACK, WHITE, LAST = "#101513", "#f8f8f2", "#ffd23f"


def circles(board: evolve.Board) -> list[dict[str, str]]:
    root = ElementTree.fromstring(board._repr_svg_())
    return [dict(one.attrib) for one in root.iter(f"{SVG}circle")]


def test_pictures_show_discs_legal_moves_the_last_one_and_whose_move_it_is() -> None:
    start = evolve.Board.start()
    assert Counter(one["fill"] for one in circles(start)) == {BLACK: 2, WHITE: 2, LAST: 4}
    assert not any(one.get("stroke") == LAST for one in circles(start))
    (last,) = [one for one in circles(start.play(19)) if one.get("stroke") == LAST]
    assert (last["cx"], last["cy"], last["fill"]) == ("146", "110", BLACK)  # d3
    assert "black 2, white 2 · black to move" in start._repr_svg_()
    over = evolve.Board.parse("X" * 64)
    assert "black 64, white 0 · the game is over" in over._repr_svg_()
    assert len(circles(over)) == 64
