"""Trainings among other runs: how far they are, and how good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve.runs.run import Run
from evolve.runs.trainings import READING
from evolve.tables.metrics import METRICS_COLUMNS, commit_metrics


def training(folder: Path, scores: list[float], kind: str = "dqn", **settings: Any) -> Run:
    """A training with a check every 100 games and 10 seconds."""
    (folder / "metrics").mkdir()
    lines = [f'command = "train {kind}"', *(f"{key} = {value}" for key, value in settings.items())]
    (folder / "config.toml").write_text("\n".join(lines))
    for check, score in enumerate(scores):
        row = dict.fromkeys(METRICS_COLUMNS.names, 0)
        row |= {"check": check, "games": 100 * check, "cpu_seconds": 10.0 * check, "score": score}
        commit_metrics(folder, check, row)
    return Run(folder)


@pytest.mark.parametrize(
    ("settings", "complete"),
    [
        ({}, False),
        ({"games": 400}, True),
        ({"games": 401}, False),
        ({"budget": 40.0}, True),
        ({"budget": 41.0, "games": 401}, False),
        ({"patience": 3}, True),
        ({"patience": 4, "games": 401}, False),
    ],
)
def test_the_first_of_its_ends_completes_it(
    tmp_path: Path, settings: dict[str, Any], complete: bool
) -> None:
    run = training(tmp_path, [0.1, 0.5, 0.4, 0.5, 0.3], **settings)
    progress = READING.progress(run)
    assert repr(run) == f"Run({str(tmp_path)!r}, games=400)"
    assert progress.complete == complete
    assert (progress.done, progress.target) == (400, settings.get("games"))
    assert progress.metrics == {"panel_score": 0.3}
    assert READING.metrics(run) == {"games": 400, "best_panel_score": 0.5}
    assert READING.kept(tmp_path) == 5


def test_a_score_is_named_after_whom_it_is_won_against(tmp_path: Path) -> None:
    run = training(tmp_path, [0.1, 0.5, 0.4], "patterns")
    assert READING.progress(run).metrics == {"ladder_score": 0.4}
    assert READING.metrics(run) == {"games": 200, "best_ladder_score": 0.5}
    unused = READING.tables["metrics"].unused
    assert unused is not None
    assert {"random", "depth_2_high"} <= set(unused(run))
    assert "elo" not in unused(run)


def test_before_its_first_check_a_checkpoint_is_kept(tmp_path: Path) -> None:
    run = training(tmp_path, [], patience=1, games=100)
    assert READING.kept(tmp_path) == 0
    (tmp_path / "checkpoint.npz").touch()
    assert READING.kept(tmp_path) == 1
    progress = READING.progress(run)
    assert (progress.done, progress.complete, progress.metrics) == (0, False, {"panel_score": None})
    assert READING.metrics(run) == {"games": 0}


@pytest.mark.parametrize(("budget", "complete"), [(22.0, True), (23.0, False)])
def test_patterns_need_not_use_up_what_is_kept_for_their_cuts(
    tmp_path: Path, budget: float, complete: bool
) -> None:
    run = training(tmp_path, [0.1, 0.5, 0.4], "patterns", budget=budget)
    assert READING.progress(run).complete == complete
