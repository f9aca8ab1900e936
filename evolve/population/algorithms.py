"""The algorithms by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OPERATORS
from evolve.errors import SettingsError
from evolve.population.algorithm import Algorithm
from evolve.population.cma import CmaEs
from evolve.population.ga import GeneticAlgorithm
from evolve.population.genome import Genome, Vector
from evolve.population.operators import FUNCTIONS, Operators, Own

Make = Callable[[EvolutionSettings, Genome, Vector | None, Own], Algorithm]


def _ga(
    settings: EvolutionSettings, genome: Genome, start: Vector | None, own: Own
) -> GeneticAlgorithm:
    return GeneticAlgorithm(settings, genome, start, Operators.of(settings, own))


def _cma(settings: EvolutionSettings, genome: Genome, start: Vector | None, own: Own) -> CmaEs:
    unused = [kind for kind in own if kind in FUNCTIONS]
    if unused:
        raise SettingsError(f"algorithm = cma: has operators of its own, and no {unused[0]}")
    return CmaEs(settings, genome, start)


ALGORITHMS: Final[Mapping[str, Make]] = {"ga": _ga, "cma": _cma}
"""How each is made of settings, a genome, genes to start from and the caller's own operators."""
assert tuple(ALGORITHMS) == tuple(OPERATORS["algorithm"])
