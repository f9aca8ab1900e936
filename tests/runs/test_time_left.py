"""The one estimate of when work ends: it adds up, and passes with the time."""

from __future__ import annotations

import pytest

from evolve.runs.progress import TimeLeft


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_nothing_is_known_before_there_is_a_pace(clock: Clock) -> None:
    known = TimeLeft(clock=clock)
    clock.now += 7.0
    assert (known.elapsed, known.left) == (7.0, None)
    known.reach(0.5)  # half was done before, or while kernels were compiled
    assert known.left is None
    clock.now += 6.0
    known.reach(0.6)
    assert known.left == pytest.approx(24.0)


def test_elapsed_and_left_agree(clock: Clock) -> None:
    known = TimeLeft(60.0, clock=clock)
    for _ in range(3):
        assert known.left is not None
        assert known.elapsed + known.left == pytest.approx(60.0)
        clock.now += 20.0
    clock.now += 20.0
    assert known.left == 0.0


def test_the_pace_counts_from_what_was_done_before(clock: Clock) -> None:
    known = TimeLeft(done=0.5, clock=clock)
    clock.now += 10.0
    known.reach(0.75)
    assert known.left == pytest.approx(10.0)


def test_the_last_reports_tell_the_pace(clock: Clock) -> None:
    known = TimeLeft(done=0.0, clock=clock)
    for step in range(40):
        clock.now += 9.0 if step < 20 else 1.0
        known.reach((step + 1) / 80)
    assert known.left == pytest.approx(40.0)


def test_work_that_begins_again_is_measured_again(clock: Clock) -> None:
    known = TimeLeft(done=0.5, clock=clock)
    clock.now += 10.0
    known.reach(0.1)
    clock.now += 10.0
    known.reach(0.2)
    assert known.left == pytest.approx(80.0)


def test_a_limit_ends_the_work_but_not_the_stages_after_it(clock: Clock) -> None:
    known = TimeLeft(None, 0.0, lambda pace: {"ladder": 5.0}, limit=30.0, clock=clock)
    clock.now += 10.0
    known.reach(0.1)
    assert known.left == pytest.approx(20.0 + 5.0)


def test_stages_at_the_end_are_part_of_it(clock: Clock) -> None:
    paces = []

    def after(pace: float | None) -> dict[str, float]:
        paces.append(pace)
        return {"play-off": 20.0, "ladder": 5.0}

    known = TimeLeft(None, 0.0, after, clock=clock)
    clock.now += 40.0
    known.reach(0.5)
    assert known.left == 65.0
    known.reach_stage("generation 3", 0.5)  # no stage of the end
    assert known.left == 65.0
    clock.now += 40.0
    known.reach(1.0)
    assert known.left == 25.0
    known.reach_stage("play-off", 0.0)
    assert known.left == 25.0
    clock.now += 20.0
    known.reach_stage("play-off", 0.5)  # twice as slow as expected
    assert known.left == 25.0
    clock.now += 20.0
    known.reach_stage("play-off", 1.0)
    assert known.left == 5.0
    known.reach_stage("ladder", 1.0)
    assert known.left == 0.0
    assert set(paces) == {80.0}


def test_a_stage_that_nobody_expected_goes_by_its_own_pace(clock: Clock) -> None:
    known = TimeLeft(done=0.0, clock=clock)
    clock.now += 10.0
    known.reach(1.0)
    known.reach_stage("final", 0.0)
    assert known.left is None
    clock.now += 10.0
    known.reach_stage("final", 0.25)
    assert known.left == pytest.approx(30.0)
