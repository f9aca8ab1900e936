"""The alpha-beta agent in plain Python, as one would write it on ints: same moves, same nodes.

An oracle for the kernels: it mirrors `search.search` (order of moves, windows, ties) but shares no
code with the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FULL: Final = 0xFFFFFFFFFFFFFFFF
NOT_A: Final = 0xFEFEFEFEFEFEFEFE
NOT_H: Final = 0x7F7F7F7F7F7F7F7F
DIRECTIONS: Final = (
    (1, NOT_A),
    (-1, NOT_H),
    (8, FULL),
    (-8, FULL),
    (9, NOT_A),
    (-9, NOT_H),
    (7, NOT_H),
    (-7, NOT_A),
)
"""Steps, and the squares that a step in this direction may end on."""
WIN: Final = 1 << 20
INFINITY: Final = 1 << 30


def _class_of(square: int) -> str:
    x, y = min(square % 8, 7 - square % 8), min(square // 8, 7 - square // 8)
    return "abcd"[max(x, y)] + "1234"[min(x, y)]


CLASSES: Final = ("a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4")
MASKS: Final = tuple(sum(1 << s for s in range(64) if _class_of(s) == name) for name in CLASSES)
GROUPS: Final = (("a1",), ("c1", "d1", "c3", "d3", "d4"), ("c2", "d2"), ("b1",), ("b2",))
"""Classes of squares, most promising first under standard rules."""
ORDER: Final = tuple([s for s in range(64) if _class_of(s) in group] for group in GROUPS)


def shifted(bits: int, step: int) -> int:
    """`bits` moved by `step` squares, what leaves the board dropped."""
    return bits << step & FULL if step > 0 else bits >> -step


def legal_moves(own: int, opp: int) -> int:
    """Legal moves of the side with `own`."""
    empty = ~(own | opp) & FULL
    moves = 0
    for step, mask in DIRECTIONS:
        line = shifted(own, step) & mask & opp
        while line:
            line = shifted(line, step) & mask
            moves |= line & empty
            line &= opp
    return moves


def turned_by(square: int, own: int, opp: int) -> int:
    """Discs that turn when the side with `own` plays on `square`."""
    turned = 0
    for step, mask in DIRECTIONS:
        line, place = 0, shifted(1 << square, step) & mask
        while place & opp:
            line |= place
            place = shifted(place, step) & mask
        if place & own:
            turned |= line
    return turned


def squares_of(bits: int) -> list[int]:
    """The set bits, lowest first."""
    squares = []
    while bits:
        squares.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return squares


class PlainAgent:
    """Square weights and mobility by phase, searched to a depth by phase; no exact end."""

    def __init__(
        self,
        weights: Sequence[Sequence[int]],
        mobility: Sequence[int],
        depths: Sequence[int],
        boundaries: Sequence[int],
        reverse: bool = False,
    ) -> None:
        self.weights, self.mobility, self.depths = weights, mobility, depths
        self.boundaries, self.reverse = boundaries, reverse
        self.nodes = 0
        self.phase = 0

    def evaluate(self, own: int, opp: int) -> int:
        """Value of an unfinished position for the side with `own`."""
        value = 0
        for weight, mask in zip(self.weights[self.phase], MASKS, strict=True):
            value += weight * ((own & mask).bit_count() - (opp & mask).bit_count())
        mobility = legal_moves(own, opp).bit_count() - legal_moves(opp, own).bit_count()
        return value + self.mobility[self.phase] * mobility

    def final(self, own: int, opp: int) -> int:
        """Value of a finished game."""
        mine, theirs = own.bit_count(), opp.bit_count()
        if self.reverse:
            return (theirs - mine) * WIN
        empties = 64 - mine - theirs
        return (mine - theirs + empties * ((mine > theirs) - (mine < theirs))) * WIN

    def ordered(self, own: int, opp: int, moves: int, depth: int) -> list[tuple[int, int]]:
        """Moves with what they turn: by square at depth 1 and 2, else by the evaluation after."""
        if depth <= 2:
            groups = ORDER[::-1] if self.reverse else ORDER
            squares = [s for group in groups for s in group if moves >> s & 1]
            return [(square, turned_by(square, own, opp)) for square in squares]
        found = [(square, turned_by(square, own, opp)) for square in squares_of(moves)]
        found.sort(key=lambda move: self.evaluate(opp ^ move[1], own ^ move[1] ^ 1 << move[0]))
        return found

    def search(self, own: int, opp: int, alpha: int, beta: int, depth: int) -> int:
        """Fail-soft value to `depth` plies; a pass costs no depth."""
        self.nodes += 1
        moves = legal_moves(own, opp)
        if not moves:
            if not legal_moves(opp, own):
                return self.final(own, opp)
            if depth:
                return -self.search(opp, own, -beta, -alpha, depth)
        if depth == 0:
            return self.evaluate(own, opp)
        best = -INFINITY
        for square, turned in self.ordered(own, opp, moves, depth):
            after = own ^ turned ^ 1 << square
            value = -self.search(opp ^ turned, after, -beta, -max(alpha, best), depth - 1)
            if value > best:
                best = value
                if best >= beta:
                    break
        return best

    def choose(self, own: int, opp: int) -> int:
        """The best square, the lowest among equals; a single legal move without a search."""
        self.nodes = 0
        moves = legal_moves(own, opp)
        if moves & moves - 1 == 0:
            return moves.bit_length() - 1
        discs = (own | opp).bit_count()
        self.phase = sum(discs >= boundary for boundary in self.boundaries)
        depth = self.depths[self.phase]
        best, best_square = -INFINITY, 64
        for square, turned in self.ordered(own, opp, moves, max(depth, 3)):
            low = best - 1 if square < best_square else best
            after = own ^ turned ^ 1 << square
            value = -self.search(opp ^ turned, after, -INFINITY, -low, depth - 1)
            if value > best or (value == best and square < best_square):
                best, best_square = value, square
        return best_square


def play_game(
    black: PlainAgent, white: PlainAgent, opening: Sequence[int]
) -> tuple[list[int], int]:
    """Squares of a whole game through its opening, 64 for a pass, and the nodes searched."""
    own, opp, turn = 1 << 28 | 1 << 35, 1 << 27 | 1 << 36, 0
    moves: list[int] = []
    nodes, book = 0, list(opening)
    while True:
        if not legal_moves(own, opp):
            if not legal_moves(opp, own):
                return moves, nodes
            moves.append(64)
        else:
            player = (black, white)[turn]
            square = book.pop(0) if book else player.choose(own, opp)
            nodes += player.nodes
            player.nodes = 0
            moves.append(square)
            turned = turned_by(square, own, opp)
            own, opp = own ^ turned ^ 1 << square, opp ^ turned
        own, opp, turn = opp, own, 1 - turn
