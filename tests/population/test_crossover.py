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
    for b in (0.5, 0.8, 1.0):
        assert (spread <= b).mean() == pytest.approx(b ** (eta + 1) / 2, abs=0.02)
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
