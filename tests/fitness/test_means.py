"""Means over seeds, against SciPy's own tests and the truth of simulations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from evolve.fitness.means import holm, mean_of


@pytest.mark.parametrize("count", [2, 3, 10, 40])
def test_interval_and_chance_are_those_of_students_test(count: int) -> None:
    values = np.random.default_rng(count).normal(1.0, 3.0, count)
    found = mean_of(values.tolist(), 0.5)
    test = stats.ttest_1samp(values, 0.5)
    interval = test.confidence_interval(0.95)
    assert (found.seeds, found.mean) == (count, pytest.approx(values.mean()))
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.p == pytest.approx(test.pvalue)


def test_one_seed_tells_nothing_of_the_others() -> None:
    found = mean_of([0.7])
    assert found[:2] == (1, 0.7)
    assert all(map(math.isnan, found[2:]))


def test_seeds_that_are_all_alike() -> None:
    assert mean_of([0.5, 0.5, 0.5], 0.5) == (3, 0.5, 0.5, 0.5, 1.0)
    assert mean_of([0.5, 0.5], 0.0) == (2, 0.5, 0.5, 0.5, 0.0)


@pytest.mark.parametrize("seeds", [3, 10])
@pytest.mark.parametrize("kind", ["normal", "scores"])
def test_intervals_hold_the_truth_as_often_as_they_say(seeds: int, kind: str) -> None:
    """Paired differences of two settings; scores as seeds have them, each of 200 games."""
    rng, truth = np.random.default_rng(seeds), 0.06
    held = 0
    for _ in range(4000):
        if kind == "normal":
            values = rng.normal(truth, 0.1, seeds)
        else:
            strengths = np.clip(rng.normal(0.5, 0.08, (2, seeds)), 0, 1)
            strengths[0] = np.clip(strengths[0] + truth, 0, 1)
            games = rng.binomial(200, strengths) / 200
            values = games[0] - games[1]
        found = mean_of(values.tolist())
        held += found.low <= truth <= found.high
    assert 0.93 <= held / 4000 <= 0.97


def test_holm_by_hand_and_in_simulations() -> None:
    assert holm([0.01, 0.04, 0.03, math.nan]) == pytest.approx(
        [0.03, 0.06, 0.06, math.nan], nan_ok=True
    )
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    rng = np.random.default_rng(0)
    wrong = sum(min(holm(rng.uniform(size=6).tolist())) < 0.05 for _ in range(4000))
    assert wrong / 4000 <= 0.06
