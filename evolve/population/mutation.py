"""Mutation: change the numbers of a genome. See `breeding.Mutate`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.population.breeding import Breeding, Mutate, Noise
from evolve.population.genome import Vector


def gaussian(genes: Vector, noise: Noise, breeding: Breeding) -> npt.NDArray[np.float64]:
    """Add a normal step with a standard deviation of `mutation_size` times the number's range."""
    span = breeding.genome.high - breeding.genome.low
    steps: npt.NDArray[np.float64] = noise.normal * breeding.settings.mutation_size * span
    return genes + steps


def uniform(genes: Vector, noise: Noise, breeding: Breeding) -> Vector:
    """Draw a new value from the range."""
    return noise.anew


def step(genes: Vector, noise: Noise, breeding: Breeding) -> Vector:
    """Move one up or down."""
    return genes + noise.sign


MUTATIONS: Final[Mapping[str, Mutate]] = {"gaussian": gaussian, "uniform": uniform}
DEPTH_MUTATIONS: Final[Mapping[str, Mutate]] = {"step": step, "uniform": uniform}
