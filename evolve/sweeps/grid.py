"""Ranges in steps: low, low + step, low + 2 step, … up to high."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

_CLOSE: Final = 1e-9
"""The share of a range's steps by which a division of floats may be off."""


def steps_in(low: float, high: float, step: float) -> int:
    """How many whole steps fit into a range."""
    count = (high - low) / step
    return math.floor(count + _CLOSE * max(1.0, count))


def on_grid(value: float, low: float, high: float, step: float) -> float:
    """The value in the range that is nearest on the grid, as it is written: 0.3, and not
    0.30000000000000004."""
    return at_step(round((value - low) / step), low, high, step)


def at_step(number: int, low: float, high: float, step: float) -> float:
    """The value so many steps above low; of a number beyond the range, the nearest end."""
    number = min(max(number, 0), steps_in(low, high, step))
    if all(isinstance(one, int) for one in (low, step)):
        return low + number * step
    return float(Decimal(repr(low)) + number * Decimal(repr(step)))
