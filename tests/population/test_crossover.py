"""Simulated binary crossover; the others are tested with the genetic algorithm."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from evolve.config.toml import resolve
from evolve.population.algorithms import GeneticAlgorithm
from evolve.population.genome import Genome
from evolve.population.operators import Breeding, sbx
from tests.population import judge


def children(
    mother: npt.NDArray[np.int64], father: npt.NDArray[np.int64], count: int, eta: float, wide: str
) -> npt.NDArray[np.float64]:
    settings = resolve({"eta": eta, "bounds": {"weights": wide}})
    genome = Genome.of(settings)
    rng = np.random.default_rng(0)
    made = [
        sbx(mother.tolist(), father.tolist(), Breeding(settings, genome, rng)) for _ in range(count)
    ]
    return np.array(made)[:, :30]  # the weights


def parents(low: int, high: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    genome = Genome.of(resolve({"bounds": {"weights": "-10000:10000"}}))
    mother, father = (
        genome.random(np.random.default_rng(1)),
        genome.random(np.random.default_rng(2)),
    )
    mother[:30], father[:30] = low, high
    return mother, father


@pytest.mark.parametrize("eta", [0.0, 2.0, 10.0])
def test_children_spread_by_the_index(eta: float) -> None:
    """P(β ≤ b) = b^(η+1) / 2 up to 1, and 1 − b^−(η+1) / 2 beyond (Deb and Agrawal 1995).

    β is the children's distance in parents' distances; the bounds are too far off to matter.
    """
    found = children(*parents(-10, 10), 400, eta, "-10000:10000").ravel()
    crossed = found[found != -10.0]
    assert len(crossed) / len(found) == pytest.approx(0.5, abs=0.02)
    spread = np.abs(crossed) / 10.0
    bs = (0.5, 0.8, 1.0)
    assert [(spread <= b).mean() for b in bs] == [
        pytest.approx(b ** (eta + 1) / 2, abs=0.02) for b in bs
    ]
    assert (spread <= 1.5).mean() == pytest.approx(1 - 1.5 ** -(eta + 1) / 2, abs=0.02)
    assert (crossed > 0).mean() == pytest.approx(0.5, abs=0.02), "near either parent alike"


def test_children_keep_within_the_bounds_and_reach_them() -> None:
    found = children(*parents(-49, 45), 300, 0.0, "-50:50")
    assert found.min() >= -50.0
    assert found.max() <= 50.0
    assert found.min() < -49.0
    assert found.max() > 45.0


def test_what_parents_share_stays() -> None:
    assert (children(*parents(7, 7), 20, 2.0, "-50:50") == 7.0).all()


def test_uniform_crossover_takes_each_gene_from_a_parent() -> None:
    settings = resolve({"crossover": "uniform", "mutation_rate": 0.0, "newcomers": 0.0})
    algorithm = GeneticAlgorithm(settings, Genome.of(settings))
    population = algorithm.first(np.random.default_rng(5))
    judge(population)
    by_name = {individual.name: individual for individual in population}
    children = algorithm.next(1, population, np.random.default_rng(6))[16:]
    parents = [[by_name[name] for name in child.parents] for child in children]
    assert (np.array(children)[:, None] == np.array(parents)).any(axis=1).all()


def test_blend_reaches_a_quarter_beyond_the_parents() -> None:
    settings = resolve({"mutation_rate": 0.0, "newcomers": 0.0})
    genome = Genome.of(settings)
    algorithm = GeneticAlgorithm(settings, genome)
    population = algorithm.first(np.random.default_rng(7))
    judge(population)
    by_name = {individual.name: individual for individual in population}
    children = algorithm.next(1, population, np.random.default_rng(8))[16:]
    genes = np.array(children)
    parents = np.array([[by_name[name] for name in child.parents] for child in children])
    low, high = parents.min(axis=1), parents.max(axis=1)
    reach = 0.25 * (high - low) + 0.5
    assert (genes >= low - reach).all()
    assert (genes <= high + reach).all()
    assert ((genes < low) | (genes > high)).any()
