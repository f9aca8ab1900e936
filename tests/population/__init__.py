"""A problem with a known answer, for every algorithm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evolve.population.algorithms import Algorithm
from evolve.population.genome import Individual

TARGET = 37


def judge(population: Sequence[Individual]) -> None:
    """Fitness: how near all genes of weights are to TARGET."""
    for individual in population:
        distance = float(np.abs(np.array(individual[:30]) - TARGET).sum())
        individual.fitness.values = (-distance, 0.0)


def evolve_toward_target(algorithm: Algorithm, generations: int) -> tuple[float, float]:
    population = algorithm.first(np.random.default_rng(0))
    judge(population)
    first = max(individual.fitness.values[0] for individual in population)
    for generation in range(1, generations):
        population = algorithm.next(generation, population, np.random.default_rng(generation))
        judge(population)
    return first, max(individual.fitness.values[0] for individual in population)
