"""The alpha-beta agent in plain Python, by the rules of `tests.reference`: same moves, same nodes.

An oracle for the kernels: it mirrors `search.search` (order of moves, windows, ties) but shares no
code with the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tests import reference
from tests.reference import PASS, REVERSED, START, WIN

INFINITY: Final = 1 << 30
GROUPS: Final = ("a1", "c1 d1 c3 d3 d4", "c2 d2", "b1", "b2")
"""Classes of squares, most promising first under standard rules."""
CLASSES: Final = [reference.CLASSES[number] for number in reference.CLASS_OF]
GROUP_OF: Final = [next(i for i, group in enumerate(GROUPS) if name in group) for name in CLASSES]
MASKS: Final = [
    reference.mask([s for s in range(64) if CLASSES[s] == name]) for name in reference.CLASSES
]


@lru_cache(100_000)
def moves_of(own: int, opp: int) -> dict[int, int]:
    """Legal moves of the side with `own`, lowest first, and the discs that each turns."""
    flips = {
        s: reference.flips(own, opp, s) for s in reference.squares(reference.FULL & ~own & ~opp)
    }
    return {square: turned for square, turned in flips.items() if turned}


class PlainAgent:
    """Square weights and mobility by phase, searched to a depth by phase; no exact end."""

    def __init__(
        self,
        weights: Sequence[Sequence[int]],
        mobility: Sequence[int],
        depths: Sequence[int],
        boundaries: Sequence[int],
        rules: int,
    ) -> None:
        self.weights, self.mobility, self.depths = weights, mobility, depths
        self.boundaries, self.rules = boundaries, rules
        self.nodes = 0
        self.phase = 0

    def evaluate(self, own: int, opp: int) -> int:
        """Value of an unfinished position for the side with `own`."""
        mobility = len(moves_of(own, opp)) - len(moves_of(opp, own))
        return self.mobility[self.phase] * mobility + sum(
            weight * ((own & mask).bit_count() - (opp & mask).bit_count())
            for weight, mask in zip(self.weights[self.phase], MASKS, strict=True)
        )

    def children(self, own: int, opp: int, depth: int) -> list[tuple[int, int, int]]:
        """Moves with the positions after them: by square at depth 1 and 2, else by their values."""
        found = [
            (square, opp ^ turned, own ^ turned ^ 1 << square)
            for square, turned in moves_of(own, opp).items()
        ]
        if depth > 2:
            return sorted(found, key=lambda child: self.evaluate(*child[1:]))
        sign = -1 if self.rules == REVERSED else 1
        return sorted(found, key=lambda child: sign * GROUP_OF[child[0]])

    def search(self, own: int, opp: int, alpha: int, beta: int, depth: int) -> int:
        """Fail-soft value to `depth` plies; a pass costs no depth."""
        self.nodes += 1
        if not moves_of(own, opp):
            if not moves_of(opp, own):
                return reference.final_score(own, opp, self.rules) * WIN
            if depth:
                return -self.search(opp, own, -beta, -alpha, depth)
        if depth == 0:
            return self.evaluate(own, opp)
        best = -INFINITY
        for _, *child in self.children(own, opp, depth):
            best = max(best, -self.search(*child, -beta, -max(alpha, best), depth - 1))
            if best >= beta:
                break
        return best

    def choose(self, own: int, opp: int) -> int:
        """The best square, the lowest among equals; a single legal move without a search."""
        self.nodes = 0
        moves = moves_of(own, opp)
        if len(moves) == 1:
            return next(iter(moves))
        discs = (own | opp).bit_count()
        self.phase = sum(discs >= boundary for boundary in self.boundaries)
        depth = self.depths[self.phase]
        best, best_square = -INFINITY, PASS
        for square, *child in self.children(own, opp, max(depth, 3)):
            low = best - 1 if square < best_square else best
            value = -self.search(*child, -INFINITY, -low, depth - 1)
            if value > best or (value == best and square < best_square):
                best, best_square = value, square
        return best_square


def play_game(
    black: PlainAgent, white: PlainAgent, opening: Sequence[int]
) -> tuple[list[int], int]:
    """Squares of a whole game through its opening, passes too, and the nodes searched."""
    (own, opp), turn, nodes = START, 0, 0
    moves: list[int] = []
    book = list(opening)
    while not reference.is_over(own, opp):
        if moves_of(own, opp):
            player = (black, white)[turn]
            moves.append(book.pop(0) if book else player.choose(own, opp))
            nodes += player.nodes
            player.nodes = 0
            own, opp = reference.play(own, opp, moves[-1])
        else:
            moves.append(PASS)
            own, opp = opp, own
        turn = 1 - turn
    return moves, nodes
