"""The scale of a parameter: places in its range, and its steps.

A place is a number's position in its range, 0 to 1. Steps are low, low + step, low + 2 step, … up
to high.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Final

from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution

Number = FloatDistribution | IntDistribution
_CLOSE: Final = 1e-9
"""Possible error of a division of floats, as a share of a range's steps."""


def to_unit(value: float, distribution: Number) -> float:
    """Return the place of a value in its range."""
    scale = math.log if distribution.log else float
    low, high = scale(distribution.low), scale(distribution.high)
    return (scale(value) - low) / (high - low)


def between(place: float, distribution: Number) -> float:
    """Return the number at a place, without a grid; outside 0 to 1, the nearest end."""
    scale = math.log if distribution.log else float
    low, high = scale(distribution.low), scale(distribution.high)
    value = low + min(1.0, max(0.0, place)) * (high - low)
    if distribution.log:
        value = math.exp(value)
    return min(max(value, distribution.low), distribution.high)


def from_unit(place: float, distribution: Number) -> float | int:
    """Return the value at a place, on the grid where there are steps.

    For a place outside 0 to 1, the nearest end.
    """
    found: float | int = snapped(between(place, distribution), distribution)
    return found


def snapped(value: Any, distribution: BaseDistribution) -> Any:
    """Return the value on the grid that is nearest to a number.

    Without steps, and for a choice, the value itself.
    """
    if not isinstance(distribution, Number) or distribution.step is None:
        return value
    return on_grid(value, distribution.low, distribution.high, distribution.step)


def steps_in(low: float, high: float, step: float) -> int:
    """Count the whole steps that fit into a range."""
    count = (high - low) / step
    return math.floor(count + _CLOSE * max(1.0, count))


def on_grid(value: float, low: float, high: float, step: float) -> float:
    """Return the nearest value on the grid within the range.

    It is exact as written: 0.3, and not 0.30000000000000004.
    """
    return at_step(round((value - low) / step), low, high, step)


def at_step(number: int, low: float, high: float, step: float) -> float:
    """Return the value `number` steps above low; beyond the range, the nearest end."""
    number = min(max(number, 0), steps_in(low, high, step))
    if all(isinstance(one, int) for one in (low, step)):
        return low + number * step
    return float(Decimal(repr(low)) + number * Decimal(repr(step)))
