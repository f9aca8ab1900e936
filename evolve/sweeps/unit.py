"""Numbers of a space as places in their range, 0 to 1, on its scale."""

from __future__ import annotations

import math

from optuna.distributions import FloatDistribution, IntDistribution


def to_unit(value: float, distribution: FloatDistribution | IntDistribution) -> float:
    """Where a value lies in its range."""
    scale = math.log if distribution.log else float
    low, high = scale(distribution.low), scale(distribution.high)
    return (scale(value) - low) / (high - low)


def from_unit(place: float, distribution: FloatDistribution | IntDistribution) -> float | int:
    """The value at a place, on the grid of a whole number; of a place outside, the nearest end."""
    scale = math.log if distribution.log else float
    low, high = scale(distribution.low), scale(distribution.high)
    value = low + min(1.0, max(0.0, place)) * (high - low)
    if distribution.log:
        value = math.exp(value)
    value = min(max(value, distribution.low), distribution.high)
    if isinstance(distribution, IntDistribution):
        steps = round((value - distribution.low) / distribution.step)
        return min(distribution.low + steps * distribution.step, distribution.high)
    return value
