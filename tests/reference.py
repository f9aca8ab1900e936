"""The game once more: slow, obvious, in plain Python, to check the compiled engine against.

Written from the design, not from the kernels. Boards are Python ints (bit s = square s,
a1 = 0, b1 = 1, …, h8 = 63): `own`, the discs of the side to move, and `opp`, the other side's.
Nothing here prunes, sorts moves or looks anything up, but for `exact`, which remembers the
positions it has met, and `exact_alpha_beta`, for positions that brute force cannot reach.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache

Board = tuple[int, int]

STANDARD, REVERSED = 0, 1
FULL = (1 << 64) - 1
PASS = 64
WIN = 2**20
"""A finished game is worth its exact score times this."""

START_BLACK = 1 << 28 | 1 << 35  # e4 and d5
START_WHITE = 1 << 27 | 1 << 36  # d4 and e5
START: Board = (START_BLACK, START_WHITE)

DIRECTIONS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
CORNERS = (0, 7, 56, 63)


def _ray(square: int, dx: int, dy: int) -> tuple[int, ...]:
    """The squares from `square` (without it) to the border, as single bits, nearest first."""
    x, y = square % 8 + dx, square // 8 + dy
    bits = []
    while 0 <= x < 8 and 0 <= y < 8:
        bits.append(1 << (8 * y + x))
        x, y = x + dx, y + dy
    return tuple(bits)


RAYS = tuple(tuple(_ray(square, dx, dy) for dx, dy in DIRECTIONS) for square in range(64))


# --- squares and text -----------------------------------------------------------------------


def squares(bits: int) -> Iterator[int]:
    """The set squares, lowest first."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def mask(some: Sequence[int]) -> int:
    """The bitboard of some squares."""
    return sum(1 << square for square in set(some))


def empties(own: int, opp: int) -> int:
    """Number of empty squares."""
    return 64 - (own | opp).bit_count()


def parse(cells: str, side: str) -> Board:
    """64 cells a1 … h8 (X black, O white, - empty) and the side to move, X or O."""
    assert len(cells) == 64
    assert set(cells) <= set("XO-")
    black = mask([i for i, cell in enumerate(cells) if cell == "X"])
    white = mask([i for i, cell in enumerate(cells) if cell == "O"])
    return (black, white) if side == "X" else (white, black)


def square_of(name: str) -> int:
    """The square that is called, say, d3 or D3."""
    return "abcdefgh".index(name[0].lower()) + 8 * (int(name[1]) - 1)


# --- rules ----------------------------------------------------------------------------------


def flips(own: int, opp: int, square: int) -> int:
    """Discs that turn when `own` plays on `square`, an empty one."""
    turned = 0
    for ray in RAYS[square]:
        line = 0
        for bit in ray:
            if opp & bit:
                line |= bit
                continue
            if own & bit:
                turned |= line
            break
    return turned


def legal_moves(own: int, opp: int) -> list[int]:
    """Legal squares, lowest first: empty ones where a disc turns."""
    empty = FULL & ~(own | opp)
    return [square for square in squares(empty) if flips(own, opp, square)]


def play(own: int, opp: int, square: int) -> Board:
    """The position after a move, seen by the side that is then to move."""
    turned = flips(own, opp, square)
    assert turned, "an illegal move"
    assert not (own | opp) >> square & 1, "an illegal move"
    return opp & ~turned, own | turned | 1 << square


def is_over(own: int, opp: int) -> bool:
    """Neither side can move."""
    return not legal_moves(own, opp) and not legal_moves(opp, own)


def final_score(own: int, opp: int, rules: int) -> int:
    """Exact score of a finished game for the side with `own`."""
    mine, theirs = own.bit_count(), opp.bit_count()
    if rules == REVERSED:
        return theirs - mine
    left = 64 - mine - theirs
    if mine > theirs:
        return mine + left - theirs
    if mine < theirs:
        return mine - theirs - left
    return 0


def perft(own: int, opp: int, depth: int) -> int:
    """Leaves of the tree of `depth` plies; a pass is a ply, a finished game is one leaf."""
    if depth == 0 or is_over(own, opp):
        return 1
    moves = legal_moves(own, opp)
    if not moves:
        return perft(opp, own, depth - 1)
    return sum(perft(*play(own, opp, square), depth - 1) for square in moves)


# --- evaluation -----------------------------------------------------------------------------

CLASSES = ("a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")
MOBILITY, STABILITY, X_SQUARES, C_SQUARES, POTENTIAL_MOBILITY, TERMS = range(10, 16)


