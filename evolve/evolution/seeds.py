"""Random generators of a run: each use has its own child of the run's seed.

A child depends only on the seed, the use and the generation. So a resumed run draws the same
numbers as one without a stop, and only the seed needs to be saved.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Use(IntEnum):
    """What a generator is for; changing the numbers changes the result of every seed."""

    TRAINING_OPENINGS = 0
    PANEL_OPENINGS = 1
    PLAYOFF_OPENINGS = 2
    BREEDING = 3
    PLAYING = 4
    ESTIMATE = 5
    FITNESS = 6
    RATING_OPENINGS = 7


def generator(seed: int, use: Use, generation: int = 0) -> np.random.Generator:
    """Return the generator for one use in one generation."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(use), generation)))
