"""Part of a stand-alone Python file of an agent with patterns: the evaluation, with numpy.

What follows the marker comes after `part_search.py` and uses its names. `render_patterns` of
`evolve.standalone.render` writes the agent's parameters in place of those between the markers.
`compiled_evaluation` is exported only with `part_numba.py`.
"""

import numpy as np

from evolve.standalone.part_board import bit_count, moves_of, phase_of, side_by_side
from evolve.standalone.part_search import Search

# --- exported from here on ---
# --- Patterns: the evaluation ---

from base64 import b64decode
from typing import Any, Dict, Iterator, List, Tuple
from zlib import decompress

# --- parameters ---
PHASE_STARTS: List[int] = []  # disc counts at which the phases after the first begin
TEMPO = [0] * 65  # by disc count, what the side to move has besides its patterns
SHAPES = [(0, 1, 8, 9)]  # squares, from a1 = 0 over b1 = 1 to h8 = 63
# The distinct weights, int16, 256 for a disc, each phase less the one before: compressed, as text.
PACKED_WEIGHTS = "eNpjYKAfAAAAbAAB"
# --- end of parameters ---


def images_of(squares: Any) -> Iterator[Tuple[int, ...]]:
    """The images of the squares under the eight symmetries of the board, in the same order."""
    points = [(square % 8, square // 8) for square in squares]
    for turned in (points, [(y, x) for x, y in points]):
        for flip_x, flip_y in ((0, 0), (7, 0), (0, 7), (7, 7)):
            yield tuple((x ^ flip_x) + 8 * (y ^ flip_y) for x, y in turned)


def _distinct_images(squares: Any) -> List[Tuple[int, ...]]:
    """One image of a shape for each set of squares that it can cover."""
    found: Any = {}
    for image in images_of(squares):
        found.setdefault(frozenset(image), image)
    return list(found.values())


def _weight_numbers(squares: Any) -> Any:
    """For each way to fill a shape the first one that is equal by the shape's own symmetries."""
    count = len(squares)
    first = np.arange(3**count, dtype=np.int32)
    digits = first[:, None] // 3 ** np.arange(count, dtype=np.int32) % 3
    least = first
    for image in images_of(squares):
        if set(image) == set(squares):
            order = [image.index(square) for square in squares]
            least = np.minimum(least, digits[:, order] @ 3 ** np.arange(count, dtype=np.int32))
    return least


def _unpacked_tables() -> Tuple[Any, Any, Any]:
    """The weights as tables [phases, entries], and how to find entries.

    For each image on the board: the middle of its table, and what an own disc on each square adds
    to the index, [64, images].
    """
    entries: List[Any] = []
    middles: List[int] = []
    columns: List[Any] = []
    start = known = 0
    for squares in SHAPES:
        least = _weight_numbers(squares)
        distinct, numbers = np.unique(least, return_inverse=True)
        entries.append(numbers.ravel() + known)
        known += len(distinct)
        for image in _distinct_images(squares):
            column = np.zeros(64, np.float32)
            column[list(image)] = 3.0 ** np.arange(len(image))
            columns.append(column)
            middles.append(start + len(least) // 2)
        start += len(least)
    steps = np.frombuffer(decompress(b64decode(PACKED_WEIGHTS)), "<i2")
    weights = steps.reshape(len(PHASE_STARTS) + 1, -1).cumsum(axis=0, dtype=np.int16)
    tables = np.ascontiguousarray(weights[:, np.concatenate(entries)])
    return tables, np.array(middles), np.stack(columns, axis=1)


TABLES, MIDDLES, POWERS = _unpacked_tables()
WIN = 256  # a finished game counts this for a disc of its score, as the evaluation does


class Nothing(Dict[int, int]):
    """0 for every key: patterns need no sums over squares."""

    def __missing__(self, key: int) -> int:
        return 0


class _PatternEvaluation:
    """The evaluation for side 0; `mover` is the side to move."""

    def __init__(self) -> None:
        self.mover = 0
        self.gains = (Nothing(), Nothing())
        self.corner_value = Nothing()

    def of_boards(
        self, boards: List[int], totals: Any, corners: Any, known: int, width: Any
    ) -> Tuple[List[int], int, int]:
        """Values of boards, their moves end to end, and no stable discs."""
        reach, _ = moves_of(side_by_side(boards), width)
        octets = np.frombuffer(b"".join(board.to_bytes(16, "little") for board in boards), np.uint8)
        bits = np.unpackbits(octets.reshape(-1, 16)[:, ::-1], axis=1)[:, ::-1].astype(np.float32)
        discs = bits[:, :64] - bits[:, 64:]
        if self.mover:
            discs = -discs
        entries = (discs @ POWERS).astype(np.int64) + MIDDLES
        values = TABLES[phase_of(boards[0], PHASE_STARTS)][entries].sum(axis=1)
        values += TEMPO[bit_count(boards[0])]
        return (-values if self.mover else values).tolist(), reach, 0


class PatternSearch(Search):
    """The search with the evaluation by patterns."""

    def __init__(self, board: int, phase: int, deadline: float) -> None:
        super().__init__(board, phase, deadline)
        self.evaluation: Any = _PatternEvaluation()

    def values_of_children(self, node: Any, side: int, children: Any = None) -> List[int]:
        """The evaluation after each move of `side`, lowest square first."""
        self.evaluation.mover = 1 - side
        return super().values_of_children(node, side, children)


Search = PatternSearch  # type: ignore[misc]


# --- exported with numba from here on ---
# --- The same evaluation, compiled ---


def weights_of(phase: int) -> Any:
    """The arrays of the compiled evaluation, the same in every phase of the root.

    The tables; the phase and the tempo of each disc count; the middles; and what the own discs of a
    row, as a byte, add to the index in every image's table, [8, 256, images].
    """
    phases = np.searchsorted(PHASE_STARTS, np.arange(65), side="right")
    discs = np.arange(256)[:, None] >> np.arange(8) & 1
    sums = discs @ POWERS.reshape(8, 8, -1).astype(np.int64)
    return TABLES, phases, np.array(TEMPO), MIDDLES, sums


def compiled_evaluation(kernel: Any, count: Any, beside: Any, stable_lead: Any) -> Any:
    """The kernel that evaluates a position for the side to move, made with these helpers."""
    u8 = np.uint64
    byte = u8(0xFF)

    @kernel
    def evaluate(own, opp, mine, theirs, weights):
        tables, phases, tempo, middles, sums = weights
        discs = count(own | opp)
        table, value = tables[phases[discs]], tempo[discs]
        for image in range(len(middles)):
            entry = middles[image]
            for row in range(8):
                shift = u8(8 * row)
                own_discs, opp_discs = (own >> shift) & byte, (opp >> shift) & byte
                entry += sums[row, own_discs, image] - sums[row, opp_discs, image]
            value += table[entry]
        return value

    return evaluate
