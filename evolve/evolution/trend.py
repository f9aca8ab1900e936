"""The rating curve of a run: how strong its best agents are, and whether they still improve.

The rating of one generation's best has an error of about 30 Elo, and that agent is a lucky pick
itself. So the curve is the mean of the last ten, and its rise is measured over the last half of
the run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from evolve.fitness.statistics import Z95, Estimate, student

POOLED: Final = 10
"""Number of panel ratings averaged into one point of the curve."""
SPAN: Final = 40
"""Generations over which a rise is reported, and the fewest that it is computed from."""
REST: Final = 20.0
"""Elo. A run that would gain less than this in SPAN generations no longer improves."""
_FEWEST: Final = 8
"""Fewest panels for which a rise is reported."""


@dataclass(frozen=True)
class Rise:
    """Elo gained in SPAN generations, from the panels of generation `since` and later."""

    elo: Estimate
    since: int

    @property
    def rests(self) -> bool:
        """Whether the run no longer improves: the interval ends below REST."""
        return self.elo.high < REST


def rest_message(row: Mapping[str, Any]) -> str | None:
    """Return a sentence from a row of the generations table, if the run no longer improves."""
    high = row.get("rise_high")
    if high is None or not high < REST:  # NaN in a table read from disk
        return None
    return (
        f"evolution has stopped improving: since generation {row['rise_since']:.0f} the rating "
        f"rises by [{row['rise_low']:+.0f}, {high:+.0f}] Elo in {SPAN} generations"
    )


@dataclass
class Curve:
    """Ratings of the best of each generation, in order, with their standard errors."""

    generations: list[int] = field(default_factory=list)
    elo: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)

    def add(self, generation: int, elo: float, error: float) -> None:
        """Add the rating of one panel."""
        self.generations.append(generation)
        self.elo.append(elo)
        self.error.append(error)

    @property
    def level(self) -> Estimate | None:
        """Mean rating of the best of the last POOLED panels, with the error from the games."""
        elo, error = self.elo[-POOLED:], self.error[-POOLED:]
        if not elo:
            return None
        value = sum(elo) / len(elo)
        half = Z95 * math.sqrt(sum(e**2 for e in error)) / len(elo)
        return Estimate.around(value, half, len(elo))

    @property
    def rise(self) -> Rise | None:
        """The slope of a straight line through the last half of the run.

        The last half, because each doubling of the generations gains about the same: the gain of
        the last half is the most to expect from as many further generations.
        """
        if not self.generations:
            return None
        last = self.generations[-1]
        since = min(last - SPAN, last // 2)
        first = int(np.searchsorted(self.generations, since))
        if since < 0 or len(self.generations) - first < _FEWEST:
            return None
        slope, error = _line(self.generations[first:], self.elo[first:])
        panels = len(self.generations) - first
        half = error * student(panels - 2)
        value, low, high = (SPAN * (slope + part) for part in (0.0, -half, half))
        return Rise(Estimate(value, low, high, panels), self.generations[first])


def _line(at: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """Return the slope of the least squares line, and its standard error.

    The best of neighbouring generations are relatives, so their errors correlate: the error grows
    with the correlation of neighbouring residuals as for an AR(1) process.
    """
    x = np.asarray(at, np.float64) - np.mean(at)
    y = np.asarray(values) - np.mean(values)
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    squares = float(rest @ rest)
    error = math.sqrt(squares / (len(x) - 2) / float(x @ x))
    alike = float(rest[1:] @ rest[:-1]) / squares if squares else 0.0
    alike = min(max(alike, 0.0), 0.9)
    return slope, error * math.sqrt((1.0 + alike) / (1.0 - alike))
