"""Forward cuts: how shallow searches predict deep ones, measured on an agent's own games.

Source: Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", ICCA Journal
1995; here a static value predicts, too, and each disc count has figures of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Limit
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.games.opening import MATCH_SLOT, OPENING_DISCS, slot_of
from evolve.engine.patterns import patterns as block
from evolve.engine.patterns.patterns import DISC, no_cuts
from evolve.errors import AgentError

if TYPE_CHECKING:
    from evolve.agents.searching import SearchingAgent

_Floats = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64]
_Line = tuple[_Floats, _Floats, _Floats]
"""Deep value = slope · shallow value + mean, with a variance; an array [65] each, by discs."""

PROBCUT: Final = 1.1
"""Margin of probes in standard deviations: the default of an agent."""
_STATIC_MARGINS: Final = (0.8, 1.0, 1.3, 1.5, 1.7, 2.0)
"""Margins of static cuts in standard deviations, for nodes of 1, 2, … plies; the last one holds for
all others. They are for an agent with the margin PROBCUT and grow with it."""
_PROBES: Final = {
    5: 1, 6: 2, 7: 3, 8: 4, 9: 3, 10: 4, 11: 5, 12: 6, 13: 5, 14: 6, 15: 5, 16: 6,
}  # fmt: skip
"""Plies of the search that may cut a node of so many plies. Both are odd or both even, as values
swing between odd and even depths. Probes at nodes of fewer plies cost what they save."""
_FEWEST: Final = 40  # fewest positions for a fit
_FIRST_DISCS, _LAST_DISCS = 8, 56
_MOST_SWING: Final = 2.5
"""Discs: a node whose leaves have a greater swing is not cut.

