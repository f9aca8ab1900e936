"""Generators of a run: each use has its own child of the run's one seed.

A child is a function of the seed, the use and the generation, so a run that goes on after a
stop draws what it would have drawn without one; the seed is all there is to save.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Use(IntEnum):
    """What a generator is for; the numbers are part of what a seed means."""

    TRAINING_OPENINGS = 0
    PANEL_OPENINGS = 1
    PLAYOFF_OPENINGS = 2
    BREEDING = 3
    PLAYING = 4
    ESTIMATE = 5
    FITNESS = 6
    RATING_OPENINGS = 7


def generator(seed: int, use: Use, generation: int = 0) -> np.random.Generator:
    """The generator of one use in one generation."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(use), generation)))
