"""The algorithms by name, and their interface to the evaluation loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OPERATORS
from evolve.errors import SettingsError
from evolve.population.cma import CmaEs
from evolve.population.ga import GeneticAlgorithm
from evolve.population.genome import Genome, Individual, Vector
from evolve.population.operators import FUNCTIONS, Operators, Own


class Algorithm(Protocol):
    """Breeds generations by fitness; `state` and `restore` preserve it over restarts."""

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Return generation 0."""

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """Return the generation after `population`, which has its fitness."""

    def mean(self, population: Sequence[Individual]) -> list[int]:
        """Return the mean genes of the best of an evaluated population."""

    def state(self) -> Mapping[str, Any]:
        """Return what `restore` needs in addition to the last evaluated population, as JSON."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore a `state`."""


Make = Callable[[EvolutionSettings, Genome, Vector | None, Own], Algorithm]


def _ga(settings: EvolutionSettings, genome: Genome, start: Vector | None, own: Own) -> Algorithm:
    return GeneticAlgorithm(settings, genome, start, Operators.of(settings, own))


def _cma(settings: EvolutionSettings, genome: Genome, start: Vector | None, own: Own) -> CmaEs:
    unused = [kind for kind in own if kind in FUNCTIONS]
    if unused:
        raise SettingsError(f"algorithm = cma: has operators of its own, and no {unused[0]}")
    return CmaEs(settings, genome, start)


ALGORITHMS: Final[Mapping[str, Make]] = {"ga": _ga, "cma": _cma}
"""Constructors: they take settings, a genome, start genes and the caller's operators."""
assert tuple(ALGORITHMS) == tuple(OPERATORS["algorithm"])
