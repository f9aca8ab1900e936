"""Settings of a sweep: what its subject fills in, and what two sweeps of one study agree in."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from evolve.config.program_sweep import ProgramSweepSettings
from evolve.config.sweep import SweepSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import resolve_as
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.errors import SettingsError

PROGRAM = {"program": "gtp:./engine {x:1:9}"}


def test_what_clients_of_a_service_may_not_set_of_a_program_are_fields() -> None:
    """They become words and files of the program."""
    assert set(ProgramSweepSettings.OF_OWNER) <= {*ProgramSweepSettings.model_fields}
    assert ProgramSweepSettings.model_validate(PROGRAM).objective == "self"


@pytest.mark.parametrize("change", [{"pairs": 1}, {"objective": "elsewhere"}, {"program": None}])
def test_sweeps_of_programs_that_cannot_be(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(change))):
        ProgramSweepSettings.model_validate({**PROGRAM, **change})


@pytest.mark.parametrize("kind", SWEEP_TARGETS)
def test_the_subject_says_how_long_and_by_which_rules(kind: str) -> None:
    settings = SweepSettings(kind=kind)
    assert settings.budget == SWEEP_TARGETS[kind].budget
    assert settings.rules == SWEEP_TARGETS[kind].rules
    assert SweepSettings(kind=kind, rules="reversed").rules == "reversed"


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_default_panel_is_that_of_the_rules(rules: Rules) -> None:
    usual = RULE_SETS[rules].panel
    assert SweepSettings(rules=rules).panel == usual
    joined = SweepSettings(rules=rules, panel="zero, default, zero")  # type: ignore[arg-type]
    assert joined.panel == ("zero", *(name for name in usual if name != "zero"))


def test_games_stand_in_for_a_budget() -> None:
    assert SweepSettings(fix={"games": 100}).budget is None
    assert SweepSettings(fix={"games": 100}, budget=5.0).budget == 5.0


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"trials": 7}, True),
        ({"timeout": 3.0, "storage": "sqlite:///x", "study": "x"}, True),
        ({"sampler": "random", "pruner": "none", "startup": 3}, True),
        ({"finalists": 2, "final_openings": 5}, True),
        ({"kind": "mcts"}, False),
        ({"budget": 61.0}, False),
        ({"reports": 5}, False),
        ({"panel": ("swh",)}, False),
        ({"fix": {"gamma": 0.5}}, False),
        ({"space": {"gamma": {"low": 0.5}}}, False),
    ],
)
def test_a_study_is_of_what_a_score_depends_on(change: dict[str, Any], same: bool) -> None:
    one, other = SweepSettings(), SweepSettings(**change)
    assert one != other
    assert (one.identity == other.identity) == same


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"kind": "chess"}, "there is no 'chess'; there are .*dqn, mcts"),
        ({"kind": "alphabeta", "budget": 5.0}, "trials of alphabeta learn nothing"),
        ({"panel": ""}, "panel: it is empty"),
        ({"sampler": "magic"}, "sampler"),
        ({"rules": "freestyle"}, "rules"),
    ],
)
def test_sweeps_that_cannot_be(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        resolve_as(SweepSettings, {}, settings)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [("dqn", "sampler", "ga"), ("mcts", "pruner", "asha"), ("program", "algorithm", "ga")],
)
def test_settings_of_before_are_named(kind: str, name: str, value: str) -> None:
    """And those that change nothing are left out."""
    model: Any = ProgramSweepSettings if kind == "program" else SweepSettings
    given = {"kind": kind, **({"program": "gtp:x {a:1:9}"} if kind == "program" else {})}
    with pytest.raises(ValidationError, match=f"{name}:"):
        model(**given, **{name: value})
    if kind == "program":
        model(**given, algorithm="trials", population=8, generation_openings=2)
