"""The curve of a run's rating: how strong its bests are, and whether they still get stronger.

One generation's best is rated with an error of some 30 Elo and is a lucky one itself. So the
curve is the mean of the last ten, and whether it rises is asked of the last half of the run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from evolve.fitness.statistics import Z95, Estimate, student

POOLED: Final = 10
"""Panels whose ratings make one point of the curve."""
SPAN: Final = 40
"""Generations that a rise is stated over, and the fewest that it is taken from."""
REST: Final = 20.0
"""Elo. Where less than that is to be gained in SPAN generations, evolution has come to rest: it
would change a score of 0.500 to 0.529."""
_FEWEST: Final = 8
"""Panels without which nothing is said of a rise."""


@dataclass(frozen=True)
class Rise:
    """Elo won in SPAN generations, by the panels from generation `since` on."""

    elo: Estimate
    since: int

    @property
    def rests(self) -> bool:
        """Whether evolution has come to rest: the interval ends below REST."""
        return self.elo.high < REST


def rest_told(row: Mapping[str, Any]) -> str | None:
    """A sentence on rest from a row of the generations table, where evolution has come to it."""
    high = row.get("rise_high")
    if high is None or not high < REST:  # NaN, in a table that was read
        return None
    return (
        f"evolution has come to rest: since generation {row['rise_since']:.0f} the rating rises "
        f"by [{row['rise_low']:+.0f}, {high:+.0f}] Elo in {SPAN} generations"
    )


@dataclass
class Curve:
    """Ratings of the bests of generations, in their order, with their standard errors."""

    generations: list[int] = field(default_factory=list)
    elo: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)

    def add(self, generation: int, elo: float, error: float) -> None:
        """One more panel."""
        self.generations.append(generation)
        self.elo.append(elo)
        self.error.append(error)

    @property
    def level(self) -> Estimate | None:
        """Mean rating of the last POOLED bests, with the error that games leave."""
        elo, error = self.elo[-POOLED:], self.error[-POOLED:]
        if not elo:
            return None
        value = sum(elo) / len(elo)
        half = Z95 * math.sqrt(sum(one**2 for one in error)) / len(elo)
        return Estimate.around(value, half, len(elo))

    @property
    def rise(self) -> Rise | None:
        """The slope of a straight line through the last half of the run.

        Half, because evolution gains about as much whenever its generations double: what the
        last half brought is the most that as many further ones can be expected to bring.
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
    """Slope of the least squares line, and its standard error.

    Neighbouring bests are relatives, often the same individual, so their errors are alike: the
    error grows with the correlation of neighbouring residuals as it does for an AR(1) process.
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
