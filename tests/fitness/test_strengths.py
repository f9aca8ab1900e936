"""Strengths over a reference: against an independent maximum, and against known truths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from evolve.fitness.statistics import ELO_SCALE, elo_of, score_of_elo
from evolve.fitness.strengths import _APART, REFERENCE, Known, Met, strengths


def test_games_with_the_reference_alone_are_a_score_with_a_draw_more() -> None:
    found = strengths([Met(3, REFERENCE, 12, 10.5), Met(3, REFERENCE, 7, 4.0)])[3]
    assert found.n == 19
    assert found.value == pytest.approx(elo_of(15 / 20))
    assert found.error == pytest.approx(ELO_SCALE / math.sqrt(20 * 0.75 * 0.25))
    assert 400 < strengths([Met(0, REFERENCE, 9, 9.0)])[0].value < 1000


def drawn_games(rng: np.random.Generator, players: int) -> list[Met]:
    met = [Met(0, REFERENCE, 20, 12.0)]
    for player in range(1, players):
        met.append(Met(player, REFERENCE, 8, float(rng.integers(9))))
        met.append(Met(player, int(rng.integers(player)), 10, float(rng.integers(11))))
    return met


def test_it_is_the_likeliest_with_a_difference_of_each_meeting() -> None:
    met = drawn_games(np.random.default_rng(2), 6)
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


def test_nobody_has_played() -> None:
    assert strengths([]) == {}


@pytest.mark.parametrize(("cycle", "least", "most"), [(0.0, 0.93, 0.975), (40.0, 0.92, 0.97)])
def test_intervals_hold_the_truth(cycle: float, least: float, most: float) -> None:
    """Where each player meets the reference and the best so far, however its luck chose it."""
    held = []
    for seed in range(40):
        rng = np.random.default_rng([seed, 7])
        truths = rng.normal(100, 150, 25)
        met: list[Met] = []
        best = None
        for player, truth in enumerate(truths):
            shares = [(REFERENCE, truth)]
            if best is not None:
                own = rng.uniform(-cycle, cycle, 3).sum()
                shares.append((best, truth - truths[best] + own))
            for other, elo in shares:
                met.append(Met(player, other, 20, float(rng.binomial(20, score_of_elo(elo)))))
            found = strengths(met)
            best = max(found, key=lambda number: found[number].low)
        held += [found[n].low <= truth <= found[n].high for n, truth in enumerate(truths)]
    assert least <= np.mean(held) <= most
