"""Ratings against another program's, and how often their intervals hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evolve.arena.bradleyterry import Floats, rate
from evolve.fitness.score import score_of_elo, score_of_pairs

Meetings = list[tuple[int, int, Floats]]


def simulated(elo: np.ndarray, pairs: int, rng: np.random.Generator, luck: float = 0) -> Meetings:
    """A round robin in which each opening favours one side by `luck` Elo or so."""
    meetings = []
    for i in range(len(elo)):
        for j in range(i + 1, len(elo)):
            tilt = rng.normal(0, luck, pairs)
            first = rng.random(pairs) < 1 / (1 + 10 ** (-(elo[i] - elo[j] + tilt) / 400))
            second = rng.random(pairs) < 1 / (1 + 10 ** (-(elo[i] - elo[j] - tilt) / 400))
            meetings.append((i, j, (first + second.astype(float)) / 2))
    return meetings


@pytest.mark.parametrize("players", [2, 5, 12])
def test_evalica_agrees(players: int) -> None:
    import evalica  # with scipy.stats, half a second in each worker if at collection

    rng = np.random.default_rng(players)
    meetings = simulated(rng.normal(0, 120, players), 40, rng)
    xs, ys, winners, weights = [], [], [], []
    for i, j, scores in meetings:
        for points, winner in (
            (2 * scores.sum(), evalica.Winner.X),
            (2 * (1 - scores).sum(), evalica.Winner.Y),
        ):
            xs.append(i)
            ys.append(j)
            winners.append(winner)
            weights.append(points)
    theirs = evalica.bradley_terry(
        xs, ys, winners, weights=weights, tolerance=1e-12, limit=100_000
    ).scores
    elo = 400 * np.log10(np.array([theirs[player] for player in range(players)]))
    ours = rate(players, meetings)
    assert ours.comparable
    assert np.allclose(ours.elo, elo - elo.mean(), atol=1e-3)


def test_two_players_are_as_in_a_match() -> None:
    rng = np.random.default_rng(3)
    meetings = simulated(np.array([60.0, 0.0]), 400, rng)
    found = rate(2, meetings)
    score = score_of_pairs(meetings[0][2])
    assert found.elo[0] - found.elo[1] == pytest.approx(score.elo)
    assert score.elo_low is not None
    assert score.elo_high is not None
    # The error of a rating about the mean of two is half that of their difference.
    half = (score.elo_high - score.elo_low) / 2
    assert 2 * (found.high - found.elo)[0] == pytest.approx(half, rel=0.03)


@pytest.mark.parametrize(
    ("players", "pairs", "luck"),
    [
        (6, 40, 0),
        pytest.param(6, 40, 250, marks=pytest.mark.slow),
        pytest.param(16, 10, 100, marks=pytest.mark.slow),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(
    players: int, pairs: int, luck: float
) -> None:
    rng = np.random.default_rng(players + int(luck))
    hits = trials = 0
    for _ in range(250):
        truth = rng.normal(0, 100, players)
        found = rate(players, simulated(truth, pairs, rng, luck))
        centred = truth - truth.mean()
        if luck:
            # With lucky openings a score is nearer to ½ than the ratings would have it: what is
            # estimated is the difference that predicts the scores.
            centred = predicted(truth, luck)
        hits += int(((found.low <= centred) & (centred <= found.high)).sum())
        trials += players
    assert 0.93 <= hits / trials <= 0.97, hits / trials


def predicted(truth: np.ndarray, luck: float) -> np.ndarray:
    """Ratings from exact expected scores, averaged over the luck of openings."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)
    weights = weights / weights.sum()
    meetings = []
    for i in range(len(truth)):
        for j in range(i + 1, len(truth)):
            chances = [score_of_elo(float(truth[i] - truth[j] + luck * node)) for node in nodes]
            meetings.append((i, j, np.array([float(weights @ chances)])))
    return rate(len(truth), meetings).elo


def test_players_without_a_point_against_others() -> None:
    wins, even = np.ones(20), np.full(20, 0.5)
    found = rate(3, [(0, 1, wins), (0, 2, wins), (1, 2, even)])
    assert not found.comparable
    assert np.isfinite(found.elo).all()
    assert np.isfinite(found.error).all()
    assert found.elo[0] > found.elo[1] == pytest.approx(found.elo[2])
    assert found.elo.sum() == pytest.approx(0)
    one = rate(2, [(0, 1, np.ones(5))])
    assert one.elo[0] > 0
    assert not one.comparable


def test_draws_alone_are_equality() -> None:
    found = rate(3, [(0, 1, np.full(9, 0.5)), (0, 2, np.full(9, 0.5)), (1, 2, np.full(9, 0.5))])
    assert found.comparable
    assert np.allclose(found.elo, 0)
    assert (found.error > 0).all()
    assert math.isclose(found.error[0], found.error[1])
