from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from evolve.config.toml import resolve
from evolve.population.algorithms import Algorithm
from evolve.population.cma import CmaEs
from evolve.population.ga import GeneticAlgorithm
from evolve.population.genome import Genome
from evolve.population.individual import Individual
from evolve.population.randomness import deap_draws_from

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


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"crossover": "uniform", "mutation": "uniform", "depth_mutation": "uniform"},
        {"crossover": "one-point"},
        {"crossover": "two-point", "selection": "tournament"},
        {"crossover": "none"},
        {"crossover_rate": 0.5},
    ],
)
def test_the_genetic_algorithm_climbs(options: dict[str, str]) -> None:
    settings = resolve(options)
    first, last = evolve_toward_target(GeneticAlgorithm(settings, Genome.of(settings)), 60)
    assert last > 0.6 * first, (first, last)


def test_cma_es_climbs() -> None:
    settings = resolve({"algorithm": "cma"})
    first, last = evolve_toward_target(CmaEs(settings, Genome.of(settings)), 60)
    assert last > 0.35 * first, (first, last)


def test_children_have_two_parents_and_stay_in_range() -> None:
    settings = resolve({"mutation_rate": 1.0, "mutation_size": 2.0, "newcomers": 0.125})
    genome = Genome.of(settings)
    algorithm = GeneticAlgorithm(settings, genome)
    population = algorithm.first(np.random.default_rng(3))
    judge(population)
    names = {individual.name for individual in population}
    following = algorithm.next(1, population, np.random.default_rng(4))
    origins = [individual.origin for individual in following]
    assert len(following) == 64
    assert origins.count("newcomer") == 8
    assert origins[:16] == ["random"] * 16
    for individual in following:
        assert (np.array(individual) >= genome.low).all()
        assert (np.array(individual) <= genome.high).all()
        if individual.born == 1 and individual.origin != "newcomer":
            assert len(individual.parents) == 2
            assert set(individual.parents) <= names
    assert len({individual.name for individual in following}) == 64


def test_uniform_crossover_takes_each_gene_from_a_parent() -> None:
    settings = resolve({"crossover": "uniform", "mutation_rate": 0.0, "newcomers": 0.0})
    algorithm = GeneticAlgorithm(settings, Genome.of(settings))
    population = algorithm.first(np.random.default_rng(5))
    judge(population)
    by_name = {individual.name: individual for individual in population}
    for child in algorithm.next(1, population, np.random.default_rng(6))[16:]:
        mother, father = (by_name[name] for name in child.parents)
        assert all(gene in pair for gene, *pair in zip(child, mother, father, strict=True))


def test_blend_reaches_a_quarter_beyond_the_parents() -> None:
    settings = resolve({"mutation_rate": 0.0, "newcomers": 0.0})
    genome = Genome.of(settings)
    algorithm = GeneticAlgorithm(settings, genome)
    population = algorithm.first(np.random.default_rng(7))
    judge(population)
    by_name = {individual.name: individual for individual in population}
    beyond = 0
    for child in algorithm.next(1, population, np.random.default_rng(8))[16:]:
        parents = np.array([by_name[name] for name in child.parents])
        low, high = parents.min(axis=0), parents.max(axis=0)
        reach = 0.25 * (high - low) + 0.5
        assert (np.array(child) >= low - reach).all()
        assert (np.array(child) <= high + reach).all()
        beyond += int(((np.array(child) < low) | (np.array(child) > high)).sum())
    assert beyond > 0


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


def test_start_is_first_and_half_are_its_mutants() -> None:
    settings = resolve({})
    genome = Genome.of(settings)
    start = genome.random(np.random.default_rng(11))
    population = GeneticAlgorithm(settings, genome, start).first(np.random.default_rng(12))
    assert list(population[0]) == start.tolist()
    origins = [individual.origin for individual in population]
    assert origins == ["start"] + ["mutation"] * 31 + ["random"] * 32


def test_cma_goes_on_from_its_state() -> None:
    settings = resolve({"algorithm": "cma", "population": 12})
    genome = Genome.of(settings)
    whole, other = CmaEs(settings, genome), CmaEs(settings, genome)
    population = whole.first(np.random.default_rng(0))
    for generation in range(1, 5):
        judge(population)
        other.restore(whole.state())
        expected = whole.next(generation, population, np.random.default_rng(generation))
        assert expected == other.next(generation, population, np.random.default_rng(generation))
        population = expected


def test_global_random_state_is_left_as_it_was() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # the state that must survive
    expected = (random.random(), np.random.random())  # noqa: NPY002
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    with deap_draws_from(np.random.default_rng(0)):
        first = random.random()
    assert (random.random(), np.random.random()) == expected  # noqa: NPY002
    with deap_draws_from(np.random.default_rng(0)):
        assert random.random() == first
