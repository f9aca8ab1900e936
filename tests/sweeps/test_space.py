"""Spaces: ranges that are narrowed, widened or joined, and ranges that cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from evolve.errors import SettingsError
from tests.sweeps import plan


def test_ranges_narrow_widen_and_join() -> None:
    made = plan(
        "dqn",
        space={
            "gamma": {"low": 0.1, "high": 0.2},
            "steps": {"choices": [2, 4]},
            "batch": {"low": 64, "high": 128},
            "weight_decay": {"low": 1e-6, "high": 1e-2, "log": True},
            "width": {"high": 512},
        },
    )
    space = made.space
    assert (space["gamma"].low, space["gamma"].high) == (0.1, 0.2)
    assert space["steps"].choices == (2, 4)
    assert (space["batch"].kind, space["batch"].low) == ("int", 64)
    assert space["weight_decay"].log
    assert (space["width"].low, space["width"].high, space["width"].step) == (64, 512, 64)
    assert made.defaults is None


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ({"speed": {"low": 1}}, "there is no parameter 'speed'; there are learning_rate"),
        ({"gamma": {"low": 2.0}}, "low 2 is above high 1"),
        ({"gamma": {"lo": 2.0}}, "there is no 'lo'"),
        ({"gamma": {"low": "x"}}, "'x' is not a number"),
        ({"gamma": {"log": 1}}, "must be true or false"),
        ({"gamma": {"low": 0.0, "log": True}}, "needs a low over 0"),
        ({"gamma": {"step": 2}}, "step 2"),
        ({"width": {"low": 64.5}}, "is a whole number"),
        ({"width": {"step": 0}}, "step 0"),
        ({"steps": {"low": 1}}, "give choices, or both low and high"),
        ({"steps": {"choices": []}}, "one or more"),
        ({"steps": {"choices": [1, "a"]}}, "must all be numbers, all texts"),
        ({"steps": {"choices": [[1]]}}, "must all be numbers, all texts"),
        ({"steps": {"choices": [1], "low": 1}}, "stand alone"),
        ({"budget": {"low": 1.0, "high": 2.0}}, "there is no parameter 'budget'"),
        ({"gamma": 3}, "a range is a table"),
        ({"width": {"low": -64}}, "width = -64 must be a whole number"),
        ({"dueling": {"choices": ["maybe"]}}, "dueling = 'maybe'"),
    ],
)
def test_ranges_that_cannot_be(space: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        _ = plan("dqn", space=space).space


@pytest.mark.parametrize("end", [float("nan"), float("inf")])
def test_ranges_are_finite(end: float) -> None:
    with pytest.raises(ValueError, match=f"{end} is not a finite number"):
        plan("dqn", space={"gamma": {"low": end}})
