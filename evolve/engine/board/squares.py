"""Squares and moves as text: `d3`, `pass`, and strings of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evolve.engine.board.rules import PASS
from evolve.errors import RecordError

_MOVE = re.compile(r"[a-h][1-8]|pass", re.IGNORECASE)


def square_name(square: int) -> str:
    """Name of a square 0..63 (`d3`), or `pass` for 64.

    >>> evolve.square_name(19)
    'd3'
    """
    if square == PASS:
        return "pass"
    if not 0 <= square < 64:
        raise RecordError(f"{square} is not a square; squares are 0 (a1) to 63 (h8)")
    return "abcdefgh"[square % 8] + "12345678"[square // 8]


def parse_square(text: str) -> int:
    """Square 0..63 of a name such as `d3` or `D3`, 64 for `pass`.

    >>> evolve.square("d3")
    19
    """
    if not _MOVE.fullmatch(text.strip()):
        raise RecordError(f"{text!r} is not a move; a move is a1 to h8, or pass")
    return parse_moves(text)[0]


def format_moves(moves: Iterable[int]) -> str:
    """Moves separated by spaces: `f5 d6 pass c3`."""
    return " ".join(map(square_name, moves))


def parse_moves(text: str) -> list[int]:
    """Squares (and 64 for a pass) of a move string, with or without spaces between."""
    rest = _MOVE.sub(" ", text).split()
    if rest:
        raise RecordError(f"{rest[0][:12]!r} is not a move, in the moves {text[:40]!r}")
    return [
        PASS if name == "pass" else "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)
        for name in _MOVE.findall(text.lower())
    ]
