"""The score of finished games against the slow reference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from evolve.engine.board.bits import score_of
from evolve.engine.board.rules import RULE_SETS
from tests import reference
from tests.engine import RULES

U = np.uint64
discs = st.integers(0, 2**64 - 1)


@settings(deadline=None)
@given(discs, discs, st.sampled_from(RULES))
def test_scores_are_those_of_the_reference(own: int, other: int, rules: int) -> None:
    opp = other & ~own
    assert score_of(U(own), U(opp), rules) == reference.final_score(own, opp, rules)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_side_has_the_score_whoever_is_to_move(rules: str) -> None:
    board = evolve.Board(own=7, opp=0, side="white")
    assert board.score_of("white", rules) == board.score(rules) == -board.score_of("black", rules)
