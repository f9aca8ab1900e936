"""CMA-ES on the genome."""

from __future__ import annotations

import numpy as np

from evolve.config.toml import resolve
from evolve.population.cma import CmaEs
from evolve.population.genome import Genome
from tests.population import evolve_toward_target, judge


def test_cma_es_climbs() -> None:
    settings = resolve({"algorithm": "cma"})
    first, last = evolve_toward_target(CmaEs(settings, Genome.of(settings)), 60)
    assert last > 0.35 * first, (first, last)


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
