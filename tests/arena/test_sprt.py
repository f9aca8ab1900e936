"""The sequential test of a match: its ratio, its errors, and how long it takes."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest

from benchmarks.sprt import SHAPES, leaning, simulated
from evolve.arena.match import Sprt
from evolve.config.matches import EloUnit
from evolve.fitness.statistics import score_of_elo

UNITS = get_args(EloUnit)
SCORES = np.arange(5) / 4
MATCHES = 500


def log_likelihood(counts: list[float], elo: float, unit: EloUnit) -> float:
    """That of the likeliest distribution of a strength, by a general method of optimization."""
    optimize = pytest.importorskip("scipy.optimize")
    weights = np.array(counts) / sum(counts)

    def off(shares: np.ndarray) -> float:
        mean = float(shares @ SCORES)
        if unit == "logistic":
            return mean - score_of_elo(elo)
        deviation = math.sqrt(2 * float(shares @ (SCORES - mean) ** 2))  # of a game
        return mean - 0.5 - elo * math.log(10) / 800 * deviation

    found = optimize.minimize(
        lambda shares: -(weights * np.log(shares)).sum(),
        np.full(5, 0.2),
        bounds=[(1e-12, 1)] * 5,
        constraints=[{"type": "eq", "fun": lambda shares: shares.sum() - 1},
                     {"type": "eq", "fun": off}],
        options={"maxiter": 1000, "ftol": 1e-14},
    )  # fmt: skip
    return -float(found.fun) * sum(counts)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize(
    "counts",
    [[3, 7, 20, 9, 4], [1, 1, 1, 1, 1], [10, 2, 5, 1, 30], [100, 20, 50, 20, 80], [0, 0, 9, 1, 0]],
)
@pytest.mark.parametrize("bounds", [(-10, 30), (0, 100)])
def test_the_ratio_is_that_of_the_likeliest_distributions(
    counts: list[int], bounds: tuple[int, int], unit: EloUnit
) -> None:
    exact = [count + 1e-3 for count in counts]
    low, high = (log_likelihood(exact, elo, unit) for elo in bounds)
    assert Sprt(*bounds, unit=unit).ratio(counts) == pytest.approx(high - low, abs=1e-3)


@pytest.mark.parametrize(
    ("unit", "bounds", "counts", "expected"),
    [
        ("normalized", (0, 2), (365, 16618, 36229, 16974, 390), 2.25),
        ("normalized", (-1.75, 0.25), (127, 4883, 10712, 5150, 104), 3.01),
        ("normalized", (0, 5), (0, 0, 0, 0, 5550), 111.82),
        ("logistic", (0.5, 2.5), (223, 9863, 21279, 10037, 246), -3.07),
        ("logistic", (0, 2), (871, 26175, 55983, 26678, 821), -4.98),
    ],
)
def test_the_ratio_is_that_of_fastchess(
    unit: EloUnit, bounds: tuple[float, float], counts: tuple[int, ...], expected: float
) -> None:
    assert Sprt(*bounds, unit=unit).ratio(counts) == pytest.approx(expected, rel=3e-3)


@pytest.mark.parametrize("unit", UNITS)
def test_bounds_and_symmetry(unit: EloUnit) -> None:
    test = Sprt(-5, 5, 0.05, 0.1, unit)
    assert test.upper == pytest.approx(math.log(0.9 / 0.05))
    assert test.lower == pytest.approx(math.log(0.1 / 0.95))
    assert test.ratio([3, 4, 10, 9, 5]) == pytest.approx(-test.ratio([5, 9, 10, 4, 3]))
    assert test.ratio([0, 0, 0, 0, 0]) == 0
    assert test.verdict([0] * 5) == "undecided"


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("place", range(5))
def test_pairs_that_are_all_alike_are_decided(place: int, unit: EloUnit) -> None:
    test = Sprt(0, 20, unit=unit)
    pairs = np.arange(1, 500)[:, None] * np.eye(5, dtype=int)[place]
    ratios = test.ratios(pairs)
    decided = pairs[(ratios >= test.upper) | (ratios <= test.lower)]
    assert test.verdict(decided[0].tolist()) == ("accepted" if place > 2 else "rejected")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("alpha", [pytest.param(0.05, marks=pytest.mark.slow), 0.2])
def test_errors_and_lengths_are_as_said(alpha: float, shape: str, unit: EloUnit) -> None:
    test = Sprt(0, 60, alpha, alpha, unit)
    rng = np.random.default_rng(1)
    at0, half, at1 = (
        simulated(test, leaning(SHAPES[shape], elo, unit), MATCHES, rng) for elo in (0, 30, 60)
    )
    most = alpha + 2 * math.sqrt(alpha * (1 - alpha) / MATCHES)
    assert max(at0.accepted, 1 - at1.accepted) <= most
    games = [at0.games, half.games, at1.games]
    if unit == "normalized" or shape == "undrawn":
        assert games == pytest.approx(test.expected, rel=0.2)
    else:
        assert all(np.array(games) < test.expected)


def test_in_normalized_elo_the_length_hangs_on_the_bounds_alone() -> None:
    test, other, half = (Sprt(*ends, unit="normalized") for ends in ((0, 10), (-10, 0), (0, 5)))
    assert test.expected == other.expected
    assert half.expected == pytest.approx(4 * np.array(test.expected), rel=0.06)
    assert left(test, [0] * 5) == test.expected[1]


def left(test: Sprt, counts: list[int]) -> int:
    return int(test.document(counts)["games_left"])


@pytest.mark.parametrize("unit", UNITS)
def test_games_that_are_left_follow_the_counts(unit: EloUnit) -> None:
    test = Sprt(0, 20, unit=unit)
    on_the_way, nearly, fallen = ([20, 0, 60, 0, 20], [20, 0, 60, 0, 40], [40, 0, 60, 0, 20])
    assert left(test, nearly) < left(test, on_the_way) > left(test, fallen) > 0
    decided = [10, 0, 60, 0, 90]
    assert (test.verdict(decided), left(test, decided)) == ("accepted", 0)
    # A is far stronger than either bound: the ratio goes on as it began.
    far, close = [1, 0, 29, 3, 67], Sprt(0, 2, unit=unit)
    assert left(close, far) == pytest.approx(200 * (close.upper / close.ratio(far) - 1), rel=0.1)
