"""Trials that are agents of alpha-beta: whose genes are searched, and which are held."""

from __future__ import annotations

from evolve.population.genome import Genome
from tests.sweeps import plan


def test_the_defaults_of_alphabeta_are_the_reference_agent() -> None:
    made = plan("alphabeta")
    assert made.defaults is not None
    agent = made.agent(made.defaults, "x")
    swh = made.genome.agent(made.genome.from_agent(agent, "x"), "x")
    assert agent.weights == swh.weights
    assert agent.weights[0][0] == 100
    assert agent.depths == (1, 1, 1)


def test_genes_of_alphabeta_are_held_by_fix() -> None:
    made = plan("alphabeta", fix={"depths": 2, "weights": [100, -25, 10, 5, -25, 1, 1, 5, 2, 1]})
    assert "endgame" in made.space.names
    assert not [n for n in made.space.names if n.startswith(("depths", "weights"))]
    agent = made.agent({p.name: p.example for p in made.space.parameters}, "x")
    assert agent.depths == (2, 2, 2)
    assert isinstance(made.genome, Genome)


def test_single_numbers_of_a_gene_are_held_too() -> None:
    made = plan("alphabeta", fix={"weights.3": 77, "depths.1": 3})
    assert not {"weights.3", "depths.1"} & set(made.space.names)
    agent = made.agent({p.name: p.example for p in made.space.parameters}, "x")
    assert (agent.weights[0][3], agent.depths[1]) == (77, 3)


def test_the_defaults_of_alphabeta_must_lie_in_the_space() -> None:
    assert plan("alphabeta", space={"weights.0": {"low": 90, "high": 95}}).defaults is None
    assert plan("alphabeta", space={"endgame": {"choices": [3, 5]}}).defaults is None
    assert plan("alphabeta", space={"weights.0": {"low": 90, "high": 105}}).defaults is not None