Under `standard` swings reach 2 discs. Under `reversed` they are 0.8 at most up to 55 discs and 5 to
13 from 57 on. With cuts there `patterns-reversed` scored 0.515 ± 0.043 against the version before,
without them 0.624 ± 0.039 (20 000 nodes a move, 400 games each).
"""
_OUTLIER: Final = 16.0
"""Limit of a difference in discs: a larger one is a lost game seen late, not a wrong value."""


class Cut(NamedTuple):
    """How a search of `shallow` plies predicts one of `depth`, at a disc count.

    The deep value is slope · shallow value + mean, with a standard deviation. depth: 1 to 24 plies;
    shallow: 0 is the static value; discs: of the position, 4 to 64; slope: 0.25 to 4; mean,
    deviation: in discs.
    """

    depth: int
    shallow: int
    discs: int
    slope: float
    mean: float
    deviation: float


class Cuts:
    """The forward cuts of an agent: how it expects deep values. Raises AgentError.

    rows: float64 [N, 6], the fields of a `Cut` each, as files hold them.
    """

    def __init__(self, rows: npt.NDArray[Any]) -> None:
        if rows.ndim != 2 or rows.shape[1] != 6 or not np.isfinite(rows).all():
            raise AgentError(f"cuts must be rows of 6 numbers, and are {list(rows.shape)}")
        if (rows[:, :3] % 1 != 0).any():
            raise AgentError("depth, shallow depth and discs of a cut must be whole numbers")
        self.rows = rows.astype(np.float64)
        depth, shallow, discs, slope, mean, deviation = self.rows.T
        fits = (shallow >= 0) & (shallow < depth) & (depth <= block.MOST_CUT_DEPTH)
        fits &= (discs >= 4) & (discs <= 64) & (slope >= 0.25) & (slope <= 4)
        fits &= (np.abs(mean) <= 64) & (deviation >= 0) & (deviation <= 64)
        if not fits.all():
            wrong = Cut(*self.rows[np.flatnonzero(~fits)[0]].tolist())
            raise AgentError(f"{wrong} is not possible")

    @classmethod
    def of(cls, cuts: Sequence[Cut] = ()) -> Cuts:
        """The cuts of a list, none by default."""
        return cls(np.array(cuts, np.float64).reshape(len(cuts), 6))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Cut]:
        for depth, shallow, discs, *line in self.rows.tolist():
            yield Cut(int(depth), int(shallow), int(discs), *line)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cuts) and np.array_equal(self.rows, other.rows)

    def __hash__(self) -> int:
        return hash(self.rows.tobytes())

    @property
    def deepest(self) -> int:
        """Plies of the deepest nodes that are cut, 0 for none."""
        return int(self.rows[:, 0].max(initial=0))

    def cells(self, margin: float, disc: float = DISC) -> _Counts:
        """The cuts as kernels read them, see `patterns.CUTS`.

        margin: of probes, in standard deviations, 0 for no cuts; disc: the value of a disc in the
        evaluation.
        """
        cells, rows = no_cuts(), self.rows
        if margin == 0:
            return cells
        depth, shallow, discs = rows[:, :3].astype(np.int64).T
        slope, mean, deviation = rows[:, 3:].T
        spread = np.rint(margin * deviation * disc)
        mean = np.rint(mean * disc)
        probe = shallow > 0
        at = depth[probe], discs[probe]
        cells[(*at, block.PROBE_DEPTH)] = shallow[probe]
        cells[(*at, block.PROBE_SLOPE)] = np.rint((1 << block.SLOPE_BITS) / slope[probe])
        cells[(*at, block.PROBE_MEAN)] = mean[probe]
        cells[(*at, block.PROBE_MARGIN)] = spread[probe]
        cells[(*at, block.CHECK_MARGIN)] = -spread[probe]  # where no static value predicts anything
        at = depth[~probe], discs[~probe]
        cells[(*at, block.STATIC_SLOPE)] = np.rint((1 << block.SLOPE_BITS) * slope[~probe])
        cells[(*at, block.STATIC_MEAN)] = mean[~probe]
        cells[(*at, block.CHECK_MARGIN)] = spread[~probe]
        factor = np.array(_STATIC_MARGINS)[np.minimum(depth, len(_STATIC_MARGINS)) - 1] / PROBCUT
        static = ~probe & (depth <= 12)  # a static value alone cuts no deeper nodes
        cells[depth[static], discs[static], block.STATIC_MARGIN] = (factor * spread)[static]
        return cells


def measured_values(
    agent: SearchingAgent, seed: int, count: int, deepest: int, left: Callable[[], float]
) -> tuple[_Counts, _Counts]:
    """Disc counts [N] of `count` positions, fewer where time runs out, and values [N, plies + 1].

    left: seconds that are left.
    """
    discs: list[int] = []
    values: list[list[int]] = []
    for board in _positions(agent, np.random.default_rng([seed, 2])):
        if len(discs) == count or left() <= 0.0:
            break
        discs.append(64 - board.empties)
        values.append(agent.values_by_depth(board, deepest))
    return np.array(discs, np.int64), np.array(values, np.int64).reshape(-1, deepest + 1)


def tempo_and_cuts(
    agent: SearchingAgent, seed: int, count: int, deepest: int, left: Callable[[], float]
) -> tuple[_Floats, Cuts]:
    """What the tempo of patterns lacks by disc count, in discs [65], and cuts with that added.

    Both are measured on so many positions of its own games, or as many as time allows.
    """
    plain = agent._changed(probcut=0.0, endgame=0, depth=1, limit=Limit())
    discs, found = measured_values(plain, seed, count, deepest, left)
    values = found / DISC
    swings = _swings_of(discs, values)
    return swings, cuts_from(discs, _without_swings(discs, values, swings))


def _positions(agent: SearchingAgent, rng: np.random.Generator) -> Iterator[Board]:
    """Positions of games with a choice of moves, at all stages, none behind a match's opening."""
    while True:
        discs = int(rng.integers(_FIRST_DISCS, _LAST_DISCS + 1))
        book = int(rng.integers(4, 13))
        further = int(rng.integers(3))  # random plies after the game, as a search tree holds too
        board = Board.start()
        while not board.is_over() and 64 - board.empties < discs:
            count = 64 - board.empties
            if count == OPENING_DISCS and slot_of(U(board.own), U(board.opp)) == MATCH_SLOT:
                break  # a match may begin here
            moves = board.legal_moves()
            if not moves:
                board = board.pass_move()
            # Probability of a random move in the games.
            elif count < book or count >= discs - further or rng.random() < 0.05:
                board = board.play(int(rng.choice(moves)))
            else:
                board = board.play(agent.choose(board))
        if 64 - board.empties == discs and len(board.legal_moves()) > 1:
            yield board


