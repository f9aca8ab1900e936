"""Phases of the game, by disc count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_PHASES: Final = 61
"""One phase for every disc count from 4 to 64."""


def default_boundaries(phases: int) -> tuple[int, ...]:
    """Disc counts that divide 4..64 into `phases` parts as equal as possible."""
    return tuple(4 + round(61 * phase / phases) for phase in range(1, phases))


def phase_of(disc_count: int, boundaries: Sequence[int]) -> int:
    """Phase of a position: the number of boundaries that its disc count has reached."""
    return sum(disc_count >= boundary for boundary in boundaries)
