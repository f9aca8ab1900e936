"""The curve of a run's rating, and whether it still rises."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.fitness.trend import _REST, _SPAN, Curve, rest_message, resting_since


def curve(elo: np.ndarray, error: float = 25.0, every: int = 1) -> Curve:
    made = Curve()
    for index, one in enumerate(elo):
        made.add(every * index, float(one), error)
    return made


def noise(rng: np.random.Generator, count: int, alike: float = 0, size: float = 27) -> np.ndarray:
    drawn = rng.normal(0, size * np.sqrt(1 - alike**2), count)
    for index in range(1, count):
        drawn[index] += alike * drawn[index - 1]
    return drawn


RUNS = {
    "flat": lambda x, rng: 0.0 * x,
    "linear, then flat": lambda x, rng: 20.0 * np.minimum(x, 60.0),
    "soon at rest": lambda x, rng: 700.0 * (1.0 - np.exp(-x / 10.0)),
    "ever slower": lambda x, rng: 150.0 * np.log1p(x),
    "a random walk": lambda x, rng: rng.normal(0.0, 8.0, len(x)).cumsum(),
}


@pytest.mark.slow
@pytest.mark.parametrize(("count", "repeats"), [(5, 60), (20, 30), (168, 10)])
def test_band_holds_the_true_strength(count: int, repeats: int) -> None:
    rng, held = np.random.default_rng(4), []
    for shape in RUNS.values():
        for _ in range(repeats):
            truth = shape(np.arange(count), rng)
            smoothed = curve(truth + noise(rng, count, size=25.0)).smoothed.values()
            held += [one.low <= elo <= one.high for one, elo in zip(smoothed, truth, strict=True)]
    assert 0.93 <= np.mean(held) <= 0.97


def test_strength_ends_near_the_last_bests_and_is_surer_than_these() -> None:
    rising = curve(np.arange(20) * 30.0)
    last = rising.smoothed[19]
    assert rising.level == pytest.approx(last)
    assert last.value == pytest.approx(19 * 30, abs=1), "no lag"
    assert last.high - last.value < 1.96 * 25
    assert curve(np.zeros(1)).smoothed[0].high == pytest.approx(1.96 * 25, rel=1e-3)
    assert (Curve().level, Curve().smoothed) == (None, {})


def test_nothing_is_said_of_a_rise_before_there_is_a_span() -> None:
    assert curve(np.zeros(_SPAN + 1)).rise["rise"] is not None
    # Seven panels are too few as well.
    few = (curve(np.zeros(_SPAN)), Curve(), curve(np.zeros(7), every=20))
    assert [one.rise["rise"] for one in few] == [None] * 3


def test_rise_is_taken_from_the_last_half() -> None:
    elo = np.concatenate([np.arange(0, 1000, 10.0), 1000 + np.arange(100.0)])
    rise = curve(elo + noise(np.random.default_rng(0), 200)).rise
    assert rise["rise_since"] == 99
    assert rise["rise_low"] < _SPAN < rise["rise_high"]  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize("alike", [0.0, 0.4])
def test_intervals_of_rises_cover_the_truth(alike: float) -> None:
    rng, hit = np.random.default_rng(1), 0
    for _ in range(60):
        rise = curve(0.5 * np.arange(168) + noise(rng, 168, alike)).rise
        hit += rise["rise_low"] <= 0.5 * _SPAN <= rise["rise_high"]  # type: ignore[operator]
    assert hit / 60 >= 0.9


def test_flat_curve_rests_and_a_rising_one_does_not() -> None:
    rng = np.random.default_rng(2)
    rising = np.arange(168) * 2 * _REST / _SPAN
    rests, goes_on = (
        [rest_message(curve(700 + line + noise(rng, 168)).rise) for _ in range(16)]
        for line in (0.0, rising)
    )
    assert rests.count(None) <= 1
    assert goes_on == [None] * 16


@pytest.mark.slow
def test_looking_in_every_generation_hardly_ever_stops_a_run_that_rises() -> None:
    def ever_rests(slope: float) -> bool:
        growing = Curve()
        for generation, luck in enumerate(noise(rng, 168, size=28)):
            growing.add(generation, slope / _SPAN * generation + float(luck), 25.0)
            if rest_message(growing.rise) is not None:
                return True
        return False

    rng = np.random.default_rng(3)
    assert not any(ever_rests(2 * _REST) for _ in range(6))
    assert all(ever_rests(0.0) for _ in range(6))


def test_line_on_rest_gives_the_interval_and_since_when() -> None:
    row = {"rise_since": 83, "rise_low": -9.4, "rise_high": 11.2}
    assert rest_message(row) == (
        "evolution has stopped improving: since generation 83 the rating rises by [-9, +11] Elo in "
        "40 generations"
    )
    others = [{**row, "rise_high": high} for high in (_REST, float("nan"), None)]
    assert [*map(rest_message, [*others, {}])] == [None] * 4


@pytest.mark.parametrize(
    ("highs", "since"),
    [
        ([None, 60.0, 19.0, 15.0], 1.0), ([None, 19.0, 60.0, 15.0], 0.5),
        ([None, 19.0, 60.0], None), ([float("nan"), 60.0], None), ([], None),
    ],
)  # fmt: skip
def test_since_when_a_run_rests(highs: list[float | None], since: float | None) -> None:
    rows = [{"rise_high": high, "rise_since": n / 2} for n, high in enumerate(highs)]
    assert resting_since(rows) == since
