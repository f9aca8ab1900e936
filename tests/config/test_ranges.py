"""Ranges as texts, which give what they are of again, and what requirements may compare."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from evolve.config.base import option_words
from evolve.config.matches import MatchSettings, RateSettings
from evolve.config.ranges import Requirement, range_of, range_text
from evolve.config.sweep import ProgramSweepSettings, SweepSettings
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
        (MatchSettings, {"sprt": [0, 20, "logistic"]}, "--sprt 0:20:logistic"),
        (RateSettings, {"against": ["a", "b"]}, "--against a --against b"),
        (None, {"space": ["a=1:2", "b=1:3"]}, "--space a=1:2 --space b=1:3"),
    ],
)
def test_a_field_says_how_a_command_line_gives_it(model: Any, values: Any, line: str) -> None:
    assert option_words(values, model) == shlex.split(line)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("lo < hi", True),
        ("lo < hi < 4", False),
        ("lo + hi <= 7 and not style == 'wild'", True),
        ("style == 'calm' or lo > 100", True),
        ("max(lo, hi, 9) - abs(-lo) >= 7", True),
        ("hi % lo == 1 or hi // lo == 9", True),
        ("lo / 0 < 5", False),
        ("-lo < +hi", True),
        ("weights.x != 3", False),
        ("weights.0 > weights.1", False),
        ("weights.0+weights.10 == 3.5 and weights.1 > 1.5", True),
        ("style != 'weights.0' and name == 'weights.0'", True),
        ("(lo < hi) and (hi < 9 or lo == 0)", True),
        ("not -abs(-min(lo, hi)) * 2 > max(lo, -hi) - 3", True),
    ],
)
def test_comparisons(text: str, holds: bool) -> None:
    values = {"lo": 2, "hi": 5, "style": "calm", "weights.x": 3}
    values |= {"weights.0": 1, "weights.1": 2, "weights.10": 2.5, "name": "weights.0"}
    assert Requirement(text).holds(values) is holds


def test_the_names_in_it() -> None:
    assert Requirement("max(b, a) < weights.x and a > 1").names == ["b", "a", "weights.x"]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('id') == 0", "open('x') == 1", "lo ** 9 < 1", "[lo] < [hi]",
        "lo.__class__.__name__() == 'int'", "(lambda: 1)() == 1", "lo is hi", "lo in (1, 2)",
        "lo if hi else 3 < 4", "f'{lo}' == 'a'", "b'x' == lo", "max(lo, key=hi) < 1", "min() < 1",
        "lo", "lo + hi", "lo < hi and hi", "lo <", "lo = 3", "", "a" * 600 + " < 1",
        "(" * 300 + "a" + ")" * 150 + " < 1", "a < [" + "-" * 480 + "1]",
    ],
)  # fmt: skip
def test_nothing_else_can_stand_in_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"requirement|comparison|nests"):
        Requirement(text)


@pytest.mark.parametrize(
    "text",
    [
        "style * 1000000 != 'a'", "style % lo != 'b'", "style < lo",
        "'a' * 99999999999999 == style", "'a' * 3 == style", "'a' + 'b' == style",
        "'%s' % lo == style", "(lo and 'a') * 3 == style", "min(style, 'b') == 'b'",
        "max('a', 'b') == 'b'", "-style == -style",
    ],
)  # fmt: skip
def test_texts_are_no_numbers(text: str) -> None:
    with pytest.raises(ValueError, match="numbers"):
        Requirement(text).holds({"style": "calm", "lo": 2})
