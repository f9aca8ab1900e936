"""Scores and their intervals, which cover the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.fitness.score import elo_of, score_of_pairs


@pytest.mark.parametrize(("score", "elo"), [(0.5, 0.0), (0.75, 190.85), (0.25, -190.85)])
def test_elo(score: float, elo: float) -> None:
    assert elo_of(score) == pytest.approx(elo, abs=0.01)


def test_elo_of_a_clean_sweep_does_not_exist() -> None:
    assert elo_of(1.0) is None
    result = score_of_pairs(np.ones(50))
    assert (result.elo, result.elo_high) == (None, None)
    assert result.elo_low is not None
    assert result.elo_low > 200


@pytest.mark.parametrize(
    ("p_first", "p_second", "pairs"),
    [(0.5, 0.5, 40), (0.9, 0.85, 60), (0.95, 0.2, 40), (0.97, 0.97, 100)],
)
def test_intervals_cover_the_truth(p_first: float, p_second: float, pairs: int) -> None:
    # The two games of a pair have chances of their own: with the first colour and the second.
    rng = np.random.default_rng(0)
    truth = (p_first + p_second) / 2
    hits = 0
    for _ in range(2000):
        first = rng.random(pairs) < p_first
        second = rng.random(pairs) < p_second
        result = score_of_pairs((first + second.astype(float)) / 2)
        hits += result.low <= truth <= result.high
    assert 0.92 <= hits / 2000 <= 0.99


def test_intervals_cover_the_truth_when_an_opening_decides_both_games() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(2000):
        both = (rng.random(60) < 0.6).astype(float)
        hits += score_of_pairs(both).low <= 0.6 <= score_of_pairs(both).high
    assert 0.90 <= hits / 2000 <= 0.98
