"""Trials: when they meet the panel, and what their budget holds."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evolve.config.sweep import SweepSettings
from evolve.sweeps import sweep as sweeps
from evolve.sweeps.objective import Marks, Objective
from evolve.sweeps.plan import plan_of
from evolve.sweeps.sweep import Sweep
from evolve.sweeps.worker import Worker
from evolve.tables.observer import Silent

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


GENES = {"kind": "alphabeta", "panel": ("random",), "panel_openings": 2, "fix": {"depths": 1}}
"""Trials that need no torch: workers are ready at once."""


def test_a_mark_says_how_much_of_the_trial_is_done() -> None:
    marks = Marks(4)
    reached = [(share, marks.step) for share in (0.1, 0.3, 0.4, 0.8, 0.9, 1.0) if marks.due(share)]
    assert reached == [(0.3, 1), (0.8, 3)]
    assert not any(Marks(1).due(share) for share in (0.1, 0.5, 1.0))


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
    objective = Objective(plan_of(sweep), tmp_path)
    outcome = objective.run(0, plan_of(sweep).defaults or {}, report)
    assert outcome is not None
    assert outcome.agent == tmp_path / "trials" / "trial-0000.npz"
    assert steps == ([1, 2, 3, 4] if each == 15 else [2, 4])
    assert objective.run(1, {}, lambda step, score, error: True) is None


class Watcher(Silent):
    """An observer that looks, and may stop or meddle."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.rows.append(dict(row))

    def note(self, text: str) -> None:
        self.notes.append(text)


def test_a_worker_that_dies_over_its_report_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    answer = Worker.answer

    def kill_first(self: Worker, stop: bool) -> None:
        if not killed:
            killed.append(int(self.name))
            os.kill(killed[0], signal.SIGKILL)
            self._process.join()
        answer(self, stop)

    monkeypatch.setattr(Worker, "answer", kill_first)
    watcher = Watcher()
    sweep = Sweep(tmp_path, SweepSettings(**GENES, trials=1, study="s"), 1)  # type: ignore[arg-type]
    assert sweep.run(watcher) is sweeps.SweepEnding.COMPLETE
    assert [(row["number"], row["state"]) for row in watcher.rows] == [(0, "COMPLETE")]
    assert "SIGKILL" in watcher.notes[0]


def test_ctrl_c_does_not_reach_a_worker_that_is_starting(tmp_path: Path) -> None:
    settings = SweepSettings(**GENES, trials=1)  # type: ignore[arg-type]
    worker = Worker(tmp_path, settings)
    try:
        for _ in range(5):
            os.kill(int(worker.name), signal.SIGINT)
            time.sleep(0.1)
        worker.start(0, plan_of(settings).defaults or {})
        assert worker.receive()[0] == "report"
    finally:
        worker.kill()
