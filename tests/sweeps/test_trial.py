"""Trials: their marks and states."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.sweeps.plan import plan_of
from evolve.sweeps.trial import Slice, State, Task, Trial


@pytest.mark.parametrize(("reports", "steps"), [(4, [1, 3]), (1, [])])
def test_a_mark_says_how_much_of_the_trial_is_done(reports: int, steps: list[int]) -> None:
    sweep = SweepSettings(kind="evolution", reports=reports, panel=("random",), panel_openings=2)
    trial = Trial(Slice(sweep, "x", Task(0, {})), plan_of(sweep).panel)
    agent, shares = evolve.load_agent("random"), (0.1, 0.3, 0.4, 0.8, 0.9, 1.0)
    assert [trial.report(mark, agent).step for mark in map(trial.mark_at, shares) if mark] == steps


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
