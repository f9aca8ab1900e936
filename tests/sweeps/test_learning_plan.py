"""Trials that are trainings: when they meet the panel, and what comes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from optuna.trial import TrialState

from evolve.config.sweep import SweepSettings
from evolve.sweeps.plan import plan_of
from evolve.sweeps.trials import Objective, Task

LITTLE = {
    "kind": "mcts",
    "panel": ("random",),
    "panel_openings": 2,
    "fix": {
        "games": 60,
        "simulations": 4,
        "check_simulations": 4,
        "endgame": 0,
        "layers": "dense 4 relu, dense 1 tanh",
    },
}


@pytest.mark.learning
@pytest.mark.parametrize("each", [15, 30])
def test_reports_of_long_and_short_iterations_are_of_the_same_shares(
    each: int, tmp_path: Path
) -> None:
    sweep = SweepSettings(**{**LITTLE, "fix": {**LITTLE["fix"], "games_per_iteration": each}})  # type: ignore[arg-type, dict-item]
    steps: list[int] = []

    def report(step: int, score: float, error: float) -> bool:
        steps.append(step)
        assert 0.0 <= score <= 1.0 < 1.0 + error
        return False

    (tmp_path / "trials").mkdir()
    made, objective = plan_of(sweep), Objective(sweep, tmp_path)
    outcome = made.run(objective, Task(0, made.defaults or {}), report)
    assert outcome.attributes["agent"] == "trials/trial-0000.npz"
    assert (tmp_path / "trials" / "trial-0000.npz").exists()
    assert steps == ([1, 2, 3, 4] if each == 15 else [2, 4])
    ended = made.run(objective, Task(1, {}), lambda step, score, error: True)
    assert ended.state == TrialState.PRUNED
