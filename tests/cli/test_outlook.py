"""The one estimate of when work ends: it adds up, it passes with the time, and knows how good."""

from __future__ import annotations

import pytest

from evolve.cli.outlook import Outlook


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_nothing_is_told_before_anything_is_known(clock: Clock) -> None:
    outlook = Outlook(clock=clock)
    clock.now += 7.0
    assert (outlook.elapsed, outlook.left, outlook.share, outlook.told) == (7.0, None, 0.0, "")


def test_elapsed_and_left_agree(clock: Clock) -> None:
    outlook = Outlook(60.0, clock=clock)
    for _ in range(3):
        assert outlook.left is not None
        assert outlook.elapsed + outlook.left == pytest.approx(60.0)
        assert outlook.share == pytest.approx(outlook.elapsed / 60.0)
        clock.now += 20.0
    clock.now += 20.0
    assert outlook.left == 0.0


def test_what_may_end_early_has_so_much_left_at_most(clock: Clock) -> None:
    assert Outlook(240.0, clock=clock, at_most=True).told == "at most 4 min"


def test_stages_at_the_end_are_part_of_it(clock: Clock) -> None:
    outlook = Outlook(None, lambda: {"play-off": 20.0, "ladder": 5.0}, clock)
    outlook.steps(40.0, least=30.0)
    assert outlook.left == 65.0
    clock.now += 50.0  # a step takes longer than it should
    assert outlook.left == 55.0
    outlook.steps(0.0)
    assert outlook.left == 25.0
    outlook.stage("generation 3", 1, 2)  # no stage of the end
    assert outlook.left == 25.0
    outlook.stage("play-off", 0, 100)
    assert outlook.left == 25.0
    clock.now += 20.0
    outlook.stage("play-off", 50, 100)  # twice as slow as expected
    assert outlook.left == 25.0
    clock.now += 20.0
    outlook.stage("play-off", 100, 100)
    assert outlook.left == 5.0
    outlook.stage("ladder", 0, 0)
    assert outlook.left == 0.0


def test_the_pace_tells_until_a_step_does(clock: Clock) -> None:
    outlook = Outlook(None, lambda: {"final": 10.0}, clock)
    outlook.pace(0.5, 1.0)  # half was done before
    assert outlook.left is None
    clock.now += 6.0
    outlook.pace(0.6, 1.0)
    assert outlook.left == pytest.approx(24.0 + 10.0)
    clock.now += 6.0  # nothing goes on: it was faster than it is
    assert outlook.left == pytest.approx(48.0)
    outlook.steps(7.0)
    outlook.pace(0.7, 1.0)
    assert outlook.left == 17.0


def told(clock: Clock, wrong: float) -> str:
    """What is told after 40 of 80 seconds by estimates that are wrong by a share in turn."""
    outlook = Outlook(500.0, clock=clock)
    for second in range(40):
        clock.now += 1.0
        outlook.steps((80.0 - second) * (1.0 + wrong * (-1) ** second))
    return outlook.told


def test_it_is_about_until_it_is_good_to_a_fifth(clock: Clock) -> None:
    assert Outlook(60.0, clock=clock).told == "about 60 s"
    assert told(clock, 0.02) == "40 s"
    assert told(clock, 0.2).startswith("about ")


def test_a_run_is_seen_to_its_end_by_one_that_knows_nothing(clock: Clock) -> None:
    outlook = Outlook(clock=clock)
    for done in range(1, 21):
        clock.now += 3.0
        outlook.steps(3.0 * (20 - done))
        assert (outlook.told.startswith("about ")) is (done < 6)
    assert outlook.left == 0.0
