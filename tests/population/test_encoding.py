"""Genes of one's own, and the agents that they stand for; evolved in `evolution/test_call.py`."""

from __future__ import annotations

from typing import Any

import pytest

import evolve
from evolve.config.toml import resolve
from evolve.errors import SettingsError
from evolve.population.genome import Genome


def nothing(genes: dict[str, list[int]]) -> evolve.AlphaBetaAgent:
    raise AssertionError("no agent is asked for")


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
        evolve.Encoding(genes, nothing)


def table(genes: dict[str, list[int]]) -> evolve.AlphaBetaAgent:
    return evolve.AlphaBetaAgent(
        [genes["table"] * 5], depths=genes["deep"], endgame=genes["deep"][0]
    )


def test_agents_have_the_name_and_rules_of_the_run() -> None:
    encoding = evolve.Encoding(
        {"table": evolve.Gene((-5, 5), "", numbers=2), "deep": evolve.Gene((1, 3), "", steps=True)},
        table,
    )
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
