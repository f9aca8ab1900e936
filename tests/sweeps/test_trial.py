"""Trials: their values, marks, files and states."""

from __future__ import annotations

from pathlib import Path

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import create_trial

import evolve
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.sweeps.trial import Held, Slice, State, Task, Trial, values_of


def test_values_are_those_that_were_to_be_tried() -> None:
    study = optuna.create_study()
    study.enqueue_trial({"x": 1.0, "y": 2.0})
    running = study.ask()
    running.suggest_float("x", 0.0, 5.0)
    frozen = study.get_trials()[0]
    assert values_of(frozen) == {"x": 1.0, "y": 2.0}, "more than it has asked for"
    whole = create_trial(value=1.0, params={"x": 3.0}, distributions={"x": FloatDistribution(0, 5)})
    assert values_of(whole) == {"x": 3.0}


@pytest.mark.parametrize(("reports", "steps"), [(4, [1, 3]), (1, [])])
def test_a_mark_says_how_much_of_the_trial_is_done(reports: int, steps: list[int]) -> None:
    sweep = SweepSettings(kind="evolution", reports=reports, panel=("random",), panel_openings=2)
    trial = Trial(Slice(sweep, "x", Task(0, {})), Held(sweep))
    agent, shares = evolve.load_agent("random"), (0.1, 0.3, 0.4, 0.8, 0.9, 1.0)
    marks = ((share, trial.mark_at(share)) for share in shares)
    assert [trial.report(mark, agent).step for _, mark in marks if mark is not None] == steps


@pytest.mark.parametrize("task", [Task(4, {"x": 1}), Task(3, {"x": 2}), Task(3, {})])
def test_a_state_of_another_trial_is_refused(task: Task, tmp_path: Path) -> None:
    State({}, {}).save(tmp_path / "one.state", Task(3, {"x": 1}))
    with pytest.raises(RunError, match="state"):
        State.load(tmp_path / "one.state", task)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"[]", bytes(50)])
def test_a_damaged_state_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "one.state").write_bytes(content)
    with pytest.raises(RunError, match="state"):
        State.load(tmp_path / "one.state", Task(3, {}))
