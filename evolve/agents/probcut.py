"""Forward cuts of a pattern search: how shallow searches predict deep ones, and by what margin.

Source: ProbCut (Buro 1995), whose idea here also holds for searches of no plies at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.patterns.patterns import (
    CHECK_MARGIN,
    DISC,
    MOST_CUT_DEPTH,
    PROBE_DEPTH,
    PROBE_MARGIN,
    PROBE_MEAN,
    PROBE_SLOPE,
    SLOPE_BITS,
    STATIC_MARGIN,
    STATIC_MEAN,
    STATIC_SLOPE,
    no_cuts,
)
from evolve.errors import AgentError

PROBCUT: Final = 1.1
"""Margin of probes in standard deviations: the default of an agent."""
STATIC_MARGINS: Final = (0.8, 1.0, 1.3, 1.5, 1.7, 2.0)
"""Margins of static cuts in standard deviations, for nodes of 1, 2, … plies; the last one holds for
all others. They are for an agent with the margin PROBCUT and grow with it."""
DEEPEST_STATIC: Final = 12
"""Plies of the deepest nodes that a static value alone may cut."""


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
        fits = (shallow >= 0) & (shallow < depth) & (depth <= MOST_CUT_DEPTH)
        fits &= (discs >= 4) & (discs <= 64) & (slope >= 0.25) & (slope <= 4)
        fits &= (np.abs(mean) <= 64) & (deviation >= 0) & (deviation <= 64)
        if not fits.all():
            wrong = Cut(*self.rows[np.flatnonzero(~fits)[0]].tolist())
            raise AgentError(f"{wrong} is not possible")
        self._cells: dict[tuple[float, ...], npt.NDArray[np.int64]] = {}

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

    def cells(self, margin_at: Callable[[int], float], disc: float = DISC) -> npt.NDArray[np.int64]:
        """The cuts as kernels read them, see `patterns.CUTS`. Do not change them.

        margin_at: the margin of probes in standard deviations at a disc count, 0 for no cuts there;
        disc: the value of a disc in the evaluation.
        """
        key = disc, *(margin_at(discs) for discs in range(65))
        if key not in self._cells:  # made once for all games and copies of an agent: 1 ms
            self._cells[key] = self._filled(np.array(key[1:]), disc)
        return self._cells[key]

    def _filled(self, margins: npt.NDArray[np.float64], disc: float) -> npt.NDArray[np.int64]:
        cells = no_cuts()
        rows = self.rows[margins[self.rows[:, 2].astype(np.int64)] > 0]
        depth, shallow, discs = rows[:, :3].astype(np.int64).T
        slope, mean, deviation = rows[:, 3:].T
        spread = np.rint(margins[discs] * deviation * disc)
        mean = np.rint(mean * disc)
        probe = shallow > 0
        at = depth[probe], discs[probe]
        cells[(*at, PROBE_DEPTH)] = shallow[probe]
        cells[(*at, PROBE_SLOPE)] = np.rint((1 << SLOPE_BITS) / slope[probe])
        cells[(*at, PROBE_MEAN)] = mean[probe]
        cells[(*at, PROBE_MARGIN)] = spread[probe]
        cells[(*at, CHECK_MARGIN)] = -spread[probe]  # where no static value predicts anything
        at = depth[~probe], discs[~probe]
        cells[(*at, STATIC_SLOPE)] = np.rint((1 << SLOPE_BITS) * slope[~probe])
        cells[(*at, STATIC_MEAN)] = mean[~probe]
        cells[(*at, CHECK_MARGIN)] = spread[~probe]
        factor = np.array(STATIC_MARGINS)[np.minimum(depth, len(STATIC_MARGINS)) - 1] / PROBCUT
        static = ~probe & (depth <= DEEPEST_STATIC)
        cells[depth[static], discs[static], STATIC_MARGIN] = (factor * spread)[static]
        return cells
