"""Positions as people write them: every habit means one board, and what could be two is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evolve.engine.board.board import Board, Side
from evolve.records.positions import format_obf, read_position
from evolve.records.record import Request
from evolve.records.texts import scan_text
from tests.records import check_refused
from tests.records.test_ggf import random_record

BOARD = Board.start().play(37).play(43)
WHITE = Board.start().play(37)
CELLS = BOARD.cells()


def with_signs(cells: str, signs: str) -> str:
    return cells.translate(str.maketrans("XO-", signs))


def rows(cells: str, join: str = "\n") -> str:
    return join.join(cells[place : place + 8] for place in range(0, 64, 8))


@pytest.mark.parametrize(
    ("signs", "black", "white"),
    [
        ("XO-", "X", "O"), ("*O-", "*", "O"), ("xo-", "x", "o"), ("xo.", "x", "o"),
        ("XO_", "X", "O"), ("bw-", "b", "w"), ("BW.", "B", "W"),
        ("●○·", "●", "○"), ("*O.", "X", "O"), ("XO-", "black", "white"),
        ("bw-", "Black", "WHITE"), ("xo.", "black to move", "White to play"),
    ],
)  # fmt: skip
def test_signs_of_discs_and_sides(signs: str, black: str, white: str) -> None:
    cells, other = with_signs(CELLS, signs), with_signs(WHITE.cells(), signs)
    texts = (f"{cells} {black}", f"{rows(cells)}\n{black}", f"{rows(cells, ' ')} {black};")
    assert not [text for text in texts if read_position(text) != BOARD]
    assert read_position(f"{other} {white}") == WHITE
    assert read_position(f"{other}\n{white}") == WHITE


SHAPES: dict[str, Callable[[Board, str], str]] = {
    "obf": lambda board, side: format_obf(board),
    "obf with scores": lambda board, side: f"{format_obf(board)} d3:+2; c5:-4;",
    "obf with a comment": lambda board, side: f"{board.cells()} {side} % best d3",
    "no space": lambda board, side: f"{board.cells()}{side}",
    "our own": lambda board, side: str(board),
    "ggs": lambda board, side: f"[8 {rows(with_signs(board.cells(), '*O-'), ' ')} {side}]",
    "ggf": lambda board, side: f"BO[8 {with_signs(board.cells(), '*O-')} {side}]",
    "spaced": lambda board, side: f"{' '.join(board.cells())} {side}",
    "side behind the last row": lambda board, side: f"{rows(board.cells())} {side}",
    "side above": lambda board, side: f"{board.side} to move\n{rows(board.cells())}",
    "comments": lambda board, side: f"# one\n{rows(board.cells())}\n% two\n{side} # three",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str) -> None:
    boards = (BOARD, WHITE, Board.start(), *(random_record(s).final for s in range(3)))
    assert [
        read_position(SHAPES[shape](board, "OX"[board.side == "black"])) for board in boards
    ] == list(boards)


def test_the_start_position_is_known_to_be_reached_without_moves() -> None:
    assert read_position(format_obf(Board.start())).moves == ()
    assert read_position(format_obf(BOARD)).moves is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CELLS, ["does not say who is to move", "X (black) or O (white)"]),
        (rows(CELLS), ["does not say who is to move"]),
        (f"{CELLS[:-1]} X", ["64 cells", "has 63"]),
        (f"{CELLS}-- X", ["64 cells", "has 66"]),
        ("z" + CELLS[1:] + " X", ["'z' on a1"]),
        (f"{CELLS} Z", ["'Z' behind the cells", "X (black) or O (white)"]),
        (f"{CELLS} - ", ["'-' behind the cells"]),
        (f"{CELLS} X white to move", ["black to move, and white to move"]),
        (f"white to move\n{rows(CELLS)}\nX", ["black to move, and white to move"]),
        ("P" * 30 + "E" * 34 + " P", ["'P' on a1"]),
        (with_signs(CELLS, "X0-") + " X", ["'0' on d4"]),
        ("nonsense", ["64 cells", "has 8"]),
    ],
)
def test_what_is_none_or_could_be_two_is_named(text: str, words: list[str]) -> None:
    check_refused(read_position, text, words)


@pytest.mark.parametrize("side", ["black", "white"])
def test_a_given_side_counts_where_there_is_none(side: Side) -> None:
    texts = (CELLS, rows(CELLS), f"{CELLS} X")
    found = [scan_text(text, Request(side=side)).records[0].final.side for text in texts]
    assert found == [side, side, "black"]
