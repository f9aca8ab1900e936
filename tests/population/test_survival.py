"""Survival: who is in the next generation as well."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.config.toml import resolve
from evolve.errors import SettingsError
from evolve.population.algorithms import GeneticAlgorithm
from evolve.population.genome import Genome
from tests.population import judge


@pytest.mark.parametrize(("survival", "living"), [("selected", 5), ("best", 1)])
def test_who_lives_on(survival: str, living: int) -> None:
    settings = resolve({"population": 20, "survival": survival, "newcomers": 0.1})
    algorithm = GeneticAlgorithm(settings, Genome.of(settings))
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
    with pytest.raises(SettingsError, match="leaves no room for children"):
        resolve({"survivors": 1.0})
