"""Islands: each breeds by itself, and its best are copied to the next one at times."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from evolve.config.evolution import PRESETS, EvolutionSettings
from evolve.config.toml import resolve_as
from evolve.errors import SettingsError
from evolve.population.algorithms import ALGORITHMS
from evolve.population.ga import MIGRANT, on_islands
from evolve.population.genome import Genome, Individual


def settings(**options: object) -> EvolutionSettings:
    given = {"population": 8, "islands": 3, "migrate_every": 2, "migrants": 2, **options}
    return resolve_as(EvolutionSettings, PRESETS, given)


def generations(count: int, **options: object) -> list[list[Individual]]:
    """The later an individual stands on its island, the better it is."""
    mine = settings(**options)
    algorithm = ALGORITHMS["ga"](mine, Genome.of(mine), None, {})
    population = algorithm.first(np.random.default_rng(0))
    made = [population]
    for generation in range(1, count):
        for place, individual in enumerate(population):
            individual.fitness.values = (place % 8 / 8, 0.0)
        population = algorithm.next(generation, population, np.random.default_rng(generation))
        made.append(population)
    return made


def test_names_are_unique_and_islands_keep_their_size() -> None:
    for population in generations(5):
        assert len(population) == 24
        assert len({one.name for one in population}) == 24


def test_the_best_of_each_island_come_to_the_next_one_when_it_is_time() -> None:
    made = generations(5)
    for number, population in enumerate(made):
        before = {one.name: one for one in made[number - 1]} if number else {}
        home = {
            one.name: island
            for island, part in enumerate(on_islands(made[number - 1], 3))
            for one in part
        }
        for island, part in enumerate(on_islands(population, 3)):
            came = [one for one in part if one.origin == MIGRANT and one.born == number]
            assert len(came) == (2 if number in (2, 4) else 0)
            for one in came:
                [parent] = one.parents
                assert list(one) == list(before[parent])
                assert home[parent] == (island - 1) % 3
                # By `generations` above, those who stood last.
                assert parent in [
                    other.name for other in on_islands(made[number - 1], 3)[home[parent]][-2:]
                ]


def test_without_migrants_no_ancestor_is_of_another_island() -> None:
    made = generations(5, migrants=0)
    for before, population in itertools.pairwise(made):
        for old, part in zip(on_islands(before, 3), on_islands(population, 3), strict=True):
            there = {one.name for one in old}
            for one in part:
                assert one.born < len(made) - 1 or set(one.parents) <= there


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"migrants": 6}, "migrants: of 8 individuals 2 live on, and 6 that come leave no room"),
        ({"algorithm": "cma"}, "islands: they are for algorithm = ga, not cma"),
        ({"islands": 200, "population": 64}, "islands: 200 of 64 are more than 4096 individuals"),
        ({"opponents": 8}, "opponents: 8 individuals have 7 others, not 8"),
        ({"opponents": 3, "population": 9}, "opponents: 9 individuals cannot have 3 each"),
        ({"opponents": 3, "selection": "lexicase"}, "opponents: lexicase compares"),
    ],
)
def test_what_cannot_be_is_told(options: dict[str, object], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        settings(**options)