def _transformed(square: int, symmetry: int) -> int:
    """Where one of the 8 symmetries of the board takes a square."""
    x, y = square % 8, square // 8
    if symmetry & 1:
        x = 7 - x
    if symmetry & 2:
        y = 7 - y
    if symmetry & 4:
        x, y = y, x
    return 8 * y + x


SYMMETRIES = tuple(tuple(_transformed(s, symmetry) for s in range(64)) for symmetry in range(8))


def transform(bits: int, symmetry: int) -> int:
    """A bitboard turned or mirrored."""
    return sum(1 << SYMMETRIES[symmetry][square] for square in squares(bits))


def _class_of(square: int) -> int:
    """The class whose first square some symmetry of the board takes to `square`."""
    (found,) = {
        index
        for index, name in enumerate(CLASSES)
        for symmetry in SYMMETRIES
        if symmetry[square_of(name)] == square
    }
    return found


CLASS_OF = tuple(_class_of(square) for square in range(64))


def stable(own: int, opp: int) -> int:
    """Discs of `own` that are safe: in each of the four lines the line is full, or the disc
    lies at its end, or beside a safe disc of the same side. Repeated until nothing changes."""
    occupied = own | opp
    safe = 0
    while True:
        found = safe
        for square in squares(own & ~safe):
            rays = RAYS[square]
            for toward, away in zip(rays[:4], rays[4:], strict=True):
                line = sum(toward + away)
                full = occupied & line == line
                at_border = not toward or not away
                if not (full or at_border or found & toward[0] or found & away[0]):
                    break
            else:
                found |= 1 << square
        if found == safe:
            return safe
        safe = found


def beside(bits: int) -> int:
    """Squares next to one of `bits`, in 8 directions."""
    return mask([ray[0].bit_length() - 1 for s in squares(bits) for ray in RAYS[s] if ray])


def _beside_empty_corners(own: int, opp: int, diagonal: bool) -> int:
    """X squares (diagonally beside a corner) or C squares, of the empty corners only."""
    found = 0
    for corner in CORNERS:
        if not (own | opp) >> corner & 1:
            for (dx, dy), ray in zip(DIRECTIONS, RAYS[corner], strict=True):
                if ray and (dx != 0 and dy != 0) == diagonal:
                    found |= ray[0]
    return found


def terms(own: int, opp: int) -> list[int]:
    """The TERMS differences that the weights multiply, for the side with `own`."""
    values = [0] * TERMS
    for square in squares(own):
        values[CLASS_OF[square]] += 1
    for square in squares(opp):
        values[CLASS_OF[square]] -= 1
    values[MOBILITY] = len(legal_moves(own, opp)) - len(legal_moves(opp, own))
    values[STABILITY] = stable(own, opp).bit_count() - stable(opp, own).bit_count()
    for term, diagonal in ((X_SQUARES, True), (C_SQUARES, False)):
        near = _beside_empty_corners(own, opp, diagonal)
        values[term] = (own & near).bit_count() - (opp & near).bit_count()
    empty = FULL & ~(own | opp)
    values[POTENTIAL_MOBILITY] = (beside(opp) & empty).bit_count() - (
        beside(own) & empty
    ).bit_count()
    return values


def evaluate(own: int, opp: int, weights: Sequence[int]) -> int:
    """Value of an unfinished position for the side with `own`."""
    return sum(w * term for w, term in zip(weights, terms(own, opp), strict=False))


# --- search ---------------------------------------------------------------------------------


def minimax(own: int, opp: int, depth: int, weights: Sequence[int], rules: int) -> int:
    """Value for the side with `own` of the whole tree of `depth` moves; passes cost no depth."""
    moves = legal_moves(own, opp)
    if not moves:
        if not legal_moves(opp, own):
            return final_score(own, opp, rules) * WIN
        return -minimax(opp, own, depth, weights, rules)
    if depth == 0:
        return evaluate(own, opp, weights)
    return max(-minimax(*play(own, opp, square), depth - 1, weights, rules) for square in moves)


def move_values(
    own: int, opp: int, depth: int, weights: Sequence[int], rules: int
) -> dict[int, int]:
    """Value of each legal move, searched to `depth` ≥ 1."""
    return {
        square: -minimax(*play(own, opp, square), depth - 1, weights, rules)
        for square in legal_moves(own, opp)
    }


@lru_cache(maxsize=200_000)
def exact(own: int, opp: int, rules: int) -> int:
    """Exact score of perfect play to the end, by brute force."""
    moves = legal_moves(own, opp)
    if not moves:
        if not legal_moves(opp, own):
            return final_score(own, opp, rules)
        return -exact(opp, own, rules)
    return max(-exact(*play(own, opp, square), rules) for square in moves)


def exact_values(own: int, opp: int, rules: int) -> dict[int, int]:
    """Exact score of each legal move."""
    return {square: -exact(*play(own, opp, square), rules) for square in legal_moves(own, opp)}


