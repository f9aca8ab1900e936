"""Numbers of a space as places in their range, 0 to 1, on its scale."""

from __future__ import annotations

import math
from typing import Any

from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

from evolve.sweeps.grid import on_grid

Number = FloatDistribution | IntDistribution


def to_unit(value: float, distribution: Number) -> float:
    """Where a value lies in its range."""
    scale = math.log if distribution.log else float
    low, high = scale(distribution.low), scale(distribution.high)
    return (scale(value) - low) / (high - low)


def between(place: float, distribution: Number) -> float:
    """The number at a place, whatever the grid; of a place outside, the nearest end."""
    scale = math.log if distribution.log else float
    low, high = scale(distribution.low), scale(distribution.high)
    value = low + min(1.0, max(0.0, place)) * (high - low)
    if distribution.log:
        value = math.exp(value)
    return min(max(value, distribution.low), distribution.high)


def from_unit(place: float, distribution: Number) -> float | int:
    """The value at a place, on the grid of one that has steps; of a place outside, the nearest
    end."""
    found: float | int = snapped(between(place, distribution), distribution)
    return found


def snapped(value: Any, distribution: BaseDistribution) -> Any:
    """The value on the grid that is nearest to a number; of one without steps, and of a choice,
    the value itself."""
    if not isinstance(distribution, Number) or distribution.step is None:
        return value
    return on_grid(value, distribution.low, distribution.high, distribution.step)
