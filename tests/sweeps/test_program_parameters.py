"""Commands with holes: what they hold, how they are filled, and what is none."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.errors import EvolveError
from evolve.sweeps.program_parameters import CommandTemplate, _middle, _value_text
from tests.sweeps.test_program_plan import ENGINE, plan


def test_holes_are_parameters() -> None:
    made = CommandTemplate.of(
        "engine --a {a:1:50} --b={b:0.1:5:log=1} {style:calm|wild} {n:0:100:10=30} '{{x}} y'"
    )
    found = {name: (one.kind, one.range_text) for name, one in made.parameters.items()}
    assert found == {
        "a": ("int", "1 to 50"),
        "b": ("float", "0.1 to 5, log"),
        "style": ("choice", "calm | wild"),
        "n": ("int", "0 to 100, in steps of 10"),
    }
    assert made.defaults == {"b": 1.0, "n": 30}
    values = {"a": 7, "b": 0.25, "style": "wild; rm -r /", "n": 20}
    words = ["engine", "--a", "7", "--b=0.25", "wild; rm -r /", "20", "{x} y"]
    assert shlex.split(made.filled(values)) == words


@pytest.mark.parametrize(
    ("text", "values", "usual"),
    [
        ("{g:0.0:1.0:0.25}", [0.0, 0.25, 0.5, 0.75, 1.0], 0.5),
        ("{g:0:1:0.3}", [0.0, 0.3, 0.6, 0.9], 0.6),
        ("{g:0.1:0.7:0.2=0.3}", [0.1, 0.3, 0.5, 0.7], 0.3),
        ("{g:0.5:5:2}", [0.5, 2.5, 4.5], 2.5),
        ("{g:-0.2:0.1:0.1}", [-0.2, -0.1, 0.0, 0.1], 0.0),
        ("{g:1e-5:5e-5:2e-5}", [1e-5, 3e-5, 5e-5], 3e-5),
        ("{g:0.0:2:1}", [0.0, 1.0, 2.0], 1.0),
        ("{n:0:50:20}", [0, 20, 40], 20),
        ("{n:3:3}", [3], 3),
        ("{n: 1 : 5 : 2 }", [1, 3, 5], 3),
        ("{n:+1:+3}", [1, 2, 3], 2),
        ("{g:.0:1.:.5}", [0.0, 0.5, 1.0], 0.5),
    ],
)
def test_steps_of_any_size(text: str, values: list[float], usual: float) -> None:
    made = CommandTemplate.of(shlex.quote(text))
    (one,) = made.parameters.values()
    assert one.values == values
    assert {type(value) for value in one.values} == {one.type}
    assert (one.count, one.ends) == (len(values), (values[0], values[-1]))
    assert made.defaults.get(one.name, _middle(one)) == usual
    assert all(one.taken(value) is not None for value in values)
    assert one.taken(values[-1] + 0.01) is None
    assert one.taken((values[0] + values[0 if len(values) < 2 else 1]) / 2 + 1e-3) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{g:0.0:1.0:0}", "step > 0"),
        ("{g:0.0:1.0:-0.1}", "step > 0"),
        ("{g:0.0:1.0:few}", "'few' is neither log nor a step"),
        ("{g:0.0:1.0:0.1=0.25}", "'0.25' is not in the range 0 to 1, in steps of 0.1"),
        ("{g:0.0:1.0:0.1:log}", "is not a range"),
        ("{n:1_000:2_000}", "is not a range"),
        ("{n:1:2000:1_0}", "'1_0' is neither log nor a step"),
    ],
)
def test_steps_that_do_not_fit(text: str, said: str) -> None:
    with pytest.raises(EvolveError, match=re.escape(said)):
        CommandTemplate.of(shlex.quote(text))


@pytest.mark.parametrize(
    "text",
    [
        "{", "}", "{}", "{x:1}", "{x:5:1}", "{x:a:b}", "{x:1:2:3:4}", "{x:a|a}", "{x:|a}", "{x:",
        "{x:0:5:log}", "{x:1:5=9}", "{x:1:5=a}", "{x:a|b=c}", "{1x:1:2}", "{x y:1:2}",
        "{x:1:1e999}", "{x:1:nan}", "{x:1:2} {x:1:3}", "a 'b",
    ],
)  # fmt: skip
def test_what_is_no_template(text: str) -> None:
    with pytest.raises(EvolveError):
        CommandTemplate.of(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_value_stays_within_its_word(before: str, value: str) -> None:
    safe = before.replace("{", "{{").replace("}", "}}")
    made = CommandTemplate.of(f"engine {shlex.quote(safe + '{x}')}")
    assert shlex.split(made.filled({"x": value})) == ["engine", before + value]


def test_values_and_middles() -> None:
    texts = [_value_text(one) for one in (True, 3, 0.1, 1e-7, "a")]
    assert texts == ["true", "3", "0.1", "1e-07", "a"]
    made = CommandTemplate.of("{a:1:100:log} {b:0:9} {d:x|y}").parameters
    assert [_middle(one) for one in made.values()] == [10, 4, "x"]


def test_holes_and_ranges_make_the_space() -> None:
    made = plan(
        f"gtp:{ENGINE} --corner {{corner:-20:50=-10}} --mobility {{mobility}}?time=2",
        space={"mobility": {"low": -3, "high": 3.0, "default": -1}, "other": {"choices": ["a"]}},
        set_by="env",
        fix={"deaf": "yes"},
    )
    assert made.space.names == ["corner", "mobility", "other"]
    assert made.defaults == {"corner": -10, "mobility": -1.0, "other": "a"}
    values = {"corner": 3, "mobility": 0.5, "other": "a"}
    assert made.line(values) == f"gtp:{ENGINE} --corner 3 --mobility 0.5?time=2"
    agent = made.agent(values, "x")
    assert (agent.seconds, agent.name) == (2.0, "x")
    assert {"deaf": "yes", "other": "a"}.items() <= agent.environment.items()


def test_by_the_environment_and_by_gtp() -> None:
    space = {"corner": {"low": 1, "high": 50}, "style": {"choices": ["calm", "wild"]}}
    values = {"corner": 7, "style": "wild"}
    agent = plan(f"gtp:{ENGINE}", space=space, set_by="env").agent(values, "x")
    variables = {"corner": "7", "style": "wild", "OMP_NUM_THREADS": "1"}
    assert variables.items() <= agent.environment.items()
    assert agent.setup == ()
    by_gtp: dict[str, Any] = {"set_by": "gtp", "set_command": "set {name} = {value}"}
    agent = plan(f"gtp:{ENGINE}", space=space, **by_gtp).agent(values, "x")
    assert (agent.command, agent.setup) == (ENGINE, ("set corner = 7", "set style = wild"))