def exact_alpha_beta(own: int, opp: int, rules: int, alpha: int = -65, beta: int = 65) -> int:
    """Exact score where it lies between alpha and beta, a bound where not (fail-soft)."""
    moves = legal_moves(own, opp)
    if not moves:
        if not legal_moves(opp, own):
            return final_score(own, opp, rules)
        return -exact_alpha_beta(opp, own, rules, -beta, -alpha)
    children = [play(own, opp, square) for square in moves]
    if empties(own, opp) > 4:
        children.sort(key=lambda child: len(legal_moves(*child)))
    best = -65
    for child in children:
        best = max(best, -exact_alpha_beta(*child, rules, -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


def best_of(values: dict[int, int]) -> tuple[int, int]:
    """The square of the highest value, the lowest square among equals, and the value."""
    best = max(values.values())
    return min(square for square, value in values.items() if value == best), best


@lru_cache(maxsize=200_000)
def never_turned(own: int, opp: int) -> Board:
    """Discs of either side that keep their colour in every continuation, good or bad."""
    moves = legal_moves(own, opp)
    if not moves:
        if not legal_moves(opp, own):
            return own, opp
        kept_opp, kept_own = never_turned(opp, own)
        return kept_own, kept_opp
    own_kept, opp_kept = own, opp
    for square in moves:
        kept_opp, kept_own = never_turned(*play(own, opp, square))
        own_kept &= kept_own
        opp_kept &= kept_opp
    return own_kept, opp_kept


# --- agents and games -----------------------------------------------------------------------


class Agent:
    """Weights and a depth for each phase, the phase of each disc count, the exact end.

    No dataclass: a program that plays by these rules is started hundreds of times, and importing
    dataclasses takes it a third of its start.
    """

    def __init__(
        self,
        weights: tuple[tuple[int, ...], ...],
        depths: tuple[int, ...],
        phase_of: tuple[int, ...],  # by disc count, 0 to 64
        endgame: int = 0,
    ) -> None:
        self.weights, self.depths = weights, depths
        self.phase_of, self.endgame = phase_of, endgame

    def phase(self, own: int, opp: int) -> int:
        """The phase of a position."""
        return self.phase_of[64 - empties(own, opp)]

    def values(self, own: int, opp: int, rules: int) -> dict[int, int]:
        """What the agent thinks of each move; all is decided by the position at the root."""
        if empties(own, opp) <= self.endgame:
            return exact_values(own, opp, rules)
        phase = self.phase(own, opp)
        return move_values(own, opp, self.depths[phase], self.weights[phase], rules)

    def choose(self, own: int, opp: int, rules: int) -> int:
        """The agent's move."""
        moves = legal_moves(own, opp)
        return moves[0] if len(moves) == 1 else best_of(self.values(own, opp, rules))[0]


def replay(moves: Sequence[int]) -> list[Board]:
    """The positions of a game, the start included; a pass where one is due, and only there."""
    own, opp = START
    boards = [(own, opp)]
    for move in moves:
        if move == PASS:
            assert not legal_moves(own, opp), "a wrong pass"
            assert legal_moves(opp, own), "a pass after the end"
            own, opp = opp, own
        else:
            own, opp = play(own, opp, move)
        boards.append((own, opp))
    return boards


# --- positions to test with -----------------------------------------------------------------


def random_game(rng: random.Random) -> tuple[list[int], list[Board]]:
    """A game of random moves: its moves with passes, and its positions (one more than moves)."""
    own, opp = START
    moves: list[int] = []
    boards = [(own, opp)]
    while True:
        legal = legal_moves(own, opp)
        if legal:
            moves.append(legal[rng.randrange(len(legal))])
            own, opp = play(own, opp, moves[-1])
        elif legal_moves(opp, own):
            moves.append(PASS)
            own, opp = opp, own
        else:
            return moves, boards
        boards.append((own, opp))


def random_boards(rng: random.Random, count: int, low: int, high: int) -> list[Board]:
    """Unfinished positions from random games, each of another game, with low … high empties."""
    found: list[Board] = []
    while len(found) < count:
        wanted = [
            board
            for board in random_game(rng)[1]
            if low <= empties(*board) <= high and not is_over(*board)
        ]
        if wanted:
            found.append(wanted[rng.randrange(len(wanted))])
    return found


def scattered_board(rng: random.Random, empty: float, own_share: float) -> Board:
    """Discs thrown on the board, most such positions out of reach of any game."""
    own = opp = 0
    for square in range(64):
        if rng.random() >= empty:
            if rng.random() < own_share:
                own |= 1 << square
            else:
                opp |= 1 << square
    return own, opp
