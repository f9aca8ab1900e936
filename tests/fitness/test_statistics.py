"""Figures and their intervals, which cover the truth as often as they say; means against SciPy's
own tests, ratings against another program's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from evolve.fitness.statistics import (
    Estimate,
    Floats,
    Meeting,
    bradley_terry,
    chance_of,
    comparable,
    elo_of,
    holm,
    holm_levels,
    in_elo,
    mean_of,
    rate_games,
    rate_one,
    score_of_elo,
    score_of_pairs,
    stated,
    strength_among,
    superiority,
)


def test_elo_of_scores_and_of_a_clean_sweep() -> None:
    elos = [elo_of(score) for score in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert elos == pytest.approx([-math.inf, -190.85, 0, 190.85, math.inf], abs=0.01)
    result = score_of_pairs(np.ones(50))
    assert (result.value, result.high, result.n) == (1.0, 1.0, 100)
    elo = in_elo(result)
    assert (elo.value, elo.high, elo.n) == (math.inf, math.inf, 100)
    assert elo.low > 200
    assert elo.columns("elo") == {"elo": None, "elo_low": elo.low, "elo_high": None}


@pytest.mark.parametrize(
    ("first", "second", "pairs"),
    [(0.5, 0.5, 40), (0.9, 0.85, 60), (0.95, 0.2, 40), (0.97, 0.97, 100), (0.6, None, 60)],
)
def test_intervals_cover_the_truth(first: float, second: float | None, pairs: int) -> None:
    """Each game of a pair has a chance of its own, or the opening decides both."""
    rng, hits = np.random.default_rng(0), 0
    truth = first if second is None else (first + second) / 2
    for _ in range(2000):
        won = rng.random(pairs) < first
        other = won if second is None else rng.random(pairs) < second
        result = score_of_pairs((won + other.astype(float)) / 2)
        hits += result.low <= truth <= result.high
    assert 0.92 <= hits / 2000 <= 0.98


def test_superiority_fits_the_interval() -> None:
    """Where the interval begins at one half, 97.5 % speak for the stronger."""
    pairs = np.array([1.0] * 40 + [0.5] * 20 + [0.0] * 22)
    assert superiority(pairs) == pytest.approx(0.975, abs=0.02)
    assert score_of_pairs(pairs).low == pytest.approx(0.5, abs=0.02)
    assert superiority(1.0 - pairs) == pytest.approx(1.0 - superiority(pairs))


@pytest.mark.parametrize("pair", [0.0, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 6, 10])
def test_few_pairs_say_little(count: int, pair: float) -> None:
    """From 5 pairs on, the likelihood agrees with Bayes: a flat prior over a pair's five scores."""
    found = superiority(np.full(count, pair))
    interval = stated(score_of_pairs(np.full(count, pair)), count)
    assert math.isnan(found) == math.isnan(interval.low) == math.isnan(interval.high) == (count < 5)
    if count >= 5:
        scores = np.arange(5) / 4
        shares = np.random.default_rng(0).dirichlet(1.0 + count * (scores == pair), 20_000)
        assert found == pytest.approx(np.mean(shares @ scores > 0.5), abs=0.03)


@pytest.mark.parametrize("count", [2, 3, 10, 40])
def test_interval_and_chance_are_those_of_students_test(count: int) -> None:
    from scipy import stats  # half a second in each worker if at collection

    values = np.random.default_rng(count).normal(1.0, 3.0, count)
    found = mean_of(values.tolist())
    test = stats.ttest_1samp(values, 0.5)
    interval = test.confidence_interval(0.95)
    assert (found.n, found.value) == (count, pytest.approx(values.mean()))
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert chance_of(values.tolist(), 0.5) == pytest.approx(test.pvalue)
    wide, exact = mean_of(values.tolist(), 0.99), test.confidence_interval(0.99)
    assert (wide.low, wide.high) == pytest.approx((exact.low, exact.high))


def test_one_seed_tells_nothing_of_the_others() -> None:
    found = mean_of([0.7])
    assert (found.value, found.n) == (0.7, 1)
    assert all(map(math.isnan, (found.low, found.high, chance_of([0.7], 0.5))))
    assert found.columns("x") == {"x": 0.7, "x_low": None, "x_high": None}


def test_an_interval_is_cut_to_what_can_be() -> None:
    cut = [mean_of(values).within(0.0, 1.0) for values in ([0.7], [0.1, 0.9])]
    assert cut == [(0.7, 0.0, 1.0, 1), (0.5, 0.0, 1.0, 2)]
    found = mean_of([0.4, 0.5, 0.6])
    assert found.within(0.0, 1.0) == found


