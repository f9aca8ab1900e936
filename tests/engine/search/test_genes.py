"""The table of genes, and what follows from it: a term that is off leaves everything as it was."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.config.evolution import EvolutionSettings
from evolve.engine.search import context as layout
from evolve.engine.search import genes
from evolve.engine.search.genes import (
    DEFAULT_TERMS,
    GENES,
    MAX_PHASES,
    TERM_NAMES,
    default_boundaries,
    phase_of,
    place_of,
)
from evolve.errors import AgentError
from evolve.population.genome import Genome


def test_the_terms_of_version_0_1_are_what_seeds_count_on() -> None:
    early = ("mobility", "stability", "x_squares", "c_squares", "potential_mobility")
    assert early == DEFAULT_TERMS == TERM_NAMES[: len(early)]
    assert [place_of(term) for term in early] == [10, 11, 12, 13, 14]


def test_terms_are_arguments_and_attributes_by_name() -> None:
    given: dict[str, Any] = {term: [number, -number] for number, term in enumerate(TERM_NAMES, 1)}
    agent = evolve.AlphaBetaAgent([[1] * 10] * 2, **given)
    assert agent == evolve.AlphaBetaAgent([[1] * 10] * 2, terms=given)
    assert hash(agent) == hash(evolve.AlphaBetaAgent([[1] * 10] * 2, terms=given))
    by_name = {term: (number, -number) for number, term in enumerate(TERM_NAMES, 1)}
    assert {term: getattr(agent, term) for term in TERM_NAMES} == agent.terms == by_name
    assert {term: agent.parameters[term] for term in TERM_NAMES} == given
    row = [agent.row[layout.PHASES + place_of(term)] for term in TERM_NAMES]
    assert row == [*range(1, len(TERM_NAMES) + 1)]
    changed = replace(agent, mobility=[9, 9])
    assert changed.terms == {**agent.terms, "mobility": (9, 9)}
    with pytest.raises(AgentError, match="'tempo'"):
        evolve.AlphaBetaAgent([[1] * 10], tempo=[1])
    with pytest.raises(AttributeError, match="tempo"):
        _ = agent.tempo  # type: ignore[attr-defined]


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a term one that came after version 0.1, so that it may be missing."""
    changed = {**GENES, "stability": genes.Gene((-9, 9), "the same", term=True)}
    for name in ("evolve.config.evolution", "evolve.population.genome", "evolve.agents.alphabeta"):
        monkeypatch.setattr(sys.modules[name], "GENES", changed)
    return "stability"


def test_a_late_term_that_is_off_is_nowhere(late: str) -> None:
    others = [term for term in TERM_NAMES if term != late]
    settings = EvolutionSettings(terms=tuple(others))
    genome = Genome.of(settings)
    assert late not in settings.genes
    assert late not in settings.bounds
    assert late not in genome.sizes
    agent = genome.agent(genome.random(np.random.default_rng(0)), "one")
    assert agent.terms[late] == (0, 0, 0)
    assert late not in agent.parameters
    assert evolve.AlphaBetaAgent(**agent.parameters).parameters == agent.parameters
    assert genome.agent(genome.from_agent(agent, "it"), "it").parameters == agent.parameters


def test_a_late_term_that_is_on_is_a_gene_like_any_other(late: str) -> None:
    settings = EvolutionSettings(terms=TERM_NAMES)
    genome = Genome.of(settings)
    assert settings.bounds[late] == (-9, 9)
    agent = genome.agent(genome.random(np.random.default_rng(0)), "one")
    assert any(agent.terms[late])
    assert tuple(agent.parameters[late]) == agent.terms[late]


def test_an_early_term_that_is_off_is_drawn_all_the_same() -> None:
    drawn = []
    for terms in (("mobility",), DEFAULT_TERMS):
        genome = Genome.of(EvolutionSettings(terms=terms))
        drawn.append(genome.genes(genome.random(np.random.default_rng(1))))
    assert drawn[0]["stability"] == [0, 0, 0]
    assert {gene for gene in drawn[0] if drawn[0][gene] == drawn[1][gene]} >= {
        "weights",
        "mobility",
    }


@pytest.mark.parametrize("phases", range(1, MAX_PHASES + 1))
def test_phases_divide_the_game_evenly(phases: int) -> None:
    boundaries = default_boundaries(phases)
    found = [phase_of(discs, boundaries) for discs in range(4, 65)]
    assert found == sorted(found)
    lengths = [found.count(phase) for phase in range(phases)]
    assert sum(lengths) == 61
    assert 0 < max(lengths) <= min(lengths) + 1


def test_a_boundary_is_the_first_disc_count_of_its_phase() -> None:
    assert [phase_of(discs, (20, 40)) for discs in (4, 19, 20, 39, 40, 64)] == [0, 0, 1, 1, 2, 2]
