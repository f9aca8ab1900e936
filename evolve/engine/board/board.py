"""The board for Python: immutable, hashable, readable when printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, NoReturn, TypeVar, cast, get_args

from evolve.engine.board import bits
from evolve.engine.board.bits import score_of
from evolve.engine.board.rules import DEFAULT_RULES, NO_SCORE, PASS, Rules, rule_set
from evolve.engine.board.squares import parse_square, square_name
from evolve.errors import IllegalMoveError, PositionError, RecordError

F = TypeVar("F", bound=Callable[..., Any])
Side = Literal["black", "white"]
_SQUARE, _EDGE = 36, 20
"""Sizes in pictures: of a square, and of the frame with the names of columns and rows."""
_DISCS = {"X": ("#101513", "#3a4644"), "O": ("#f8f8f2", "#b3b9ae")}
"""Fill and edge of the discs in pictures, by their cell."""


class _Uncalled(partial[Any]):
    """A bound method that is not its value: `if board.legal_moves:` raises, and is not true."""

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self!r}: call it to get its value")

    def __eq__(self, other: object) -> bool:
        return bool(self)

    __hash__ = partial.__hash__

    def __repr__(self) -> str:
        return f"method {self.func.__name__}()"


class _Method:
    """Binds a function to a board, as `_Uncalled`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __get__(self, board: Board | None, owner: type[Board]) -> Any:
        return self.function if board is None else _Uncalled(self.function, board)


def _called(method: F) -> F:
    return cast("F", _Method(method))


