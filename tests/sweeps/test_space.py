"""Spaces: ranges that are narrowed, widened or joined, and ranges that cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from evolve.errors import SettingsError
from evolve.sweeps.space import NO_YES, Space, choice, whole
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
    names = ("gamma", "steps", "batch", "weight_decay", "width")
    assert [(made.space[name].kind, made.space[name].range_text) for name in names] == [
        ("float", "0.1 to 0.2"), ("choice", "2 | 4"), ("int", "64 to 128"),
        ("float", "1e-06 to 0.01, log"), ("int", "64 to 512, in steps of 64"),
    ]  # fmt: skip
    assert made.defaults is None


def test_floats_in_steps() -> None:
    made = plan(
        "dqn",
        space={
            "gamma": {"low": 0.5, "high": 1.0, "step": 0.2},
            "weight_decay": {"low": 0, "high": 1, "step": 0.25},
        },
        sampler="random",
    ).space
    assert made["gamma"].values == [0.5, 0.7, 0.9]
    assert made["weight_decay"].values == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert made["gamma"].remark == "gamma: 0.5 to 1, in steps of 0.2: the last step is at 0.9"
    assert made["weight_decay"].remark is None
    assert made.count is None, "the learning rate has any value"


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ({"gamma": {"low": 0.5, "high": 1.0, "step": 0.25}}, 3),
        ({"gamma": {"choices": [0.9, 1.0]}, "steps": {"choices": [5, 10, 20]}}, 6),
        ({"gamma": {"low": 0.9, "high": 0.9}, "width": {"high": 192}}, 3),
        ({"gamma": {"low": 0.9, "high": 1.0}, "steps": {"choices": [5]}}, None),
    ],
)
def test_how_many_settings_there_are(given: dict[str, Any], count: int | None) -> None:
    usual = plan("dqn")
    held = {n: v for n, v in (usual.defaults or {}).items() if n not in given}
    assert plan("dqn", space=given, fix=held).space.count == count


@pytest.mark.parametrize(
    ("space", "words"),
    [
        ({"speed": {"low": 1}}, "there is no parameter 'speed'; there are learning_rate"),
        ({"gamma": {"low": 2.0}}, "low <= high"),
        ({"gamma": {"low": float("nan")}}, "finite"),
        ({"gamma": {"low": float("inf")}}, "finite"),
        ({"gamma": {"lo": 2.0}}, "lo = 2.0: extra inputs"),
        ({"gamma": {"low": "x"}}, "low = 'x': it must be a"),
        ({"gamma": {"log": 1}}, "log = 1: it must be true or false"),
        ({"gamma": {"low": 0.0, "log": True}}, "low > 0"),
        ({"gamma": {"step": 0}}, "step > 0"),
        ({"width": {"low": 64.5}}, "is a whole number"),
        ({"width": {"step": -64}}, "step > 0"),
        ({"width": {"step": 0.5}}, "is a whole number"),
        ({"learning_rate": {"step": 1e-4}}, "not supported when `log` is true"),
        ({"steps": {"low": 1}}, "give choices, or both low and high"),
        ({"steps": {"choices": []}}, "one or more"),
        ({"steps": {"choices": [1, "a"]}}, "all numbers, all texts"),
        ({"steps": {"choices": [[1]]}}, "all numbers, all texts"),
        ({"steps": {"choices": [1], "low": 1}}, "stand alone"),
        ({"budget": {"low": 1.0, "high": 2.0}}, "there is no parameter 'budget'"),
        ({"width": {"low": -64}}, "width = -64 must be a whole number"),
        ({"dueling": {"choices": ["maybe"]}}, "dueling = 'maybe'"),
    ],
)
def test_ranges_that_cannot_be(space: dict[str, Any], words: str) -> None:
    with pytest.raises((SettingsError, ValueError), match=words):
        _ = plan("dqn", space=space).space


def test_a_name_with_a_minus_cannot_be_required() -> None:
    with pytest.raises(SettingsError, match="minus"):
        Space((whole("x-y", 1, 9),)).requiring(["x-y > 3"], {})


def test_texts_of_truth_values_are_truth_values() -> None:
    flag = choice("augment", NO_YES).narrowed({"choices": ["true", "false"]}, "x")
    assert flag.choices == (True, False)
    assert choice("style", ("a", "b")).narrowed({"choices": ["true"]}, "x").choices == ("true",)
