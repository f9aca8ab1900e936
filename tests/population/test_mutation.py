"""Mutations."""

from __future__ import annotations

import numpy as np

from evolve.config.toml import resolve
from evolve.population.algorithms import GeneticAlgorithm
from evolve.population.genome import Genome
from tests.population import judge


def test_depths_mutate_by_single_steps() -> None:
    settings = resolve({"crossover": "none", "mutation_rate": 1.0, "newcomers": 0.0})
    genome = Genome.of(settings)
    algorithm = GeneticAlgorithm(settings, genome)
    population = algorithm.first(np.random.default_rng(9))
    judge(population)
    by_name = {individual.name: individual for individual in population}
    for child in algorithm.next(1, population, np.random.default_rng(10))[16:]:
        parent = np.array(by_name[child.parents[0]])
        assert (np.abs(np.array(child) - parent)[genome.steps] <= 1).all()
