"""What shallow searches say of deep ones, and the cuts that come of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.agents.patterns import PatternAgent
from evolve.engine.board.board import Board
from evolve.engine.patterns.patterns import DISC_GROUPS, MOST_CUT_DEPTH, Patterns
from evolve.learning import probcut
from evolve.learning.probcut import _cuts, fit_cuts, shallow_of
from tests.agents.conftest import pattern_agent
from tests.learning import small


def never() -> float:
    return math.inf


@pytest.fixture(autouse=True)
def _shallower(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches of nine plies by weights that mean nothing take seconds."""
    monkeypatch.setattr(probcut, "DEEPEST", 7)


@pytest.fixture
def _swinging(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights that mean nothing have values that swing with every ply."""
    monkeypatch.setattr(probcut, "_MOST_SWING", 1e9)


def quick(**changes: Any) -> Any:
    return small("patterns", probcut_positions=50, **changes)


def test_the_shallow_search_is_less_than_half_as_deep_and_of_the_same_parity() -> None:
    assert [shallow_of(depth) for depth in (3, 4, 5, 6, 7, 8, 9)] == [1, 2, 1, 2, 3, 4, 3]
    for depth in range(3, 61):
        shallow = shallow_of(depth)
        assert 1 <= shallow <= depth / 2
        assert (depth - shallow) % 2 == 0
        assert depth < 5 or shallow > depth / 2 - 2


@pytest.mark.usefixtures("_swinging")
def test_cuts_repeat_by_the_seed() -> None:
    agent = pattern_agent()
    cuts = fit_cuts(agent, quick(), never)
    assert cuts == fit_cuts(replace(agent, depth=1, endgame=0, cuts=cuts), quick(), never)
    assert cuts != fit_cuts(agent, quick(seed=1), never)
    places = [(cut.depth, cut.group) for cut in cuts]
    assert places == [(d, g) for d in range(3, MOST_CUT_DEPTH + 1) for g in range(DISC_GROUPS)]
    assert all(cut.shallow == shallow_of(cut.depth) for cut in cuts)
    assert all(0 < cut.deviation <= 16 for cut in cuts)
    assert len({cut.deviation for cut in cuts}) > 10
    replace(agent, cuts=cuts, depth=6).choose(Board.start())


@pytest.mark.usefixtures("_swinging")
def test_where_no_search_changes_the_value_the_deviation_is_small() -> None:
    """Without weights every search says 0, until it sees the end of a game."""
    plain = pattern_agent()
    weights = np.zeros_like(plain.patterns.weights)
    shapes, boundaries = plain.patterns.shapes, plain.patterns.boundaries
    agent = PatternAgent(Patterns.of_weights(shapes, boundaries, weights))
    quiet, loud = fit_cuts(agent, quick(), never), fit_cuts(plain, quick(), never)
    # At the middle of the game, and to a depth that does not see its end.
    some = [place for place, cut in enumerate(quiet) if cut.depth <= 7 and cut.group <= 4]
    assert all(quiet[place].deviation <= 3 for place in some)
    assert np.mean([quiet[place].deviation for place in some]) < 0.5
    assert np.mean([loud[place].deviation for place in some]) > 1.5


def test_too_few_positions_give_none() -> None:
    assert fit_cuts(pattern_agent(), quick(), lambda: 0.0) == ()
    asked = iter(range(10, -1, -1))
    assert fit_cuts(pattern_agent(), quick(), lambda: float(next(asked))) == ()


def test_figures_are_those_of_the_positions() -> None:
    """Deep values are the shallow ones, and a little more, and those of a stage differ."""
    rng = np.random.default_rng(0)
    discs = np.repeat(np.arange(10, 50), 50)
    values = np.tile(rng.normal(0, 5, (len(discs), 1)), (1, 7))
    values[:, 5] += 0.5 + np.where(discs < 32, 4.0, 6.0) * rng.normal(0, 1, len(discs))
    found = {(cut.depth, cut.group): cut for cut in _cuts(discs, values)}
    for group, deviation in ((2, 4.0), (5, 6.0)):
        cut = found[6, group]
        assert cut.shallow == 2
        assert abs(cut.mean - 0.5) < 0.5
        assert abs(cut.deviation / deviation - 1) < 0.1
    assert found[5, 3].mean == found[5, 3].deviation == 0
    # What is deeper than was measured takes the deepest figures of its parity.
    assert found[24, 3].deviation == found[6, 3].deviation
    assert found[23, 3].shallow == shallow_of(23)
    # One lost game seen late is not a wrong value.
    values[0, 5] += 64
    again = {(cut.depth, cut.group): cut for cut in _cuts(discs, values)}
    assert abs(again[6, 1].mean - found[6, 1].mean) < 0.5


def test_a_stage_whose_values_swing_with_the_parity_has_none() -> None:
    """As from 48 discs under `reversed`; where all depths rise alike the mean can be trusted."""
    rng = np.random.default_rng(0)
    discs = np.repeat(np.arange(10, 55), 20)
    late = np.where(discs >= 48, 1.0, 0.0)
    values = rng.normal(0, 5, (len(discs), 1)) + rng.normal(0, 2, (len(discs), 7))
    steady, swinging = values.copy(), values.copy()
    for depth in range(1, 8):
        steady[:, depth - 1] += 2 * depth * late
        swinging[:, depth - 1] += 2 * depth * late * (-1) ** depth
    groups = [{cut.group for cut in _cuts(discs, found)} for found in (steady, swinging)]
    assert groups == [set(range(8)), set(range(6))]
    assert {cut.group for cut in _cuts(discs, -swinging)} == set(range(6))
    # Nor have weights that mean nothing, whose best move is the one with the luckiest error.
    assert fit_cuts(pattern_agent(), quick(), never) == ()


@pytest.mark.parametrize(("rules", "stages"), [("standard", 8), ("reversed", 6)])
def test_bundled_agents_have_cuts_where_values_do_not_swing(rules: str, stages: int) -> None:
    agent = evolve.load_agent(f"patterns-{rules}")
    assert isinstance(agent, PatternAgent)
    assert {cut.group for cut in agent.cuts} == set(range(stages))
