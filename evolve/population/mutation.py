"""Mutation: where a number goes. See `breeding.Mutate`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.population.breeding import Breeding, Noise
from evolve.population.genome import Vector


def gaussian(genes: Vector, noise: Noise, breeding: Breeding) -> npt.NDArray[np.float64]:
    """A normal step whose standard deviation is `mutation_size` of the number's range."""
    span = breeding.genome.high - breeding.genome.low
    steps: npt.NDArray[np.float64] = noise.normal * breeding.settings.mutation_size * span
    return genes + steps


def uniform(genes: Vector, noise: Noise, breeding: Breeding) -> Vector:
    """Drawn anew from the range."""
    return noise.anew


def step(genes: Vector, noise: Noise, breeding: Breeding) -> Vector:
    """One up or down."""
    return genes + noise.sign
