"""Individuals: what DEAP's operators may do with them."""

from __future__ import annotations

import copy
import pickle

import numpy as np

from evolve.population.genome import Fitness, Individual, individual_name


def test_genes_are_plain_integers_whatever_made_them() -> None:
    individual = Individual(np.array([3, -1], np.int64), name="2-5", parents=("1-0", "1-3"))
    assert individual == [3, -1]
    assert {type(gene) for gene in individual} == {int}
    assert individual_name(2, 5) == individual.name


def test_copies_are_individuals_of_their_own() -> None:
    first = Individual([1, 2], name="0-1")
    first.fitness.values = (0.5, -3.0)
    for other in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        assert type(other) is Individual
        assert (other, other.name, other.fitness.values) == (first, "0-1", (0.5, -3.0))
        other[0] = 9
        assert first[0] == 1


def test_the_score_counts_before_the_discs() -> None:
    def fitness(score: float, discs: float) -> Fitness:
        made = Fitness()
        made.values = (score, discs)
        return made

    assert fitness(0.6, -9.0) > fitness(0.5, 9.0)
    assert fitness(0.5, 1.0) > fitness(0.5, 0.0)
