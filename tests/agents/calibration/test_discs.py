"""Values in discs: lines through positions whose values are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.analysis import Analysis, solved
from evolve.agents.calibration.discs import _reference_positions, fit_of, in_discs
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.board import Board
from evolve.engine.board.rules import RULE_SETS, WIN, Rules
from evolve.engine.patterns.patterns import DISC


@pytest.mark.parametrize("rules", [name for name, rules in RULE_SETS.items() if rules.ladder])
def test_known_positions_are_of_all_phases_and_have_a_choice(rules: Rules) -> None:
    known = _reference_positions(rules)
    assert known is not None
    assert len(known.boards) == len(known.discs) > 400
    assert {board.empties for board in known.boards} > {*range(5, 56)}
    assert all(len(board.legal_moves()) > 1 for board in known.boards)
    # A position near the end has its exact score.
    late = [pair for pair in zip(*known, strict=True) if pair[0].empties < 9]
    assert [score for _, score in late] == [solved(board, rules).score for board, _ in late]


def test_values_of_weights_tell_the_discs_of_positions() -> None:
    agent = evolve.load_agent("champion-standard?depth=2&endgame=0")
    known = _reference_positions("standard")
    assert known is not None
    said, errors = [], []
    for board in known.boards[::4]:
        analysis: Any = agent.analyse(board)
        found = in_discs(agent, board, analysis)
        assert found is not None
        assert found.values.keys() == analysis.values.keys()
        said.append(max(found.values.values()))
        errors.append(found.error)
    true = known.discs[::4]
    assert np.corrcoef(said, true)[0, 1] > 0.7
    assert 0.7 < (np.subtract(said, true).std() / np.mean(errors)) < 1.5


@pytest.mark.slow
def test_discs_of_patterns_do_not_depend_on_the_parity_of_the_depth() -> None:
    agent = evolve.load_agent("patterns-standard")
    assert isinstance(agent, PatternAgent)
    known = _reference_positions("standard")
    assert known is not None
    values = [agent.values_by_depth(board, 5)[1:] for board in known.boards[:200:2]]
    assert np.abs(np.mean(np.diff(values, axis=1), axis=0)).max() < 1.0 * DISC
    fit = fit_of(agent, 3)
    assert fit is not None
    assert fit.discs({19: 7.0}, known.boards[0]).values == {19: 7.0}


def test_exact_scores_and_finished_games_are_as_they_are() -> None:
    agent, board = evolve.load_agent("swh"), Board.start().play(19)
    exact = Analysis({18: 4, 20: -2}, "discs", 60, (18,))
    assert in_discs(agent, board, exact) == ({18: 4, 20: -2}, 0.0)
    fit = fit_of(agent, 1)
    assert fit is not None
    assert fit.discs({1: 12.0 * WIN, 2: WIN - 1}, board).values == {1: 12.0, 2: 64.0}


def test_fits_are_of_agents_and_rules_with_values() -> None:
    assert fit_of(evolve.RandomAgent(), None) is None
    weights = evolve.load_agent("swh").with_rules("reversed")
    fit = fit_of(weights, 1)
    assert fit is not None
    assert max(fit.slopes[1:]) < 0.0  # what is good in standard games is bad after the opening
    assert fit_of(weights, 1) is fit
    zero = fit_of(evolve.load_agent("zero"), 3)
    assert zero is not None
    assert zero.slopes == (0.0,) * len(zero.slopes)


@pytest.mark.slow
def test_an_agent_that_makes_mistakes_has_one_fit_for_all_its_games() -> None:
    level = evolve.load_agent("level-2").with_rules("standard")
    assert fit_of(level.for_game(1), 3) is fit_of(level.for_game(2), 3)
