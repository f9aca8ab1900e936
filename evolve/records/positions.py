"""Reads positions as people write them, for every format, command and the service; writes OBF.

A position is 64 cells from a1 to h8, in one piece, in groups or in rows, then the side to move.
Black is one of `X x * B b ●`, white one of `O o W w ○`, empty one of `- . _ ·`. Rows may have their
numbers, as on our own boards, and the board of a GGF game its size: `[8 cells *]`.
"""

from __future__ import annotations

import re
from typing import Final

from evolve.engine.board.board import Board, Side
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.records.moves import normalised

_SIGNS: Final = {
    sign: cell
    for cell, signs in {"X": "Xx*Bb●", "O": "OoWw○", "-": "-._·"}.items()
    for sign in signs
}
_SIDES: Final[dict[str, Side]] = {"X": "black", "O": "white", "black": "black", "white": "white"}
_WORD: Final = re.compile(r"\b(black|white)\b(?:\s+to\s+(?:move|play))?", re.IGNORECASE)
_SIZE: Final = re.compile(r"(?:BO)?\s*\[?\s*8\s+(?=\S{8})")
_HEAD: Final = re.compile(r"a\s*b\s*c\s*d\s*e\s*f\s*g\s*h", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"[\s|,/\[\]'\":]+")


def without_comment(line: str) -> str:
    """A line up to the first semicolon, % or #, without white space around it."""
    return re.split(r"[;%#]", line, maxsplit=1)[0].strip()


def is_position(line: str) -> bool:
    """Whether a line is a position or part of one: a row, the side to move, names of columns."""
    cells, sides = _cells_and_sides(line)
    # So many cells are meant as a position, whatever their signs.
    return bool(sides) or len(cells) >= 40 or set(cells) <= _SIGNS.keys()


def is_one_position(text: str) -> bool:
    """Whether lines may be those of one position: not more than 64 cells and one side."""
    cells, sides = _cells_and_sides(text)
    return len(cells) <= 64 and len(sides) <= 1


def _cells_and_sides(text: str) -> tuple[str, list[str]]:
    """The cells of a position as written, and its words or signs for the side to move."""
    words: list[str] = []
    sides: list[str] = []
    for line in map(without_comment, normalised(text).splitlines()):
        if _HEAD.fullmatch(line):
            continue
        bare = _SIZE.sub("", line, count=1)
        sides += [word.lower() for word in _WORD.findall(bare)]
        bare = _WORD.sub(" ", bare)
        row = re.fullmatch(r"([1-8])\s+(\S.*?)(?:\s+\1)?", bare)
        if row and len(_BETWEEN.sub("", row[2])) == 8:
            bare = row[2]
        words += _BETWEEN.sub(" ", bare).split()
    if len(words) > 1 and len(words[-1]) == 1 < len(words[0]):
        sides.append(words.pop())
    cells = "".join(words)
    return (cells[:64], [*sides, cells[64]]) if len(cells) == 65 else (cells, sides)


def read_position(text: str, side: Side | None = None) -> Board:
    """The board of a text; `side` is to move where the text does not say.

    RecordError where the text is not a position, or could be two.
    """
    written, words = _cells_and_sides(text)
    if len(written) != 64:
        raise RecordError(f"a board has 64 cells, and {_quote(text)} has {len(written)}")
    for square, sign in enumerate(written):
        if sign not in _SIGNS:
            raise RecordError(
                f"{sign!r} on {square_name(square)} is none of X x * B b O o W w - . _"
            )
    for word in words:
        if _SIGNS.get(word, word) not in _SIDES:
            raise RecordError(
                f"{word!r} behind the cells of {_quote(text)} is not a side to move; write X "
                "(black) or O (white)"
            )
    sides = {_SIDES[_SIGNS.get(word, word)] for word in words}
    if len(sides) > 1:
        raise RecordError(f"{_quote(text)} says black to move, and white to move")
    mover = sides.pop() if sides else side
    if mover is None:
        raise RecordError(
            f"{_quote(text)} does not say who is to move; write X (black) or O (white) behind "
            "its 64 cells"
        )
    board = Board.parse("".join(_SIGNS[sign] for sign in written), mover)
    return Board.start() if board == Board.start() else board


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 80 else f"{line[:77]}...")


def format_obf(board: Board) -> str:
    """The OBF line of a board: 64 cells a1 to h8 (X, O and - for empty), then the side to move."""
    return f"{board.cells()} {'X' if board.side == 'black' else 'O'};"


def start_text(board: Board) -> str | None:
    """The start position of a game as tables store it: OBF; None for the usual start."""
    return None if board == Board.start() else format_obf(board)


def start_board(text: str | None) -> Board:
    """The board of a text from `start_text`; the usual start for None. Raises RecordError.

    The usual start position knows its moves; other positions do not.
    """
    if text is None:
        return Board.start()
    try:
        return read_position(text)
    except RecordError as error:
        raise RecordError(f"start: {error}") from error