def test_seeds_that_are_all_alike() -> None:
    alike = [0.5] * 3
    assert mean_of(alike) == (0.5, 0.5, 0.5, 3)
    assert (chance_of(alike, 0.5), chance_of(alike, 0.0)) == (1.0, 0.0)


@pytest.mark.parametrize("seeds", [3, 10])
@pytest.mark.parametrize("kind", ["normal", "scores"])
def test_intervals_of_means_hold_the_truth_as_often_as_they_say(seeds: int, kind: str) -> None:
    """Paired differences of two settings; scores as seeds have them, each of 200 games."""
    rng, truth, held = np.random.default_rng(seeds), 0.06, 0
    for _ in range(2000):
        values = rng.normal(truth, 0.1, seeds)
        if kind == "scores":
            strengths = np.clip(rng.normal([[0.5 + truth], [0.5]], 0.08, (2, seeds)), 0, 1)
            values = np.subtract(*rng.binomial(200, strengths)) / 200
        found = mean_of(values.tolist())
        held += found.low <= truth <= found.high
    assert 0.93 <= held / 2000 <= 0.97


def test_holm_by_hand_and_in_simulations() -> None:
    assert holm([0.01, 0.04, 0.03, math.nan]) == pytest.approx(
        [0.03, 0.06, 0.06, math.nan], nan_ok=True
    )
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    rng = np.random.default_rng(0)
    wrong = sum(min(holm(rng.uniform(size=6).tolist())) < 0.05 for _ in range(4000))
    assert wrong / 4000 <= 0.06


def test_intervals_agree_with_the_corrected_probabilities() -> None:
    assert holm_levels([0.01, 0.04, 0.03, math.nan]) == pytest.approx(
        [1 - 0.05 / 3, *[0.975] * 2, 0.95]
    )
    rng = np.random.default_rng(0)
    of_zero, doubtful = [], []
    for _ in range(300):
        rows = rng.normal(rng.normal(0, 1.5, (5, 1)), 1.0, (5, 6)).tolist()
        chances = [chance_of(row, 0.0) for row in rows]
        found = [mean_of(*one) for one in zip(rows, holm_levels(chances), strict=True)]
        of_zero += [one.low <= 0 <= one.high for one in found]
        doubtful += [corrected > 0.05 for corrected in holm(chances)]
    assert of_zero == doubtful


def simulated(
    elo: np.ndarray, pairs: int, rng: np.random.Generator, luck: float = 0
) -> list[Meeting]:
    """A round robin in which each opening favours one side by `luck` Elo or so."""
    meetings = []
    for i, j in combinations(range(len(elo)), 2):
        tilt = rng.normal(0, luck, pairs) * [[1], [-1]]
        won = rng.random((2, pairs)) < 1 / (1 + 10 ** (-(elo[i] - elo[j] + tilt) / 400))
        meetings.append((i, j, won.mean(axis=0)))
    return meetings


@pytest.mark.parametrize("players", [2, 5, 12])
def test_evalica_agrees(players: int) -> None:
    import evalica  # with scipy.stats, half a second in each worker if at collection

    rng = np.random.default_rng(players)
    meetings = simulated(rng.normal(0, 120, players), 40, rng)
    rows = [
        (i, j, winner, 2 * points.sum())
        for i, j, scores in meetings
        for points, winner in ((scores, evalica.Winner.X), (1 - scores, evalica.Winner.Y))
    ]
    xs, ys, winners, weights = map(list, zip(*rows, strict=True))
    theirs = evalica.bradley_terry(
        xs, ys, winners, weights=weights, tolerance=1e-12, limit=100_000
    ).scores
    elo = 400 * np.log10(np.array([theirs[player] for player in range(players)]))
    ours = bradley_terry(players, meetings)
    assert comparable(players, meetings)
    assert np.allclose(values(ours), elo - elo.mean(), atol=1e-3)


@pytest.mark.parametrize(
    ("players", "pairs", "luck"),
    [
        (6, 40, 0),
        pytest.param(6, 40, 250, marks=pytest.mark.slow),
        pytest.param(16, 10, 100, marks=pytest.mark.slow),
    ],
)
def test_intervals_of_ratings_hold_the_truth(players: int, pairs: int, luck: float) -> None:
    rng, hits = np.random.default_rng(players + int(luck)), 0
    for _ in range(250):
        truth = rng.normal(0, 100, players)
        found = bradley_terry(players, simulated(truth, pairs, rng, luck))
        centred = truth - truth.mean()
        if luck:
            # With lucky openings a score is nearer to ½ than the ratings would have it: what is
            # estimated is the difference that predicts the scores.
            centred = predicted(truth, luck)
        hits += sum(one.low <= elo <= one.high for one, elo in zip(found, centred, strict=True))
    assert 0.93 <= hits / 250 / players <= 0.97


