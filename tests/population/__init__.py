"""A problem with a known answer, for every algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from evolve.config.toml import resolve
from evolve.population.algorithms import Algorithm, GeneticAlgorithm
from evolve.population.genome import Genome, Individual

IntArray = npt.NDArray[np.int64]


def judge(population: Sequence[Individual]) -> None:
    """Fitness: how near all genes of weights are to 37."""
    for individual in population:
        individual.fitness.values = (-float(np.abs(np.array(individual[:30]) - 37).sum()), 0.0)


def evolve_toward_target(algorithm: Algorithm, generations: int) -> tuple[float, float]:
    population = algorithm.first(np.random.default_rng(0))
    judge(population)
    first = max(individual.fitness.values[0] for individual in population)
    for generation in range(1, generations):
        population = algorithm.next(generation, population, np.random.default_rng(generation))
        judge(population)
    return first, max(individual.fitness.values[0] for individual in population)


def children_of(seed: int, **options: Any) -> tuple[Genome, IntArray, IntArray]:
    """The first children by these settings [child, gene], and their parents [child, parent, gene].

    Nobody is new, so that those behind the survivors are children.
    """
    settings = resolve({"newcomers": 0.0, **options})
    algorithm = GeneticAlgorithm(Genome.of(settings))
    population = algorithm.first(np.random.default_rng(seed))
    judge(population)
    by_name = {individual.name: individual for individual in population}
    children = algorithm.next(1, population, np.random.default_rng(seed + 1))[16:]
    parents = [[by_name[name] for name in child.parents] for child in children]
    return algorithm.genome, np.array(children), np.array(parents)
