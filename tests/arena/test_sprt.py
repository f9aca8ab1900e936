"""The sequential test errs as often as it says, and ends when one side loses everything."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evolve.arena.match import PAIR_SCORES, Sprt
from evolve.errors import OptionsError
from evolve.fitness.statistics import score_of_elo


def likely_shares(counts: list[float], mean: float) -> np.ndarray:
    """The distribution over pair scores with that mean that makes the counts likeliest: an
    independent way, by the method of multipliers on a grid of steps."""
    from scipy.optimize import minimize

    scores = np.array(PAIR_SCORES)
    weights = np.array(counts) / sum(counts)
    found = minimize(
        lambda p: -(weights * np.log(p)).sum(),
        np.full(5, 0.2),
        bounds=[(1e-12, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ scores - mean},
        ],
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return found.x


@pytest.mark.parametrize(
    "counts", [[3, 7, 20, 9, 4], [1, 1, 1, 1, 1], [10, 2, 5, 1, 30], [100, 20, 50, 20, 80]]
)
def test_the_ratio_is_that_of_the_likeliest_distributions(counts: list[float]) -> None:
    pytest.importorskip("scipy")
    test = Sprt(-10, 30)
    exact = [count + 1e-3 for count in counts]
    logs = [
        float((np.array(exact) * np.log(likely_shares(exact, score_of_elo(elo)))).sum())
        for elo in (30, -10)
    ]
    assert test.ratio(counts) == pytest.approx(logs[0] - logs[1], abs=1e-3)  # type: ignore[arg-type]


def test_bounds_and_symmetry() -> None:
    test = Sprt(-5, 5, 0.05, 0.1)
    assert test.upper == pytest.approx(math.log(0.9 / 0.05))
    assert test.lower == pytest.approx(math.log(0.1 / 0.95))
    assert test.ratio([3, 4, 10, 9, 5]) == pytest.approx(-test.ratio([5, 9, 10, 4, 3]))
    assert test.ratio([0, 0, 0, 0, 0]) == 0
    assert Sprt(0, 5).verdict([0] * 5) == "undecided"


@pytest.mark.parametrize("place", range(5))
def test_pairs_that_are_all_alike_are_decided(place: int) -> None:
    test = Sprt(0, 20)
    counts = [0] * 5
    for _ in range(2000):
        counts[place] += 1
        if test.verdict(counts) != "undecided":
            break
    assert test.verdict(counts) == ("accepted" if place > 2 else "rejected")
    assert sum(counts) < 400


def share_accepted(elo: float, test: Sprt, draws: float, matches: int, seed: int) -> float:
    """Share of simulated matches at a true difference that accept ELO1; pairs are correlated."""
    rng = np.random.default_rng(seed)
    mean = score_of_elo(elo)
    shares = np.array([0.1, 0.15 - draws, 0.5 + 2 * draws, 0.15 - draws, 0.1])
    slope = (mean - 0.5) / (shares @ (np.array(PAIR_SCORES) - 0.5) ** 2)
    shares = shares * (1 + slope * (np.array(PAIR_SCORES) - 0.5))
    accepted = 0
    for _ in range(matches):
        counts = np.zeros(5, int)
        while (verdict := test.verdict(counts.tolist())) == "undecided":
            counts += rng.multinomial(16, shares)  # a round of 32 games
        accepted += verdict == "accepted"
    return accepted / matches


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_error_rates_are_as_set(alpha: float) -> None:
    test = Sprt(0, 60, alpha, alpha)
    matches = 400
    slack = 3 * math.sqrt(alpha * (1 - alpha) / matches)
    assert share_accepted(0, test, 0.05, matches, 1) <= alpha + slack
    assert 1 - share_accepted(60, test, 0.05, matches, 2) <= alpha + slack
    assert 0.2 < share_accepted(30, test, 0.05, matches, 3) < 0.8
    # Nor is it so careful that it wastes games.
    assert share_accepted(0, test, 0.05, matches, 4) >= alpha / 4


@pytest.mark.parametrize(
    "settings",
    [(5, 5), (10, 0), (0, 5, 0), (0, 5, 0.5), (0, 5, 0.05, 0.6), (0, math.nan), (0, 1e9)],
)
def test_settings_that_make_no_test(settings: tuple[float, ...]) -> None:
    with pytest.raises(OptionsError):
        Sprt(*settings)
