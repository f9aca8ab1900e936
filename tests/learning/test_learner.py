"""What all learners share: whom they play against, and what time is kept for what."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evolve.learning.learner import (
    Replay,
    alphabeta_agents,
    left_for_games,
    seconds_of_choice,
    shares_drawn,
)

pytestmark = pytest.mark.learning


def test_shares_are_shares() -> None:
    rng = np.random.default_rng(0)
    names = shares_drawn({"self": 0.5, "random": 0.3, "swh": 0.2}, 1000, rng)
    assert [names.count(name) for name in ("self", "random", "swh")] == pytest.approx(
        [500, 300, 200], abs=1
    )
    few = [shares_drawn({"self": 0.5, "random": 0.5}, 1, rng)[0] for _ in range(400)]
    assert 140 < few.count("self") < 260


def test_opponents_play_by_the_rules_of_the_training() -> None:
    agents = alphabeta_agents(["self", "swh", "swh-mobility?depth=2"], ("self",), "reversed")
    assert [agent.rules for agent in agents] == ["reversed"] * 2
    assert agents[1].depths[0] == 2


def test_games_leave_a_fifth_of_the_time_to_learning() -> None:
    seconds = [10.0, 8.0, 2.0, 1.0]
    left = iter(seconds)
    for_games = left_for_games(lambda: next(left))
    assert [for_games() for _ in seconds[1:]] == [6.0, 0.0, -1.0]
    assert left_for_games(lambda: math.inf)() == math.inf


def test_a_match_between_models_ends_when_time_is_out_and_its_cost_is_counted() -> None:
    learner: Any = SimpleNamespace(accept_seconds=1.0)
    left, played = iter([1.0, 1.0, 0.0]), 0
    with seconds_of_choice(learner, lambda: next(left)) as progress:
        while True:
            played += 1
            progress(1)
    assert played == 3
    assert 1.0 <= learner.accept_seconds < 1.1


def rows(start: int, count: int) -> dict[str, np.ndarray]:
    numbers = np.arange(start, start + count)
    return {"a": numbers, "b": np.stack([numbers, -numbers], axis=1)}


@pytest.mark.parametrize("sizes", [[3, 3, 3], [10, 1, 25], [0, 4], [7], [50], [2] * 30])
def test_it_holds_the_last_rows_and_keeps_them_together(sizes: list[int]) -> None:
    replay, start = Replay(10), 0
    for size in sizes:
        replay.add(rows(start, size))
        start += size
    kept = set(range(max(0, start - 10), start))
    assert len(replay) == len(kept)
    found = replay.sample(500, np.random.default_rng(0))
    assert set(found["a"].tolist()) == kept
    assert (found["b"] == np.stack([found["a"], -found["a"]], axis=1)).all()


def test_it_goes_on_as_it_was() -> None:
    one, other = Replay(10), Replay(10)
    one.add(rows(0, 27))

    other.restore(one.arrays("r/"), "r/", one.added)
    for replay in (one, other):
        replay.add(rows(27, 4))
    left, right = (r.sample(50, np.random.default_rng(1))["a"].tolist() for r in (one, other))
    assert left == right
