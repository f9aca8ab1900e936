"""Part of a stand-alone Python file of an agent with patterns: the evaluation, from numpy alone.

What follows the marker is put behind `part_contest.py`, whose names it uses. `render_patterns` of
`evolve.standalone.render` puts the agent's parameters in place of those between the markers.
`compiled_evaluation` goes out with `part_numba.py` alone.
"""

import numpy as np

from evolve.standalone.part_board import moves_of, side_by_side
from evolve.standalone.part_search import Search

# --- exported from here on ---
# --- Patterns: the evaluation ---

from base64 import b85decode
from typing import Any, Dict, Iterator, List, Tuple
from zlib import decompress

# --- parameters ---
PHASE_STARTS: List[int] = []  # disc counts at which the phases after the first begin
SHAPES = [(0, 1, 8, 9)]  # squares, from a1 = 0 over b1 = 1 to h8 = 63
# The distinct weights of every phase, int16, 256 a disc: compressed, as text.
PACKED_WEIGHTS = "c$`bJfB-KH0RR91"
# --- end of parameters ---


def images_of(squares: Any) -> Iterator[Tuple[int, ...]]:
    """The squares under the eight symmetries of the board, their order kept."""
    places = [(square % 8, square // 8) for square in squares]
    for turned in (places, [(y, x) for x, y in places]):
        for flip_x, flip_y in ((0, 0), (7, 0), (0, 7), (7, 7)):
            yield tuple((x ^ flip_x) + 8 * (y ^ flip_y) for x, y in turned)


def distinct_images(squares: Any) -> List[Tuple[int, ...]]:
    """One image for each set of squares that a shape may cover."""
    found: Any = {}
    for image in images_of(squares):
        found.setdefault(frozenset(image), image)
    return list(found.values())


def weight_numbers(squares: Any) -> Any:
    """For each way to fill a shape the first that is its image, by the shape's own symmetries."""
    count = len(squares)
    first = np.arange(3**count, dtype=np.int32)
    digits = first[:, None] // 3 ** np.arange(count, dtype=np.int32) % 3
    least = first
    for image in images_of(squares):
        if set(image) == set(squares):
            order = [image.index(square) for square in squares]
            least = np.minimum(least, digits[:, order] @ 3 ** np.arange(count, dtype=np.int32))
    return least


def unpacked_tables() -> Tuple[Any, Any, Any]:
    """Tables [phases, entries]; for each image on the board where its table's middle is, and what
    an own disc on each square adds to the place there, [64, images]."""
    entries: List[Any] = []
    middles: List[int] = []
    columns: List[Any] = []
    start = known = 0
    for squares in SHAPES:
        least = weight_numbers(squares)
        distinct, numbers = np.unique(least, return_inverse=True)
        entries.append(numbers.ravel() + known)
        known += len(distinct)
        for image in distinct_images(squares):
            column = np.zeros(64, np.float32)
            column[list(image)] = 3.0 ** np.arange(len(image))
            columns.append(column)
            middles.append(start + len(least) // 2)
        start += len(least)
    weights = np.frombuffer(decompress(b85decode(PACKED_WEIGHTS)), "<i2")
    weights = weights.reshape(len(PHASE_STARTS) + 1, -1)
    tables = np.ascontiguousarray(weights[:, np.concatenate(entries)])
    return tables, np.array(middles), np.stack(columns, axis=1)


TABLES, MIDDLES, POWERS = unpacked_tables()
WIN = 256  # of a finished game, a disc of its score: the evaluation is in the same unit


class Nothing(Dict[int, int]):
    """0 for every key: patterns have no use for sums over squares."""

    def __missing__(self, key: int) -> int:
        return 0


class PatternEvaluation:
    """What positions are worth for side 0; `mover` is the side to move in them."""

    def __init__(self) -> None:
        self.mover = 0
        self.gains = (Nothing(), Nothing())
        self.corner_value = Nothing()

    def of_boards(
        self, boards: List[int], totals: Any, corners: Any, known: int, width: Any
    ) -> Tuple[List[int], int, int]:
        """Values, the moves there laid end to end, and no stable discs."""
        reach, _ = moves_of(side_by_side(boards), width)
        octets = np.frombuffer(b"".join(board.to_bytes(16, "little") for board in boards), np.uint8)
        bits = np.unpackbits(octets.reshape(-1, 16)[:, ::-1], axis=1)[:, ::-1].astype(np.float32)
        discs = bits[:, :64] - bits[:, 64:]
        if self.mover:
            discs = -discs
        places = (discs @ POWERS).astype(np.int64) + MIDDLES
        count = bin(boards[0]).count("1")
        phase = sum(1 for start in PHASE_STARTS if start <= count)
        values = TABLES[phase][places].sum(axis=1)
        return (-values if self.mover else values).tolist(), reach, 0


class PatternSearch(Search):
    """The search, over patterns."""

    def __init__(self, board: int, phase: int, deadline: float) -> None:
        super().__init__(board, phase, deadline)
        self.evaluation: Any = PatternEvaluation()

    def values_of_children(self, node: Any, side: int, children: Any = None) -> List[int]:
        """Values after each move of `side`, lowest square first, without looking further."""
        self.evaluation.mover = 1 - side
        return super().values_of_children(node, side, children)


Search = PatternSearch  # type: ignore[misc]


# --- exported with numba from here on ---
# --- The same evaluation, compiled ---


def weights_of(phase: int) -> Any:
    """What the compiled evaluation knows, whatever the phase of the root: the tables, which of
    them goes with a disc count, the middles, and what own discs add to the place in every image's
    table by row of the board and the byte of discs there, [8, 256, images]."""
    phases = np.searchsorted(PHASE_STARTS, np.arange(65), side="right")
    discs = np.arange(256)[:, None] >> np.arange(8) & 1
    sums = discs @ POWERS.reshape(8, 8, -1).astype(np.int64)
    return TABLES, phases, MIDDLES, sums


def compiled_evaluation(kernel: Any, count: Any, beside: Any, stable_lead: Any) -> Any:
    """The kernel that values a position for the side to move, made with these helpers."""
    u8 = np.uint64
    byte = u8(0xFF)

    @kernel
    def evaluate(own, opp, mine, theirs, weights):
        tables, phases, middles, sums = weights
        table = tables[phases[count(own | opp)]]
        value = 0
        for image in range(len(middles)):
            place = middles[image]
            for row in range(8):
                shift = u8(8 * row)
                own_discs, opp_discs = (own >> shift) & byte, (opp >> shift) & byte
                place += sums[row, own_discs, image] - sums[row, opp_discs, image]
            value += table[place]
        return value

    return evaluate
