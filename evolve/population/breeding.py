"""The arguments of operators, and the signature of each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.config.evolution import EvolutionSettings
from evolve.population.genome import Genome, Vector
from evolve.population.individual import Individual


@dataclass(frozen=True)
class Breeding:
    """Data that an operator may use, and the only generator that it may draw from."""

    settings: EvolutionSettings
    genome: Genome
    rng: np.random.Generator


class Noise(NamedTuple):
    """Random numbers for mutation, drawn once for every child.

    Both mutations and all their choices share it, so that a choice for one kind of gene does not
    change the draws of the other. normal [size] is drawn from the standard normal distribution,
    sign [size] is −1 or 1, anew [size] is a genome drawn uniformly from the ranges.
    """

    normal: npt.NDArray[np.float64]
    sign: npt.NDArray[np.int64]
    anew: Vector


Select = Callable[[Sequence[Individual], int, Breeding], Sequence[Individual]]
"""select(candidates, count, breeding): `count` different ones of the candidates, which come best
first. They do not include the best of the population: it is always selected."""

Cross = Callable[[Sequence[int], Sequence[int], Breeding], npt.ArrayLike]
"""cross(mother, father, breeding): a child's numbers [size]; they are rounded and clipped to the
ranges."""

Mutate = Callable[[Vector, Noise, Breeding], npt.ArrayLike]
"""mutate(genes, noise, breeding): the new value of each number [size] if it mutates, which depends
on the rate; rounded and clipped to the ranges as a child's numbers."""

Survive = Callable[[Sequence[Individual], Sequence[Individual], Breeding], Sequence[Individual]]
"""survive(population, selected, breeding): the survivors of the population. Both sequences come
best first."""