def cuts_from(discs: _Counts, values: _Floats) -> Cuts:
    """Fit cuts to values [N, plies + 1] in discs, static first, of positions with discs [N].

    No cuts where the positions are too few, and no probe of as many plies as the deepest search
    that was measured for its node: it says nothing about deeper ones.
    """
    if len(discs) < _FEWEST:
        return Cuts.of()
    deepest = values.shape[1] - 1
    swings = _swings_of(discs, values)
    pairs = [(depth, 0) for depth in range(1, max(_PROBES) + 1)]
    pairs += [pair for pair in _PROBES.items() if _measured(pair[0], deepest) > pair[1]]
    found = [
        Cut(depth, shallow, count, slope, mean, float(np.sqrt(variance)))
        for depth, shallow in pairs
        for count, (slope, mean, variance) in enumerate(
            np.array(_line(discs, values, swings, depth, shallow, deepest)).T.tolist()
        )
        if count >= 4 and abs(swings[min(count + depth, 63)]) <= _MOST_SWING
    ]
    return Cuts.of(found)


def _line(
    discs: _Counts, values: _Floats, swings: _Floats, depth: int, shallow: int, deepest: int
) -> _Line:
    """Return how `shallow` plies predict `depth`: deeper than measured, the variance grows on.

    It grows as between the two deepest measured depths of the same parity. The swings of both
    depths are added to the mean again.
    """
    last = _measured(depth, deepest)
    slope, mean, variance = _fitted(discs, values, swings, last, shallow)
    if last < depth:
        known = last - 2 > shallow
        before = _fitted(discs, values, swings, last - 2, shallow)[2] if known else 0.0
        variance = variance + np.maximum((variance - before) / 2, 0.0) * (depth - last)
    flat, deep = (swings[np.minimum(np.arange(65) + plies, 64)] for plies in (shallow, depth))
    return slope, mean + slope * (-1) ** shallow * flat - (-1) ** depth * deep, variance


def _measured(depth: int, deepest: int) -> int:
    """The deepest measured search of the parity of `depth`, of at most so many plies."""
    return min(depth, deepest - (depth - deepest) % 2)


def _fitted(discs: _Counts, values: _Floats, swings: _Floats, depth: int, shallow: int) -> _Line:
    """Return a local regression over disc counts, for values without their swings.

    Swings between odd and even depths differ from one disc count to the next, most of all near the
    end under `reversed`: a regression over several disc counts would blur them.
    """
    inside = discs + depth <= 64
    # Discs: positions with a greater shallow value count for nothing.
    undecided = inside & (np.abs(values[:, shallow]) < 36.0)
    inside = undecided if undecided.any() else inside
    counts, some = discs[inside], values[inside]
    level = _without_swings(counts, some, swings)
    x = level[:, shallow]
    y = x + np.clip(level[:, depth] - x, -_OUTLIER, _OUTLIER)
    lines = []
    for count in range(65):
        near = min(max(count, int(counts.min())), int(counts.max()))
        # Standard deviation, in discs, of the weights of positions with other disc counts.
        weights = np.exp(-0.5 * ((counts - near) / 3.0) ** 2)
        weights /= weights.sum()
        middle_x, middle_y = weights @ x, weights @ y
        spread = weights @ (x - middle_x) ** 2
        slope = weights @ ((x - middle_x) * (y - middle_y)) / spread if spread > 0 else 1.0
        slope = float(np.clip(slope, 0.5, 2.0))
        mean = middle_y - slope * middle_x
        variance = weights @ (y - slope * x - mean) ** 2
        lines.append((slope, mean, variance))
    slopes, means, variances = np.array(lines).T
    return slopes, means, variances


def _swings_of(discs: _Counts, values: _Floats) -> _Floats:
    """Return by disc count what a static value lacks for the side to move, [65], in discs.

    It is half of what values of odd depths exceed the mean of their even neighbours by.
    """
    sums, counts = np.zeros(65), np.zeros(65)
    for depth in range(1, values.shape[1] - 1, 2):
        inside = discs + depth + 1 <= 64
        some = values[inside]
        neighbours = (some[:, depth - 1] + some[:, depth + 1]) / 2
        excess = np.clip((some[:, depth] - neighbours) / 2, -_OUTLIER, _OUTLIER)
        np.add.at(sums, discs[inside] + depth, excess)
        np.add.at(counts, discs[inside] + depth, 1)
    known = counts >= 5
    if not known.any():
        return np.zeros(65)
    found = np.interp(np.arange(65), np.flatnonzero(known), sums[known] / counts[known])
    found[64] = 0.0  # a finished game is worth its score
    return found


def _without_swings(discs: _Counts, values: _Floats, swings: _Floats) -> _Floats:
    """Values [N, plies + 1] of positions with `discs` discs, with what their leaves lack added."""
    plies = np.arange(values.shape[1])
    added: _Floats = (-1.0) ** plies * swings[np.minimum(discs[:, None] + plies, 64)]
    return values + added
