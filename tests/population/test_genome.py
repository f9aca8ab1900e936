"""Genomes and the agents of their genes, and individuals, as DEAP's operators need them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.config.toml import resolve
from evolve.errors import AgentError, SettingsError
from evolve.population.genome import Fitness, Genome, Individual


def test_genes_and_agents_come_back_from_the_vector() -> None:
    genome = Genome.of(resolve({"rules": "standard"}))
    vector = genome.random(np.random.default_rng(0))
    genes = genome.genes(vector)
    assert np.array_equal(genome.vector(genes), vector)
    assert np.array_equal(genome.from_agent(genome.agent(vector, "one"), "one"), vector)
    assert {gene: len(values) for gene, values in genes.items()} == {
        "weights": 30, "mobility": 3, "stability": 3, "x_squares": 3, "c_squares": 3,
        "potential_mobility": 3, "depths": 3, "endgame": 1,
    }  # fmt: skip


def test_random_genomes_reach_every_bound_and_pass_none() -> None:
    genome = Genome.of(resolve({"bounds": {"depths": "2:3", "weights": "-1:1"}}))
    rng = np.random.default_rng(1)
    drawn = np.stack([genome.random(rng) for _ in range(300)])
    narrow = genome.high - genome.low <= 2
    assert (drawn.min(axis=0)[narrow] == genome.low[narrow]).all()
    assert (drawn.max(axis=0)[narrow] == genome.high[narrow]).all()
    assert (drawn >= genome.low).all()
    assert (drawn <= genome.high).all()


def test_clip_rounds_to_whole_genes_in_range() -> None:
    genome = Genome.of(resolve({}))
    clipped = genome.clip(np.full(genome.size, 1e9))
    assert np.array_equal(clipped, genome.high)
    assert genome.clip(np.full(genome.size, 2.6))[0] == 3


def test_tied_genes_serve_all_phases() -> None:
    genome = Genome.of(resolve({"tie": "weights,terms,depths"}))
    assert genome.size == 10 + 5 + 1 + 1
    agent = genome.agent(np.arange(2, 19) % 7 + 1, "tied")
    assert agent.weights[0] == agent.weights[2]
    assert agent.mobility == (agent.mobility[0],) * 3
    other = genome.from_agent(replace(agent, depths=(3, 3, 3), endgame=2), "x")
    assert other.tolist()[-2:] == [3, 2]


@pytest.mark.parametrize(
    ("agent", "options", "words"),
    [
        (evolve.AlphaBetaAgent([[0] * 10] * 2, depths=[2, 2]), {}, "2 phases"),
        (evolve.AlphaBetaAgent([[0] * 10] * 3, depths=[2] * 3, boundaries=[9, 10]), {}, "9,10"),
        (evolve.AlphaBetaAgent([[999] * 10], depths=[2]), {}, "weights of x is 999"),
        (evolve.AlphaBetaAgent([[0] * 10, [1] * 10, [0] * 10], [2] * 3), {"tie": "weights"}, "tie"),
    ],
)
def test_agents_that_do_not_fit_are_refused(
    agent: evolve.AlphaBetaAgent, options: dict[str, str], words: str
) -> None:
    with pytest.raises(SettingsError, match=words):
        Genome.of(resolve(options)).from_agent(agent, "x")


def test_nothing_left_to_evolve_is_an_error() -> None:
    fix = {"weights": "2", "depths": "2", "endgame": "2"}
    with pytest.raises(SettingsError, match="gene"):
        Genome.of(resolve({"terms": "", "fix": fix}))


def test_bounds_beyond_what_an_agent_may_have_are_refused_at_once() -> None:
    with pytest.raises(AgentError, match="1048576"):
        Genome.of(resolve({"bounds": {"weights": "-20000:20000"}}))


def test_genes_are_plain_integers_whatever_made_them() -> None:
    individual = Individual(np.array([3, -1], np.int64), name="2-5", parents=("1-0", "1-3"))
    assert individual == [3, -1]
    assert {type(gene) for gene in individual} == {int}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_are_individuals_of_their_own(copied: Callable[[Individual], Individual]) -> None:
    first = Individual([1, 2], name="0-1")
    first.fitness.values = (0.5, -3.0)
    other = copied(first)
    assert type(other) is Individual
    assert (other, other.name, other.fitness.values) == (first, "0-1", (0.5, -3.0))
    other[0] = 9
    assert first[0] == 1


def test_the_score_counts_before_the_discs() -> None:
    assert Fitness((0.6, -9.0)) > Fitness((0.5, 9.0))
    assert Fitness((0.5, 1.0)) > Fitness((0.5, 0.0))


def table(genes: dict[str, list[int]]) -> evolve.AlphaBetaAgent:
    return evolve.AlphaBetaAgent(
        [genes["table"] * 5], depths=genes["deep"], endgame=genes["deep"][0]
    )


@pytest.mark.parametrize(
    ("genes", "words"),
    [
        ({"score": evolve.Gene((0, 1), "")}, "a gene cannot be called 'score'"),
        ({"a b": evolve.Gene((0, 1), "")}, "a gene cannot be called 'a b'"),
        ({}, "there is no gene"),
        ({"x": (0, 9)}, "x: .* is not a Gene of whole numbers"),
        ({"x": evolve.Gene((0, 0.5), "")}, "is not a Gene of whole numbers"),  # type: ignore[arg-type]
        ({"x": evolve.Gene((1, 0), "")}, "x: 1 to 0 is not a range"),
        ({"x": evolve.Gene((0, 1 << 40), "")}, "is not a range"),
        ({"endgame": evolve.Gene((0, 1), "", numbers=2)}, "endgame cannot have 2 numbers"),
    ],
)
def test_genes_that_cannot_be_are_told(genes: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        evolve.Encoding(genes, table)


def test_agents_have_the_name_and_rules_of_the_run() -> None:
    genes = {
        "table": evolve.Gene((-5, 5), "", numbers=2),
        "deep": evolve.Gene((1, 3), "", steps=True),
    }
    encoding = evolve.Encoding(genes, table)
    settings = resolve({"rules": "reversed"}).model_copy(update={"encoding": "own:table"})
    genome = Genome.of(settings, encoding)
    assert genome.low.tolist() == [-5, -5, 1]
    assert genome.high.tolist() == [5, 5, 3]
    assert genome.steps.tolist() == [False, False, True]
    assert genome.largest_endgame == 3
    agent = genome.agent([4, -2, 2], "0-7")
    assert (agent.name, agent.rules, agent.depths) == ("0-7", "reversed", (2,))
    assert agent.weights == ((4, -2) * 5,)
    with pytest.raises(SettingsError, match="program"):
        Genome.of(settings)
