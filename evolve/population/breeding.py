"""What operators are given, and what each kind of them is called with."""

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
    """What an operator may look at, and the one generator that it may draw from."""

    settings: EvolutionSettings
    genome: Genome
    rng: np.random.Generator


class Noise(NamedTuple):
    """What mutation moves numbers by, drawn once for every child.

    Both mutations and all their choices share it, so that a choice for one kind of gene leaves
    the draws of the other as they are. normal [size] is drawn from the standard normal
    distribution, sign [size] −1 or 1, anew [size] a genome drawn uniformly from the ranges.
    """

    normal: npt.NDArray[np.float64]
    sign: npt.NDArray[np.int64]
    anew: Vector


Select = Callable[[Sequence[Individual], int, Breeding], Sequence[Individual]]
"""select(candidates, count, breeding): `count` different ones of the candidates, which come best
first. The best of the population is not among them: it is always selected."""

Cross = Callable[[Sequence[int], Sequence[int], Breeding], npt.ArrayLike]
"""cross(mother, father, breeding): a child's numbers [size]; they are rounded, and taken to the
nearest within the ranges."""

Mutate = Callable[[Vector, Noise, Breeding], npt.ArrayLike]
"""mutate(genes, noise, breeding): where each number [size] goes if it mutates, which the rate
decides; rounded and taken within the ranges as a child's."""

Survive = Callable[[Sequence[Individual], Sequence[Individual], Breeding], Sequence[Individual]]
"""survive(population, selected, breeding): who of the population lives on; both come best first."""
