"""The strength of a run: how strong its best agents are, and whether they still improve.

The rating of one generation's best is a measurement with a known error, of a strength that moves
slowly. So the strength is what a Kalman filter and smoother make of all of them. Its model is the
local linear trend: strength and its slope walk at random. How far they step is unknown, so it is
integrated out over a grid: with the likeliest steps alone, bands of short runs are too narrow.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, Final

import numpy as np

from evolve.fitness.statistics import UNKNOWN, Z95, Estimate, Floats

_SPAN: Final = 40
"""Generations over which a rise is reported, and the fewest that it is computed from."""
_REST: Final = 20.0
"""Elo. A run that would gain less than this in _SPAN generations no longer improves."""
_STEPS: Final = np.array([*product((0, 1.5, 3, 6, 12, 25, 60), (0, 0.2, 1, 5, 25))]).T
"""How far the strength and its slope step in a generation: standard deviations, Elo."""
_PRIOR: Final = np.log(np.where(_STEPS == 0.0, [[2.0], [8.0]], 1.0)).sum(axis=0)
"""Logarithm of how likely these are beforehand."""


def rest_message(row: Mapping[str, Any]) -> str | None:
    """Return a sentence from a row of the generations table, if the run no longer improves."""
    high = row.get("rise_high")
    if high is None or not high < _REST:  # NaN in a table read from disk
        return None
    return (
        f"evolution has stopped improving: since generation {row['rise_since']:.0f} the rating "
        f"rises by [{row['rise_low']:+.0f}, {high:+.0f}] Elo in {_SPAN} generations"
    )


def resting_since(rows: Sequence[Mapping[Hashable, Any]]) -> float | None:
    """Since which generation a run no longer improves, as `rest_message` said first.

    None where it improves still, or again.
    """
    resting = [row for row in rows if row["rise_high"] is not None and row["rise_high"] < _REST]
    return float(resting[0]["rise_since"]) if resting and resting[-1] is rows[-1] else None


@dataclass
class Curve:
    """The strength after ratings of the best of each generation, in order.

    _filtered: for each size of steps the strength and its slope, and their covariance.
    """

    generations: list[int] = field(default_factory=list)
    _filtered: list[tuple[Floats, Floats]] = field(default_factory=list)
    _fit: Floats = field(default_factory=_PRIOR.copy)

    def add(self, generation: int, elo: float, error: float) -> None:
        """Add the rating of one panel, with its standard error."""
        # The slope of the beginning may be 40 Elo a generation.
        mean, spread = np.tile((elo, 0.0), (len(_PRIOR), 1)), np.diag((error**2, 40.0**2))
        if self.generations:
            mean, spread, _ = self._ahead(-1, generation)
            variance, off = spread[:, 0, 0] + error**2, elo - mean[:, 0]
            self._fit = self._fit - 0.5 * (np.log(variance) + off**2 / variance)
            gain = spread[:, :, 0] / variance[:, None]
            mean, spread = mean + gain * off[:, None], spread - gain[:, :, None] * spread[:, :1]
        self._filtered.append((mean, np.broadcast_to(spread, (len(_PRIOR), 2, 2))))
        self.generations.append(generation)

    @property
    def level(self) -> Estimate | None:
        """The strength after the last panel."""
        return next((self._mix(mean, spread) for mean, spread, _ in self._backward()), None)

    @property
    def smoothed(self) -> dict[int, Estimate]:
        """The strength in each generation that has a panel, from all panels."""
        found = [self._mix(mean, spread) for mean, spread, _ in self._backward()]
        return dict(zip(self.generations, reversed(found), strict=True))

    @property
    def rise(self) -> dict[str, float | None]:
        """Columns: the Elo gained in _SPAN generations in the last half of the run, and since when.

        The last half, because each doubling of the generations gains about the same: the gain of
        the last half is the most to expect from as many further generations.
        """
        last = self.generations[-1] if self.generations else 0
        first = int(np.searchsorted(self.generations, min(last - _SPAN, last // 2)))
        panels = len(self.generations) - first
        if last < _SPAN or panels < 8:  # of fewer panels no rise is reported
            return {**UNKNOWN.columns("rise"), "rise_since": None}
        states = list(islice(self._backward(), panels))
        (end, end_variance, _), (mean, variance, shared) = states[0], states[-1]
        since = self.generations[first]
        scale = _SPAN / (last - since)
        gain, uncertainty = end - mean, end_variance + variance - 2.0 * shared
        elo = self._mix(scale * gain, scale**2 * uncertainty)
        return {**elo.columns("rise"), "rise_since": since}

    def _ahead(self, index: int, generation: int) -> tuple[Floats, Floats, Floats]:
        """The state after a panel, moved to a later generation, and how much the two share."""
        (mean, spread), before = self._filtered[index], self.generations[index]
        step = generation - before
        motion = np.array([[1.0, step], [0.0, 1.0]])
        level, slope = _STEPS[:, :, None, None] ** 2
        # It may leap by 150 Elo after the random first generation, and ever less later.
        level = level + (150.0 / (1 + before) ** 2) ** 2
        drift = np.array([[step**3 / 3, step**2 / 2], [step**2 / 2, step]])
        walked = level * np.diag((step, 0.0)) + slope * drift
        return mean @ motion.T, motion @ spread @ motion.T + walked, spread @ motion.T

    def _backward(self) -> Iterator[tuple[Floats, Floats, Floats]]:
        """From the last panel to the first: strength, variance, and covariance with the last."""
        if not self._filtered:
            return
        mean, spread = self._filtered[-1]
        shared = spread
        yield mean[:, 0], spread[:, 0, 0], shared[:, 0, 0]
        for index in reversed(range(len(self._filtered) - 1)):
            forecast, doubt, cross = self._ahead(index, self.generations[index + 1])
            back = cross @ np.linalg.inv(doubt)
            before, known = self._filtered[index]
            mean = before + (back @ (mean - forecast)[:, :, None])[:, :, 0]
            spread = known + back @ (spread - doubt) @ back.transpose(0, 2, 1)
            shared = back @ shared
            yield mean[:, 0], spread[:, 0, 0], shared[:, 0, 0]

    def _mix(self, means: Floats, variances: Floats) -> Estimate:
        """The mean and the interval over all sizes of steps, weighed by how well they fit."""
        weights = np.exp(self._fit - self._fit.max())
        weights /= weights.sum()
        mean = float(weights @ means)
        # Not the root of the mean square: in a mixture, 95 % lie nearer than 1.96 of these.
        error = float(weights @ np.sqrt(np.maximum(variances, 0.0) + (means - mean) ** 2))
        # Rounded: linear algebra libraries differ in the last digits, and tables shall not.
        return Estimate.around(round(mean, 4), round(Z95 * error, 4), len(self.generations))


def curve_of(rows: Iterable[Mapping[str, Any]]) -> Curve:
    """The strength after rows of the generations table; those without a rating are left out."""
    curve = Curve()
    for row in rows:
        value, low, high = (row.get(f"panel_elo{end}") for end in ("", "_low", "_high"))
        if value is not None and low is not None and high is not None:
            curve.add(row["generation"], value, max(1.0, Estimate(value, low, high, 0).error))
    return curve
