"""Strengths over a reference against an independent maximum, and what ratings leave unexplained
against a computation by hand; both in games whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2

from benchmarks.cycles import Setting, figures
from evolve.fitness.statistics import ELO_SCALE, Meeting, elo_of, score_of_elo
from evolve.fitness.strengths import (
    _APART,
    REFERENCE,
    Known,
    Met,
    Unexplained,
    strengths,
    unexplained_by_ratings,
    unexplained_by_strengths,
)


def test_games_with_the_reference_alone_are_a_score_with_a_draw_more() -> None:
    found = strengths([Met(3, REFERENCE, 12, 10.5), Met(3, REFERENCE, 7, 4.0)])[3]
    assert found.n == 19
    assert found.value == pytest.approx(elo_of(15 / 20))
    assert found.error == pytest.approx(ELO_SCALE / math.sqrt(20 * 0.75 * 0.25))
    assert 400 < strengths([Met(0, REFERENCE, 9, 9.0)])[0].value < 1000
    assert -1000 < strengths([Met(0, REFERENCE, 9, 0.0)])[0].value < -400
    assert strengths([]) == {}


def test_it_is_the_likeliest_with_a_difference_of_each_meeting() -> None:
    rng, met = np.random.default_rng(2), [Met(0, REFERENCE, 20, 12.0)]
    for player in range(1, 6):
        met.append(Met(player, REFERENCE, 8, float(rng.integers(9))))
        met.append(Met(player, int(rng.integers(player)), 10, float(rng.integers(11))))
    between = [row for row in met if row.other != REFERENCE]

    def loss(values: np.ndarray) -> float:
        elos, apart = values[:6], dict(zip(between, values[6:], strict=True))
        total = sum(0.5 * (own / _APART) ** 2 for own in apart.values())
        for row in met:
            over = 0.0 if row.other == REFERENCE else elos[row.other]
            share = score_of_elo(elos[row.player] - over + apart.get(row, 0.0))
            won, lost = row.points + 0.5, row.games - row.points + 0.5
            total -= won * math.log(share) + lost * math.log(1 - share)
        return total

    best = minimize(loss, np.zeros(6 + len(between)), method="BFGS", options={"gtol": 1e-9})
    found = strengths(met)
    assert [found[number].value for number in range(6)] == pytest.approx(best.x[:6], abs=0.5)

    def slope(at: np.ndarray, step: np.ndarray) -> float:
        return (loss(at + step) - loss(at - step)) / 4

    steps = 2.0 * np.eye(len(best.x))
    curvature = [[(slope(best.x + a, b) - slope(best.x - a, b)) / 4 for b in steps] for a in steps]
    errors = np.sqrt(np.diag(np.linalg.inv(curvature)))[:6]
    assert [found[number].error for number in range(6)] == pytest.approx(errors, rel=0.01)


def test_a_known_opponent_lends_its_error() -> None:
    met = [Met(1, 0, 1000, 500.0)]
    exact, rough = (strengths(met, {0: Known(200.0, error)})[1] for error in (1.0, 80.0))
    assert (exact.value, rough.value) == pytest.approx((200.0, 200.0), abs=1.0)
    assert exact.error == pytest.approx(math.hypot(_APART, 11.0), rel=0.03)
    assert rough.error == pytest.approx(math.hypot(80.0, exact.error), rel=0.03)


@pytest.mark.parametrize(("cycle", "least", "most"), [(0.0, 0.93, 0.975), (40.0, 0.92, 0.97)])
def test_intervals_hold_the_truth(cycle: float, least: float, most: float) -> None:
    """Where each player meets the reference and the best so far, however its luck chose it."""
    held = list[bool]()
    for seed in range(24):
        rng = np.random.default_rng([seed, 7])
        truths = rng.normal(100, 150, 25)
        met: list[Met] = []
        best = REFERENCE
        for player, truth in enumerate(truths):
            shares = [(REFERENCE, truth)]
            if best != REFERENCE:
                own = rng.uniform(-cycle, cycle, 3).sum()
                shares.append((best, truth - truths[best] + own))
            met += [
                Met(player, other, 20, float(rng.binomial(20, score_of_elo(elo))))
                for other, elo in shares
            ]
            found = strengths(met)
            best = max(found, key=lambda number: found[number].low)
        held += [found[n].low <= truth <= found[n].high for n, truth in enumerate(truths)]
    assert least <= np.mean(held) <= most


NAMES = ("rock", "scissors", "paper")
WON = np.repeat([1.0, 0.5, 0.0], [44, 96, 20])
"""Scores of pairs of games, with mean 0.575."""


def among(names: tuple[str, ...], *meetings: Meeting) -> Unexplained:
    found = unexplained_by_ratings(names, meetings)
    assert found is not None
    return found


def test_rock_scissors_paper_is_as_computed_by_hand() -> None:
    found = among(NAMES, (0, 1, WON), (1, 2, WON), (0, 2, 1.0 - WON))
    # All ratings are 0, so each meeting's difference is its own: with the slope of the log odds
    # halfway between the predicted score ½ and .575, and the variance of pairs about ½.
    middle = (0.5 + 0.575) / 2
    slope = middle * (1 - middle)
    difference = np.log(middle / (1 - middle)) + (0.575 - middle) / slope
    of_pairs = np.mean((WON - 0.5) ** 2)
    usual = (160 * of_pairs + 0.125) / 161
    variance = (160 * of_pairs + 20 * usual) / 180 / 160 / slope**2
    # Three squares with one degree of freedom: the sum round the cycle is not 0.
    rest = 3 * difference**2

    def spread(expected: float) -> float:
        return float(ELO_SCALE * np.sqrt(rest / expected - variance))

    ends = spread(chi2.isf(0.025, 1)), spread(chi2.isf(0.975, 1))
    assert found.elo[:3] == pytest.approx((spread(1.0), *ends), rel=1e-3)
    assert found.share == pytest.approx(1 - variance / rest)
    assert found.p == pytest.approx(chi2.sf(rest / variance, 1))
    (cycle,) = found.cycles
    assert (cycle["agents"], cycle["scores"]) == ([*NAMES], [0.575] * 3)
    assert cycle["p_holm"] == pytest.approx(found.p), "one three alone: the same test"
    found = among(NAMES, (0, 1, 1.0 - WON), (1, 2, 1.0 - WON), (0, 2, WON))
    assert found.cycles[0]["agents"] == [*NAMES[::-1]], "the way it goes round"


def test_what_does_not_add_up_is_no_cycle_where_nobody_loses() -> None:
    even = np.full(200, 0.5)
    found = among(NAMES, (0, 1, WON), (1, 2, WON), (0, 2, even))
    assert found.elo.low > 0
    assert found.cycles == []


def test_threes_are_corrected_for_their_number() -> None:
    """The same three games among many agents that are all even say less."""
    rng = np.random.default_rng(3)
    won = np.repeat([1.0, 0.5, 0.0], [16, 28, 6])
    three = [(0, 1, won), (1, 2, won), (0, 2, 1.0 - won)]
    others = [
        (i, j, rng.permutation(np.repeat([1.0, 0.5, 0.0], [10, 30, 10])))
        for j in range(3, 16)
        for i in range(j)
    ]
    assert len(among(NAMES, *three).cycles) == 1
    assert among(tuple("abcdefghijklmnop"), *three, *others).cycles == []


@pytest.mark.parametrize(
    "meetings", [[(0, 1, WON), (0, 2, WON)], [(0, 1, WON), (1, 2, WON), (0, 2, WON[:4])]]
)
def test_of_these_nothing_can_be_said(meetings: list[Meeting]) -> None:
    assert unexplained_by_ratings(NAMES, meetings) is None
    assert unexplained_by_ratings(NAMES[:2], meetings[:1]) is None


@pytest.mark.parametrize("score", [0.5, 1.0])
def test_games_that_all_end_the_same_add_up(score: float) -> None:
    every = np.full(20, score)
    found = among(NAMES, (0, 1, every), (1, 2, every), (0, 2, every))
    assert (found.elo.value, found.elo.low, found.share) == (0.0, 0.0, 0.0)
    assert found.p > 0.5


@pytest.mark.parametrize("strengths", [0.0, 200.0])
def test_strengths_that_add_up_hardly_ever_look_otherwise(strengths: float) -> None:
    beyond, _, held, named, _ = figures(Setting(6, 100, strengths, 0.0), 60)
    assert beyond <= 0.05
    assert held >= 0.95
    assert named <= 0.05


def test_a_planted_part_is_found_and_its_cycles_are_named() -> None:
    beyond, elo, held, named, wrong = figures(Setting(6, 400, 0.0, 40.0, even=True), 60)
    assert beyond > 0.9
    assert elo == pytest.approx(40.0, abs=3.0)
    assert held > 0.9
    assert named > 0.6
    assert wrong <= 0.05


def test_trials_of_a_sweep_are_those_of_one_triangle() -> None:
    """Even with the reference both, and one beats the other: the rest has one degree of freedom."""
    found = unexplained_by_strengths(
        [Met(0, REFERENCE, 4000, 2000.0), Met(1, REFERENCE, 4000, 2000.0), Met(1, 0, 4000, 2400.0)]
    )
    assert found is not None
    apart, variance = np.log(0.6 / 0.4), 1 / (4000 * 0.25)
    expected = ELO_SCALE * np.sqrt(apart**2 / 3 - variance)
    assert found.elo.value == pytest.approx(expected, rel=0.02)
    assert found.elo.n == 1


def test_parts_of_a_trial_show_how_much_games_vary() -> None:
    """Parts that all end alike leave less to chance than those that vary."""

    def p_of(*points: float) -> float:
        parts = [Met(1, 0, 20, 12.0)] * 10
        met = [Met(n, REFERENCE, 20, won) for n in (0, 1) for won in points * 5]
        found = unexplained_by_strengths([*met, *parts])
        assert found is not None
        return found.p

    assert p_of(10.0, 10.0) < 0.1 * p_of(14.0, 6.0)


def test_of_trials_that_met_the_reference_alone_nothing_can_be_said() -> None:
    assert unexplained_by_strengths([Met(0, REFERENCE, 10, 5.0)]) is None
    assert unexplained_by_strengths([]) is None
