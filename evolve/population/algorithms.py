"""The algorithms by name, and what each of them offers to the loop that evaluates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OPERATORS
from evolve.errors import SettingsError
from evolve.population.cma import CmaEs
from evolve.population.ga import GeneticAlgorithm
from evolve.population.genome import Genome, Vector
from evolve.population.individual import Individual
from evolve.population.islands import Islands
from evolve.population.operators import FUNCTIONS, Operators, Own


class Algorithm(Protocol):
    """Ask for a generation, tell how it did; `state` and `restore` carry it over a restart."""

    def first(self, rng: np.random.Generator) -> list[Individual]:
        """Generation 0."""

    def next(
        self, generation: int, population: Sequence[Individual], rng: np.random.Generator
    ) -> list[Individual]:
        """The generation after `population`, whose fitness is known."""

    def mean(self, population: Sequence[Individual]) -> list[int]:
        """Genes of the mean of the best of an evaluated population."""

    def state(self) -> Mapping[str, Any]:
        """What `restore` needs beside the last evaluated population, as JSON."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on as from the moment of `state`."""


Make = Callable[[EvolutionSettings, Genome, Vector | None, Own], Algorithm]


def _ga(settings: EvolutionSettings, genome: Genome, start: Vector | None, own: Own) -> Algorithm:
    operators = Operators.of(settings, own)
    islands = [
        GeneticAlgorithm(settings, genome, start, operators, island * settings.population)
        for island in range(settings.islands)
    ]
    return Islands(islands) if len(islands) > 1 else islands[0]


def _cma(settings: EvolutionSettings, genome: Genome, start: Vector | None, own: Own) -> CmaEs:
    unused = [kind for kind in own if kind in FUNCTIONS]
    if unused:
        raise SettingsError(f"algorithm = cma: has operators of its own, and no {unused[0]}")
    return CmaEs(settings, genome, start)


ALGORITHMS: Final[Mapping[str, Make]] = {"ga": _ga, "cma": _cma}
"""How each is made of settings, a genome, genes to start from and the caller's own operators."""
assert tuple(ALGORITHMS) == tuple(OPERATORS["algorithm"])
