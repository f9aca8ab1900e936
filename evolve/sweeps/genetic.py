"""The genetic algorithm as an Optuna sampler without state beyond the trials.

It is the algorithm of `evolve run`, with one child at a time instead of generations (Whitley's
GENITOR, ICGA 1989): the best trials so far are the population, and a proposal is a child of
selected ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.config.evolution import EvolutionSettings
from evolve.engine.search.genes import Gene
from evolve.population.breeding import Breeding
from evolve.population.encoding import Encoding
from evolve.population.ga import GeneticAlgorithm
from evolve.population.genome import Genome
from evolve.population.individual import Individual
from evolve.sweeps.joint import JointSampler, by_chance, common_space, complete_trials
from evolve.sweeps.space import from_unit, to_unit

_STEPS: Final = 10_000
"""Parts of a number's range: genes are whole numbers."""
_POPULATION: Final = 16
_PARENTS: Final = 8
_SETTINGS: Final[Mapping[str, Any]] = {
    "mutation_rate": 0.1,
    "mutation_size": 0.15,
    "selection": "tournament",
    # Choices have no order: a child gets the choice of a parent, or any.
    "depth_mutation": "uniform",
    "crossover": "uniform",
}


class GeneticSampler(JointSampler):
    """Proposes children of the best trials; the first `startup` finished trials are random.

    A proposal follows from the seed and the trials alone.
    """

    def __init__(self, startup: int, seed: int) -> None:
        self._startup = max(2, startup)
        self._seed = seed
        self.alone = by_chance(seed)

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the parameters that all complete trials have."""
        return common_space(study)

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return a child of two of the best trials."""
        trials = complete_trials(study)
        if len(trials) < self._startup or not search_space:
            return {}
        genome = genome_of(search_space)
        settings = genome.settings
        algorithm = GeneticAlgorithm(settings, genome)
        breeding = Breeding(settings, genome, np.random.default_rng(self._seed))
        ranked = sorted(trials, key=lambda one: (-one.values[0], one.number))[:_POPULATION]
        population = [_individual(one, search_space) for one in ranked]
        count = min(_PARENTS, len(population)) - 1
        chosen = algorithm.operators.selection(population[1:], count, breeding)
        child = algorithm.child("child", 0, [population[0], *chosen], breeding)
        return {
            name: value_of(gene, one)
            for gene, (name, one) in zip(child, search_space.items(), strict=True)
        }


def genome_of(space: Mapping[str, BaseDistribution], population: int | None = None) -> Genome:
    """Make a genome with a gene for each parameter, for a population of that size.

    A gene is a place in the parameter's range, or among its choices.
    """
    settings = dict(_SETTINGS) if population is None else {**_SETTINGS, "population": population}
    genes = {
        f"gene{number}": (
            Gene((0, len(one.choices) - 1), name, steps=True)
            if isinstance(one, CategoricalDistribution)
            else Gene((0, _STEPS), name)
        )
        for number, (name, one) in enumerate(space.items())
    }
    low, high = np.array([gene.bounds for gene in genes.values()], np.int64).T
    sizes = dict.fromkeys(genes, 1)
    return Genome(EvolutionSettings(**settings), sizes, low, high, Encoding(genes, _no_agent))


def _no_agent(genes: dict[str, list[int]]) -> AlphaBetaAgent:
    raise AssertionError(f"{genes} are the settings of a trial")


def _individual(trial: FrozenTrial, space: Mapping[str, BaseDistribution]) -> Individual:
    individual = Individual(
        (gene_of(trial.params[name], one) for name, one in space.items()), name=str(trial.number)
    )
    individual.fitness.values = (trial.values[0], 0.0)
    return individual


def gene_of(value: Any, distribution: BaseDistribution) -> int:
    """Return the gene of a parameter's value."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices.index(value)
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    return round(_STEPS * to_unit(value, distribution))


def value_of(gene: int, distribution: BaseDistribution) -> Any:
    """Return the value of a gene."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[gene]
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    return from_unit(gene / _STEPS, distribution)
