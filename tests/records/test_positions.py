"""Positions as people write them: every habit means one board, and what could be two is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from evolve.engine.board.board import Board
from evolve.errors import RecordError
from evolve.records.positions import format_obf, kind_of, read_position
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
        ("XO_", "X", "O"), ("bw-", "b", "w"), ("BW.", "B", "W"), ("120", "1", "2"),
        ("12-", "1", "2"), ("PE-", "P", "E"), ("PE.", "P", "E"), ("POE", "P", "O"),
        ("XOE", "X", "O"), ("●○·", "●", "○"), ("*O.", "X", "O"), ("bw.", "X", "O"),
        ("120", "b", "w"), ("XO-", "black", "white"), ("bw-", "Black", "WHITE"),
        ("xo.", "black to move", "White to play"),
    ],
)  # fmt: skip
def test_signs_of_discs_and_sides(signs: str, black: str, white: str) -> None:
    cells, other = with_signs(CELLS, signs), with_signs(WHITE.cells(), signs)
    for text in (f"{cells} {black}", f"{rows(cells)}\n{black}", f"{rows(cells, ' ')} {black};"):
        assert read_position(text) == BOARD
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
    "side first": lambda board, side: f"{side} {board.cells()}",
    "side behind the last row": lambda board, side: f"{rows(board.cells())} {side}",
    "side above": lambda board, side: f"{board.side} to move\n{rows(board.cells())}",
    "labels on both sides": lambda board, side: "\n".join(
        [
            "  A B C D E F G H",
            *(
                f"{row + 1} {' '.join(board.cells()[8 * row : 8 * row + 8])} {row + 1}"
                for row in range(8)
            ),
            "  A B C D E F G H",
            f"Side to move: {side}",
        ]
    ),
    "ruled": lambda board, side: (
        "\n+-+-+-+-+-+-+-+-+\n".join(
            f"|{'|'.join(board.cells()[8 * row : 8 * row + 8])}|" for row in range(8)
        )
        + f"\n{side}"
    ),
    "array": lambda board, side: (
        f"{[list(board.cells()[8 * row : 8 * row + 8]) for row in range(8)]} {side}"
    ),
    "numbers": lambda board, side: (
        f"{[[' XO'.index(c) if c != '-' else 0 for c in board.cells()]]} {side}"
    ),
    "comments": lambda board, side: f"# one\n{rows(board.cells())}\n% two\n{side} # three",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str) -> None:
    for board in (BOARD, WHITE, Board.start(), *(random_record(s).final for s in range(3))):
        assert read_position(SHAPES[shape](board, "OX"[board.side == "black"])) == board


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
        ("P" * 30 + "E" * 34 + " P", ["in two ways", "P black, E white", "P black, E empty"]),
        (with_signs(CELLS, "X0-") + " X", ["- 0 X", "do not belong together"]),
        (with_signs(CELLS, "01.") + " 0", ["do not belong together"]),
        (CELLS.replace("X", "B", 1) + " X", ["do not belong together"]),
        ("nonsense", ["64 cells", "has 8"]),
    ],
)
def test_what_is_none_or_could_be_two_is_named(text: str, words: list[str]) -> None:
    check_refused(read_position, text, words)


def test_a_side_that_is_given_counts_where_there_is_none() -> None:
    for side in ("black", "white"):
        assert read_position(CELLS, side).side == side  # type: ignore[arg-type]
        assert read_position(rows(CELLS), side).side == side  # type: ignore[arg-type]
        assert read_position(f"{CELLS} X", side).side == "black"  # type: ignore[arg-type]
    with pytest.raises(RecordError, match="has 63"):
        read_position(f"{CELLS[:-1]} X", "white")


@pytest.mark.parametrize(
    "text",
    [
        "8/8/8/3wb3/3bw3/8/8/8 b", "8/8/8/3OX3/3XO3/8/8/8 X", "8/8/8/3wb3/3bw3/8/8/8 b - - 0 1",
        "8/8/8/3WB3/3BW3/8/8/8 B; d3:+2", "8/8/8/3o*3/3*o3/8/8/8 *",
        "8/8/8/21wb3/3bw21/8/8/8 black",
        "--------/8/8/3wb3/3bw3/8/8/8 b", "[8/8/8/3OX3/3XO3/8/8/8] X",
    ],
)  # fmt: skip
def test_rows_as_fen_has_them(text: str) -> None:
    assert kind_of(text) == "position"
    assert read_position(text) == Board.start()
    assert read_position(text.replace("8/3", "7-/3")) == Board.start()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("8/8/8/3pP3/3Pp3/8/8/8 b", "P and p in .* can each be black"),
        ("8/8/8/3wb3/3bw3/8/8/8", "who is to move"),
        ("8/8/8/3wb3/3bX3/8/8/8 b", "do not belong together"),
    ],
)
def test_rows_that_could_be_two_positions(text: str, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        read_position(text)


def test_digits_that_are_discs_are_not_numbers_of_cells() -> None:
    rows = ["00000000"] * 3 + ["00021000", "00012000"] + ["00000000"] * 3
    assert read_position("/".join(rows) + " 1") == Board.start()
