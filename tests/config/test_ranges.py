"""Ranges as texts: what one gives is what its text gives again."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from evolve.config.base import option_words
from evolve.config.matches import MatchSettings, RateSettings
from evolve.config.program_sweep import ProgramSweepSettings
from evolve.config.ranges import range_of, range_text
from evolve.config.sweep import SweepSettings
from evolve.errors import OptionsError


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("0:9", {"low": 0, "high": 9}),
        ("1e-05:0.1:log", {"low": 1e-5, "high": 0.1, "log": True}),
        ("-2.0:2.0:0.5=1.0", {"low": -2.0, "high": 2.0, "step": 0.5, "default": 1.0}),
        ("3:", {"low": 3}),
        (":0.5", {"high": 0.5}),
        ("calm|wild=calm", {"choices": ["calm", "wild"], "default": "calm"}),
        ("1|2|4", {"choices": [1, 2, 4]}),
        ("calm|", {"choices": ["calm"]}),
        ("2|=2", {"choices": [2], "default": 2}),
        ("self=1|past=1", {"choices": ["self=1", "past=1"]}),
    ],
)
def test_a_range_and_its_text(text: str, table: dict[str, Any]) -> None:
    assert range_of(text, "x") == table
    assert range_text(table) == text
    assert SweepSettings.model_validate({"space": {"x": text}}).space == {"x": table}


@pytest.mark.parametrize(
    "text", ["", "3", "|", "|a", "a||", "a|a", ":", "1:a", "1:2:3:4", "1:2:few"]
)
def test_other_texts(text: str) -> None:
    with pytest.raises(OptionsError, match=r"^x: "):
        range_of(text, "x")
    with pytest.raises(ValueError, match=r"a=.*: "):
        SweepSettings.model_validate({"space": {"a": text}})


@pytest.mark.parametrize(
    ("model", "values", "line"),
    [
        (SweepSettings, {"space": {"mobility.0": {"low": 0, "high": 9}}}, "--space mobility.0=0:9"),
        (SweepSettings, {"panel": ["a", "b"]}, "--panel a,b"),
        (SweepSettings, {"require": ["a < 1", "b < 2"]}, "--require 'a < 1' --require 'b < 2'"),
        (ProgramSweepSettings, {"panel": ["a", "b"]}, "--panel a,b"),
        (MatchSettings, {"sprt": [0, 20]}, "--sprt 0 20"),
        (RateSettings, {"against": ["a", "b"]}, "--against a --against b"),
        (None, {"space": ["a=1:2", "b=1:3"]}, "--space a=1:2 --space b=1:3"),
    ],
)
def test_a_field_says_how_a_command_line_gives_it(model: Any, values: Any, line: str) -> None:
    assert option_words(values, model) == shlex.split(line)
