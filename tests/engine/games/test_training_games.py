"""Labelled positions: who wins is what a slow solver says."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.engine.games.training_games import draw_positions, solve_outcomes
from evolve.engine.search.context_factory import new_context
from tests import reference
from tests.engine.game_records import sign


@pytest.mark.parametrize("rules", [0, 1])
def test_labels_are_the_outcomes_of_best_play(rules: int) -> None:
    seeds = np.arange(60, dtype=np.uint64)
    positions = np.zeros((60, 2), np.uint64)
    draw_positions(seeds, 56, positions)
    outcomes = np.zeros(60, np.int8)
    solve_outcomes(positions, new_context(rules, 0, 10), outcomes)
    drawn = 0
    for (own, opp), outcome in zip(positions.tolist(), outcomes.tolist(), strict=True):
        if (own, opp) == (0, 0):
            continue
        drawn += 1
        assert (own | opp).bit_count() == 56
        assert reference.legal_moves(own, opp)
        assert outcome == sign(reference.exact_alpha_beta(own, opp, rules))
    assert drawn > 40
