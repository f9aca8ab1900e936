"""The algorithms climb, children are what they should be, and CMA-ES goes on from its state."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.config.toml import resolve
from evolve.errors import SettingsError
from evolve.population.algorithms import CmaEs, GeneticAlgorithm, algorithm_of
from evolve.population.genome import Genome
from tests.population import children_of, evolve_toward_target, judge


@pytest.mark.parametrize(
    "options",
    [
        {},
        *(
            pytest.param(options, marks=pytest.mark.slow)
            for options in (
                {"crossover": "two-point", "selection": "tournament"},
                {"crossover": "uniform", "mutation": "uniform", "depth_mutation": "uniform"},
                {"crossover": "one-point"},
                {"crossover": "none"},
                {"crossover_rate": 0.5},
                {"algorithm": "cma"},
            )
        ),
    ],
)
def test_algorithms_climb(options: dict[str, str]) -> None:
    settings = resolve(options)
    first, last = evolve_toward_target(algorithm_of(Genome.of(settings), None, {}), 60)
    assert last > (0.35 if settings.algorithm == "cma" else 0.6) * first, (first, last)


def test_children_have_two_parents_and_stay_in_range() -> None:
    settings = resolve({"mutation_rate": 1.0, "mutation_size": 2.0, "newcomers": 0.125})
    genome = Genome.of(settings)
    algorithm = GeneticAlgorithm(genome)
    population = algorithm.first(np.random.default_rng(3))
    judge(population)
    following = algorithm.next(1, population, np.random.default_rng(4))
    origins = [individual.origin for individual in following]
    assert len(following) == 64
    assert origins.count("newcomer") == 8
    assert origins[:16] == ["random"] * 16
    assert (np.array(following) >= genome.low).all()
    assert (np.array(following) <= genome.high).all()
    children = [one for one in following if one.born == 1 and one.origin != "newcomer"]
    assert {len(child.parents) for child in children} == {2}
    names = {name for child in children for name in child.parents}
    assert names <= {individual.name for individual in population}
    assert len({individual.name for individual in following}) == 64


def test_start_is_first_and_half_are_its_mutants() -> None:
    settings = resolve({})
    genome = Genome.of(settings)
    start = genome.random(np.random.default_rng(11))
    population = GeneticAlgorithm(genome, start).first(np.random.default_rng(12))
    assert list(population[0]) == start.tolist()
    origins = [individual.origin for individual in population]
    assert origins == ["start"] + ["mutation"] * 31 + ["random"] * 32


def test_cma_goes_on_from_its_state() -> None:
    settings = resolve({"algorithm": "cma", "population": 12})
    genome = Genome.of(settings)
    whole, other = CmaEs(genome), CmaEs(genome)
    population = whole.first(np.random.default_rng(0))
    expected, found = [], []
    for generation in range(1, 5):
        judge(population)
        other.restore(whole.state())
        found.append(other.next(generation, population, np.random.default_rng(generation)))
        population = whole.next(generation, population, np.random.default_rng(generation))
        expected.append(population)
    assert found == expected


def test_depths_mutate_by_single_steps() -> None:
    genome, children, parents = children_of(9, crossover="none", mutation_rate=1.0)
    assert np.abs(children - parents[:, 0])[:, genome.steps].max() <= 1


@pytest.mark.parametrize(("survival", "living"), [("selected", 5), ("best", 1)])
def test_who_lives_on(survival: str, living: int) -> None:
    settings = resolve({"population": 20, "survival": survival, "newcomers": 0.1})
    algorithm = GeneticAlgorithm(Genome.of(settings))
    population = algorithm.first(np.random.default_rng(0))
    judge(population)
    ranked = sorted(population, key=lambda one: one.fitness, reverse=True)
    following = algorithm.next(1, population, np.random.default_rng(1))
    assert len(following) == 20
    assert [one.name for one in following if one.born == 0] == [one.name for one in ranked[:living]]
    assert [one.origin for one in following].count("newcomer") == 2
    parents = {name for one in following[living:] for name in one.parents}
    assert parents == {one.name for one in ranked[:5]}, "all who are selected have children"


def test_all_may_be_parents_where_the_best_alone_lives_on() -> None:
    assert resolve({"survivors": 1.0, "survival": "best"}).survivor_count == 64
    with pytest.raises(SettingsError, match="children"):
        resolve({"survivors": 1.0})
