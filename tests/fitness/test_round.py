"""Fitness functions: what they are given, and numbers that are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evolve.errors import SettingsError
from evolve.fitness.openings import START_POSITION
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import (
    FITNESS_FUNCTIONS,
    Round,
    all_pairs,
    fitness_values,
    schedule,
    standings,
)
from tests.fitness import AGENTS


@pytest.fixture(scope="module")
def played() -> Round:
    pairings = schedule(all_pairs(len(AGENTS)), np.zeros((15, 1), np.int64))
    games = play_games(AGENTS, pairings, START_POSITION, "standard")
    return Round(AGENTS, standings(games, len(AGENTS)), games, np.random.default_rng(0))


def test_the_default_is_the_score(played: Round) -> None:
    values = fitness_values(FITNESS_FUNCTIONS["score"], played)
    assert values == played.standings.score.tolist()
    assert all(type(value) is float for value in values)
    assert len(set(values)) > 1


def test_a_function_may_take_its_numbers_from_agents_and_games(played: Round) -> None:
    def discs(given: Round) -> Any:
        difference = given.games.disc_difference
        black, white = given.games.pairings[:, 0], given.games.pairings[:, 1]
        count = len(given.agents)
        return np.bincount(black, difference, count) - np.bincount(white, difference, count)

    values = fitness_values(discs, played)
    assert sum(values) == 0.0
    assert (np.array(values) / 10).tolist() == pytest.approx(
        played.standings.disc_difference.tolist()
    )


@pytest.mark.parametrize(
    "given", [1.0, [1.0] * 5, [[1.0]] * 6, [1.0] * 5 + [float("nan")], [float("inf")] * 6]
)
def test_what_is_no_finite_number_for_each_is_refused(given: Any, played: Round) -> None:
    with pytest.raises(SettingsError, match="fitness: it must give 6 finite numbers, not"):
        fitness_values(lambda _: given, played)