@dataclass(frozen=True, slots=True)
class Board:
    """A position: bitboards of the side to move (`own`) and the other (`opp`); bit s = square s.

    >>> board = evolve.Board.start()
    >>> board.legal_moves()
    [19, 26, 37, 44]

    `moves` are the squares (64 for a pass) from the start position to here, None where they are not
    known: programs that receive moves, not positions, need them. Boards with equal positions are
    equal. Raises PositionError when the bitboards overlap or do not fit 64 squares.
    """

    own: int
    opp: int
    side: Side = "black"
    moves: tuple[int, ...] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name, disc_bits in (("own", self.own), ("opp", self.opp)):
            if isinstance(disc_bits, bool) or int(disc_bits) >> 64:
                raise PositionError(f"{name}={disc_bits!r} is not a bitboard; it must fit 64 bits")
            object.__setattr__(self, name, int(disc_bits))
        if self.own & self.opp:
            square = (self.own & self.opp & -(self.own & self.opp)).bit_length() - 1
            raise PositionError(f"both sides have a disc on {square_name(square)}")
        if self.side not in get_args(Side):
            raise PositionError(f"there is no side {self.side!r}; there are black and white")

    @classmethod
    def start(cls) -> Board:
        """The start position, black to move: black on e4 and d5, white on d4 and e5."""
        return cls(int(bits.START_OWN), int(bits.START_OPP), "black", ())

    @classmethod
    def parse(cls, text: str, side: Side = "black") -> Board:
        """Board from 64 cells a1..h8: `X` `x` `*` black, `O` `o` white, `-` `.` empty.

        White space is ignored; `side` is to move.
        """
        cells = "".join(text.split())
        if len(cells) != 64:
            raise PositionError(f"a board has 64 cells, and {text!r} has {len(cells)}")
        black = white = 0
        for square, cell in enumerate(cells):
            if cell in "Xx*":
                black |= 1 << square
            elif cell in "Oo":
                white |= 1 << square
            elif cell not in "-.":
                raise PositionError(f"{cell!r} on {square_name(square)} is none of X x * O o - .")
        return cls(black, white, side) if side == "black" else cls(white, black, side)

    @property
    def black(self) -> int:
        """Bitboard of the black discs."""
        return self.own if self.side == "black" else self.opp

    @property
    def white(self) -> int:
        """Bitboard of the white discs."""
        return self.opp if self.side == "black" else self.own

    @property
    def other_side(self) -> Side:
        """The side that is not to move."""
        return "white" if self.side == "black" else "black"

    @property
    def disc_count(self) -> int:
        """Discs on the board."""
        return (self.own | self.opp).bit_count()

    @property
    def empties(self) -> int:
        """Empty squares."""
        return 64 - self.disc_count

    @_called
    def legal_moves(self) -> list[int]:
        """Squares the side to move may play on, ascending; [] when it must pass."""
        moves = int(bits.legal_moves(bits.U(self.own), bits.U(self.opp)))
        return [square for square in range(64) if moves >> square & 1]

    def play(self, square: int | str) -> Board:
        """The board after a move, as a square or its name; raises IllegalMoveError.

        >>> evolve.Board.start().play("d3") == evolve.Board.start().play(19)
        True
        """
        if isinstance(square, str):
            try:
                square = parse_square(square)
            except RecordError as error:
                raise IllegalMoveError(f"{error}\n{self}") from None
            if square == PASS:
                return self.pass_move()
        legal = 0 <= square < 64 and not (self.own | self.opp) >> square & 1
        turned = int(bits.flips(square, bits.U(self.own), bits.U(self.opp))) if legal else 0
        if not turned:
            name = square_name(square) if 0 <= square < 64 else repr(square)
            moves = " ".join(map(square_name, self.legal_moves())) or "none, only a pass"
            raise IllegalMoveError(
                f"{name} is not a legal move for {self.side}; legal: {moves}\n{self}"
            )
        own, opp = self.opp ^ turned, self.own ^ turned ^ (1 << square)
        return Board(own, opp, self.other_side, self._moves_and(square))

    def pass_move(self) -> Board:
        """The board with the other side to move; allowed only without a move, before the end."""
        if self.legal_moves():
            moves = " ".join(map(square_name, self.legal_moves()))
            raise IllegalMoveError(f"{self.side} must not pass; legal: {moves}\n{self}")
        passed = Board(self.opp, self.own, self.other_side, self._moves_and(PASS))
        if not passed.legal_moves():
            raise IllegalMoveError(f"the game is over, nobody passes\n{self}")
        return passed

    def _moves_and(self, square: int) -> tuple[int, ...] | None:
        return None if self.moves is None else (*self.moves, square)

    @_called
    def is_over(self) -> bool:
        """Whether neither side can move."""
        return not bits.legal_moves(bits.U(self.own), bits.U(self.opp)) and not bits.legal_moves(
            bits.U(self.opp), bits.U(self.own)
        )

    def discs(self, side: Side) -> int:
        """Number of discs of `side`."""
        return (self.black if side == "black" else self.white).bit_count()

    @_called
    def score(self, rules: Rules = DEFAULT_RULES) -> int:
        """Exact score for the side to move at the end; raises PositionError before it.

        `standard`: own − opp discs, empty squares to the winner. `reversed`: opp − own discs.
        """
        code = rule_set(rules).code
        if not self.is_over():
            raise PositionError(f"the game is not over, it has no score yet\n{self}")
        score = int(score_of(bits.U(self.own), bits.U(self.opp), code))
        assert score != NO_SCORE, f"final_score does not know the code of {rules}"
        return score

    def score_of(self, side: Side, rules: Rules = DEFAULT_RULES) -> int:
        """The exact score for `side`, whichever side is to move."""
        return self.score(rules) if side == self.side else -self.score(rules)

    @_called
    def cells(self) -> str:
        """The 64 cells a1..h8 as `X` (black), `O` (white), `-`; `Board.parse` reads them."""
        return "".join(
            "X" if self.black >> square & 1 else "O" if self.white >> square & 1 else "-"
            for square in range(64)
        )

    def _repr_svg_(self) -> str:
        """The board as a picture, which notebooks show: discs, legal moves and the last move."""
        status = "the game is over" if self.is_over() else f"{self.side} to move"
        text = f"black {self.discs('black')}, white {self.discs('white')} · {status}"
        side, cells, legal = 8 * _SQUARE + 2 * _EDGE, self.cells(), self.legal_moves()
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side + 26}" '
            'font-family="sans-serif" text-anchor="middle" dominant-baseline="central" '
            f'role="img"><title>{text}: {cells}</title>'
            f'<rect width="{side}" height="{side}" rx="6" fill="#14422c"/>'
        ]
        for index, (column, row) in enumerate(zip("abcdefgh", "12345678", strict=True)):
            middle, style = _EDGE + _SQUARE * index + _SQUARE // 2, 'fill="#dff0e6" font-size="11"'
            parts.append(f'<text x="{middle}" y="{_EDGE // 2}" {style}>{column}</text>')
            parts.append(f'<text x="{_EDGE // 2}" y="{middle}" {style}>{row}</text>')
        for square, cell in enumerate(cells):
            x, y = _EDGE + _SQUARE * (square % 8), _EDGE + _SQUARE * (square // 8)
            parts.append(
                f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="#2b8257" '
                'stroke="#1c5f3f"/>'
            )
            centre = f'cx="{x + _SQUARE // 2}" cy="{y + _SQUARE // 2}"'
            if cell in _DISCS:
                fill, edge = _DISCS[cell]
                last = self.moves and square == self.moves[-1]
                ring = 'stroke="#ffd23f" stroke-width="3"' if last else f'stroke="{edge}"'
                parts.append(f'<circle {centre} r="{_SQUARE * 0.41:.1f}" fill="{fill}" {ring}/>')
            elif square in legal:
                parts.append(f'<circle {centre} r="4" fill="#ffd23f" fill-opacity="0.75"/>')
        parts.append(
            f'<rect y="{side}" width="{side}" height="26" fill="#ffffff"/>'
            f'<text x="{side // 2}" y="{side + 14}" fill="#16201a" font-size="13">{text}</text>'
        )
        return "".join([*parts, "</svg>"])

    def __str__(self) -> str:
        cells = self.cells()
        rows = [f"{row + 1} " + " ".join(cells[8 * row : 8 * row + 8]) for row in range(8)]
        return "\n".join(["  a b c d e f g h", *rows, f"{self.side} to move"])
