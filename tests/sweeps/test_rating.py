"""The strength of a trial by games with opponents whose strength is known."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.fitness.statistics import Estimate, elo_of, score_of_elo
from evolve.sweeps.program_plan import Met, parts_of, rated, score_predicted, shared, shares_of


def test_with_one_opponent_it_is_the_score() -> None:
    found = rated([Met(100.0, 19, 14.5)])
    wanted = elo_of(15 / 20)
    assert found.n == 19
    assert found.value == pytest.approx(100.0 + wanted, abs=0.01)
    assert rated([Met(0.0, 9, 9.0)]).value < 1000


def test_it_is_the_likeliest() -> None:
    met = [Met(0.0, 10, 9.0), Met(250.0, 30, 14.0), Met(400.0, 0, 0.0)]

    def likelihood(elo: float) -> float:
        total = 0.0
        for one in met:
            if one.games:
                share = score_of_elo(elo - one.elo)
                points, games = one.points + 0.5, one.games + 1
                total += points * np.log(share) + (games - points) * np.log(1 - share)
        return total

    best = max(np.arange(-500, 800, 0.5), key=likelihood)
    assert rated(met).value == pytest.approx(best, abs=0.5)


def test_the_truth_lies_within_two_errors() -> None:
    rng, inside = np.random.default_rng(0), 0
    for _ in range(400):
        truth = rng.uniform(-200, 400)
        met = [Met(elo, 40, rng.binomial(40, score_of_elo(truth - elo))) for elo in (0.0, 200.0)]
        found = rated(met)
        inside += found.low <= truth <= found.high
    assert 0.92 <= inside / 400 <= 0.98


def test_the_score_against_the_defaults_that_it_predicts() -> None:
    score, error = score_predicted(Estimate.around(100.0, 19.6, 40))
    assert score == score_of_elo(100.0)
    assert error == pytest.approx((score_of_elo(105.0) - score_of_elo(95.0)), rel=1e-3)


def test_games_go_where_they_tell_most() -> None:
    assert shares_of([0.0, 0.0], 0.0) == [0.5, 0.5]
    far, near = shares_of([0.0, 400.0], 400.0)
    assert near > 0.7
    assert far + near == pytest.approx(1.0)


def test_openings_areshared_out_without_loss() -> None:
    assert list(parts_of(20, 4)) == [(0, 5), (5, 10), (10, 15), (15, 20)]
    assert list(parts_of(2, 4)) == [(0, 1), (1, 2)]
    for shares in ([1.0], [0.5, 0.5], [0.26, 0.74]):
        found = [shared(start, stop, shares) for start, stop in parts_of(40, 4)]
        numbers = sorted(number for parts in found for part in parts for number in part)
        assert numbers == list(range(40))
        second = sum(len(parts[-1]) for parts in found)
        assert abs(second - 40 * shares[-1]) <= 4