def values(estimates: Sequence[Estimate]) -> Floats:
    return np.array([one.value for one in estimates])


def predicted(truth: np.ndarray, luck: float) -> np.ndarray:
    """Ratings from exact expected scores, averaged over the luck of openings."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)
    weights = weights / weights.sum()
    meetings = []
    for i, j in combinations(range(len(truth)), 2):
        chances = [score_of_elo(float(truth[i] - truth[j] + luck * node)) for node in nodes]
        meetings.append((i, j, np.array([float(weights @ chances)])))
    return values(bradley_terry(len(truth), meetings))


def test_players_without_a_point_against_others() -> None:
    wins, even = np.ones(20), np.full(20, 0.5)
    meetings = [(0, 1, wins), (0, 2, wins), (1, 2, even)]
    found = bradley_terry(3, meetings)
    assert not comparable(3, meetings)
    assert np.isfinite(found).all()
    assert found[0].value > found[1].value == pytest.approx(found[2].value)
    assert values(found).sum() == pytest.approx(0)
    assert [one.n for one in found] == [80, 80, 80], "only games that were played"
    assert bradley_terry(2, [(0, 1, np.ones(5))])[0].value > 0
    assert not comparable(2, [(0, 1, np.ones(5))])


@pytest.mark.parametrize(("games", "points"), [(3, 0.0), (3, 3.0), (5, 2.5), (40, 31.0)])
def test_single_games_are_rated_with_a_draw_more(games: int, points: float) -> None:
    found = rate_games([700.0] * games, points)
    share = (points + 0.5) / (games + 1)
    assert found.value - 700 == pytest.approx(elo_of(share), abs=1e-6)
    deviation = math.sqrt((games + 1) * share * (1 - share))
    assert found.error == pytest.approx(400 / math.log(10) / deviation)
    assert found.n == games


def test_the_draw_is_with_an_opponent_of_their_mean_strength() -> None:
    opponents = [300.0, 900.0, 1400.0]
    found = rate_games(opponents, 2.0).value
    expected = sum(score_of_elo(found - elo) for elo in [*opponents, sum(opponents) / 3])
    assert expected == pytest.approx(2.5)


def test_rating_agrees_with_the_one_of_all_players_together() -> None:
    rng = np.random.default_rng(3)
    scores = rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], (3, 500))
    known = np.array([0.0, 60.0, -80.0])
    # Many games among the three hold them where they are known to be.
    meetings = [(i, 3, 1 - scores[i]) for i in range(3)]
    for i, j in combinations(range(3), 2):
        meetings.append((i, j, np.full(400_000, score_of_elo(known[i] - known[j]))))
    together = bradley_terry(4, meetings)
    elo, others = rate_one(known, scores), values(together[:3])
    expected = together[3].value - others.mean() + known.mean()
    assert elo.value == pytest.approx(expected, abs=0.5)
    assert elo.n == 3000
    assert elo.error == pytest.approx(np.sqrt(16 / 9) * together[3].error, rel=0.25)


@pytest.mark.parametrize(("value", "sign"), [(0.0, -1), (1.0, 1)])
def test_rating_of_who_won_or_lost_everything(value: float, sign: int) -> None:
    elo = rate_one(np.array([-100.0, 100.0]), np.full((2, 24), value))
    assert 300 < sign * elo.value < 2000
    assert 50 < elo.error < 1000


def test_intervals_of_a_rating_among_known_ones_cover_the_truth() -> None:
    rng = np.random.default_rng(4)
    known, truth, hit = np.array([-300.0, -50.0, 0.0, 250.0]), 70.0, 0
    chance = np.array([score_of_elo(truth - elo) for elo in known])[:, None, None]
    for _ in range(400):
        scores = (rng.random((4, 24, 2)) < chance).mean(axis=2)
        elo = rate_one(known, scores)
        hit += elo.low < truth < elo.high
    assert 0.92 <= hit / 400 <= 0.98


@pytest.mark.parametrize("points", [0.5, 50.0])
def test_strength_among_opponents_with_different_numbers_of_games(points: float) -> None:
    known, games = np.array([-1.0, 0.3, 2.0]), np.array([10.0, 1.0, 40.0])
    strength = strength_among(known, games, points)
    expected = games / (1.0 + np.exp(known - strength))
    assert expected.sum() == pytest.approx(points)
