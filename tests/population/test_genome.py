from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import evolve
from evolve.config.toml import resolve
from evolve.errors import AgentError, SettingsError
from evolve.population.genome import Genome


def test_genes_come_back_from_the_vector() -> None:
    genome = Genome.of(resolve({}))
    vector = genome.random(np.random.default_rng(0))
    genes = genome.genes(vector)
    assert np.array_equal(genome.vector(genes), vector)
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
    assert clipped.dtype == np.int64
    assert genome.clip(np.full(genome.size, 2.6))[0] == 3


def test_tied_genes_serve_all_phases() -> None:
    genome = Genome.of(resolve({"tie": "weights,terms,depths"}))
    assert genome.size == 10 + 5 + 1 + 1
    agent = genome.agent(np.arange(2, 19) % 7 + 1, "tied")
    assert agent.weights[0] == agent.weights[2]
    assert agent.mobility == (agent.mobility[0],) * 3
    assert genome.from_agent(replace(agent, depths=(3, 3, 3), endgame=2), "x").tolist()[-2:] == [
        3,
        2,
    ]


def test_an_agent_makes_the_genome_that_makes_the_agent() -> None:
    genome = Genome.of(resolve({"rules": "standard"}))
    agent = genome.agent(genome.random(np.random.default_rng(2)), "one")
    assert genome.agent(genome.from_agent(agent, "one"), "one") == agent


@pytest.mark.parametrize(
    ("agent", "options", "words"),
    [
        (evolve.AlphaBetaAgent([[0] * 10] * 2, depths=[2, 2]), {}, "2 phases"),
        (evolve.AlphaBetaAgent([[0] * 10] * 3, depths=[2] * 3, boundaries=[9, 10]), {}, "9,10"),
        (evolve.AlphaBetaAgent([[999] * 10], depths=[2]), {}, "weights of x is 999"),
        (
            evolve.AlphaBetaAgent([[0] * 10, [1] * 10, [0] * 10], depths=[2] * 3),
            {"tie": "weights"},
            "tie",
        ),
    ],
)
def test_agents_that_do_not_fit_are_refused(
    agent: evolve.AlphaBetaAgent, options: dict[str, str], words: str
) -> None:
    with pytest.raises(SettingsError, match=words):
        Genome.of(resolve(options)).from_agent(agent, "x")


def test_nothing_left_to_evolve_is_an_error() -> None:
    genes = ("weights", "depths", "endgame")
    with pytest.raises(SettingsError, match="every gene is fixed"):
        Genome.of(resolve({"terms": "", "fix": dict.fromkeys(genes, "2")}))


def test_bounds_beyond_what_an_agent_may_have_are_refused_at_once() -> None:
    with pytest.raises(AgentError, match="1048576"):
        Genome.of(resolve({"bounds": {"weights": "-20000:20000"}}))
