"""The evaluation, reached through `search.leaf`, term by term and in sum."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import evolve
from evolve.config.evolution import EvolutionSettings
from evolve.engine.search import context as layout
from evolve.engine.search import evaluation as terms
from evolve.engine.search import genes
from evolve.engine.search.evaluation import CLASS_NAMES
from evolve.engine.search.genes import DEFAULT_TERMS, TERM_NAMES, phase_of, place_of
from evolve.errors import AgentError
from evolve.population.genome import Genome
from tests import reference
from tests.engine import (
    FULL_WEIGHTS,
    RULES,
    SWH,
    Engine,
    any_boards,
    reachable_boards,
    weights_of_any_sign,
)
from tests.reference import REVERSED, STANDARD, START, WIN, Board, parse, square_of

quick = settings(max_examples=150, deadline=None, derandomize=True)

CONTEXTS = {rules: Engine(rules) for rules in RULES}


def kernel_leaf(board: Board, weights: tuple[int, ...], rules: int = STANDARD) -> int:
    engine = CONTEXTS[rules]
    engine.set_weights(weights)
    value = engine.search(board, 0)
    assert engine.nodes == 1
    return value


def single(term: int) -> tuple[int, ...]:
    """Weight 1 for one term alone."""
    return tuple(int(index == term) for index in range(reference.TERMS))


def test_layout() -> None:
    assert CLASS_NAMES == reference.CLASSES
    in_order = [getattr(terms, name.upper()) for name in TERM_NAMES]
    assert in_order == [*range(len(CLASS_NAMES), layout.TERMS)]


def test_classes_by_hand() -> None:
    drawn = ("0123 3210", "1456 6541", "2578 8752", "3689 9863")
    rows = [row.replace(" ", "") for row in drawn]
    assert "".join(map(str, reference.CLASS_OF)) == "".join(rows + rows[::-1])


@pytest.mark.parametrize("rules", RULES)
@quick
@given(any_boards, weights_of_any_sign)
def test_as_reference(rules: int, board: Board, weights: tuple[int, ...]) -> None:
    own, opp = board
    if reference.is_over(own, opp):
        expected = reference.final_score(own, opp, rules) * WIN
    else:
        expected = reference.evaluate(own, opp, weights)
    assert kernel_leaf(board, weights, rules) == expected
    assert kernel_leaf((opp, own), weights, rules) == -expected


@pytest.mark.parametrize(
    ("own", "opp", "x", "c"),
    [
        ("b2", "", 1, 0), ("b2 a1", "", 0, 0), ("b2", "a1", 0, 0), ("b2 g7", "b7 a8", 2, 0),
        ("a2 b1", "", 0, 2), ("a2 b1", "a7 g8 h7", 0, -1), ("a2 b1 a1", "a7 b8", 0, -2),
        ("a3 c1 c3 d1", "f6 f8", 0, 0),
    ],
)  # fmt: skip
def test_corner_terms(own: str, opp: str, x: int, c: int) -> None:
    """X and C squares count beside empty corners only, each square for its own corner."""
    sides = zip((own, opp), START, strict=True)
    discs = [start | reference.mask([*map(square_of, names.split())]) for names, start in sides]
    for symmetry in range(8):
        board = reference.transform(discs[0], symmetry), reference.transform(discs[1], symmetry)
        found = [kernel_leaf(board, single(term)) for term in (terms.X_SQUARES, terms.C_SQUARES)]
        assert found == [x, c]


def test_by_hand() -> None:
    """After black's d3: white has e5, black d3, d4, e4 and d5."""
    board = reference.play(*START, square_of("d3"))
    assert kernel_leaf(START, FULL_WEIGHTS) == 0
    # Classes d3 and d4 have weights 2 and 1; each side has three moves.
    assert kernel_leaf(board, SWH) == 1 - 3 * 1 - 2
    assert kernel_leaf(board, single(terms.MOBILITY)) == 0
    # Around black's four discs 13 squares are empty, around white's one 5.
    assert kernel_leaf(board, single(terms.POTENTIAL_MOBILITY)) == 13 - 5


SCORES = [
    # cells, black's score under standard and reversed rules
    ("X" * 64, 64, -64),
    ("X" * 32 + "O" * 32, 0, 0),
    ("X" * 40 + "O" * 24, 16, -16),
    ("-" * 64, 0, 0),
    ("X" + "-" * 63, 64, -1),
    ("O" * 13 + "-" * 51, -64, 13),
    ("X" * 24 + "-" * 16 + "O" * 24, 0, 0),
    ("X" * 24 + "-" * 24 + "O" * 16, 32, -8),
    ("X" * 16 + "-" * 24 + "O" * 24, -32, 8),
]


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize(("cells", "standard", "reverse"), SCORES)
def test_finished_games(cells: str, standard: int, reverse: int, rules: int) -> None:
    board, score = parse(cells, "X"), {STANDARD: standard, REVERSED: reverse}[rules]
    assert reference.final_score(*board, rules) == score
    assert kernel_leaf(board, FULL_WEIGHTS, rules) == score * WIN
    assert kernel_leaf((board[1], board[0]), FULL_WEIGHTS, rules) == -score * WIN


@quick
@given(reachable_boards)
def test_finished_games_beat_any_evaluation(board: Board) -> None:
    """Also with weights far larger than any agent has."""
    found = abs(kernel_leaf(board, (1000,) * reference.TERMS))
    assert (found < WIN) == (not reference.is_over(*board) or found == 0)


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
    changed = {**genes.GENES, "stability": genes.Gene((-9, 9), "the same", term=True)}
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
    for on in (("mobility",), DEFAULT_TERMS):
        genome = Genome.of(EvolutionSettings(terms=on))
        drawn.append(genome.genes(genome.random(np.random.default_rng(1))))
    assert drawn[0]["stability"] == [0, 0, 0]
    assert {gene for gene in drawn[0] if drawn[0][gene] == drawn[1][gene]} >= {
        "weights",
        "mobility",
    }


@pytest.mark.parametrize("phases", range(1, genes.MAX_PHASES + 1))
def test_phases_divide_the_game_evenly(phases: int) -> None:
    boundaries = genes.default_boundaries(phases)
    found = [phase_of(discs, boundaries) for discs in range(4, 65)]
    assert found == sorted(found)
    lengths = [found.count(phase) for phase in range(phases)]
    assert 0 < max(lengths) <= min(lengths) + 1
