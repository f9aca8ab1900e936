"""The summary of a run for lists, and its champion's strength."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from evolve.errors import RunError
from evolve.evolution.tables import READING as EVOLUTION_READING
from evolve.learning.tables import CHECKS, READING
from evolve.runs.run import Run
from evolve.runs.summary import check_config
from evolve.sweeps.tables import READING as SWEEP_READING
from evolve.tables.paths import FINAL_FILE, GENERATIONS
from evolve.tables.trials import write_trials


def test_settings_of_another_type_are_told(made: Path, tmp_path: Path) -> None:
    check_config(Run(made))
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    text = (copy / "config.toml").read_text("utf-8")
    (copy / "config.toml").write_text(text.replace("population = ", "population = 'x' # "), "utf-8")
    with pytest.raises(RunError, match="population"):
        check_config(Run(copy))


def sweep(folder: Path, settings: str, *trials: tuple[str, float | None]) -> Run:
    """A sweep with the states and scores of its trials."""
    (folder / "config.toml").write_text(settings)
    rows = [
        {"number": number, "state": state, "score": score}
        for number, (state, score) in enumerate(trials)
    ]
    write_trials(folder, rows, {})
    return Run(folder)


def training(folder: Path, scores: list[float], kind: str = "dqn", **settings: Any) -> Run:
    """A training with a check every 100 games and 10 seconds."""
    (folder / "metrics").mkdir()
    lines = [f'command = "train {kind}"', *(f"{key} = {value}" for key, value in settings.items())]
    (folder / "config.toml").write_text("\n".join(lines))
    for check, score in enumerate(scores):
        row = dict.fromkeys(CHECKS.columns.names, 0)
        row |= {"check": check, "games": 100 * check, "cpu_seconds": 10.0 * check, "score": score}
        CHECKS.commit(folder, check, row)
    return Run(folder)


@pytest.mark.parametrize(
    ("settings", "complete"),
    [
        ({}, False), ({"games": 400}, True), ({"games": 401}, False), ({"budget": 40.0}, True),
        ({"budget": 41.0, "games": 401}, False), ({"patience": 3}, True),
        ({"patience": 4, "games": 401}, False),
    ],
)  # fmt: skip
def test_one_end_completes_it(tmp_path: Path, settings: dict[str, Any], complete: bool) -> None:
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
def test_patterns_may_leave_time_for_cuts(tmp_path: Path, budget: float, complete: bool) -> None:
    run = training(tmp_path, [0.1, 0.5, 0.4], "patterns", budget=budget)
    assert READING.progress(run).complete == complete


def test_finished_trials_count_and_the_final_completes_it(tmp_path: Path) -> None:
    settings = 'command = "sweep dqn"\ntrials = 2\n'
    (tmp_path / "config.toml").write_text(settings)
    assert SWEEP_READING.kept(tmp_path) == 0
    progress = SWEEP_READING.progress(Run(tmp_path))
    assert (progress.done, progress.target, progress.complete) == (0, 2, False)
    assert progress.metrics == {"best_score": None}
    states = ("COMPLETE", 0.5), ("FAIL", None), ("PRUNED", 0.9), ("RUNNING", None)
    progress = SWEEP_READING.progress(sweep(tmp_path, settings, *states))
    assert (progress.done, progress.complete) == (2, False)
    assert progress.metrics == {"best_score": 0.5}  # a pruned one was judged by less
    (tmp_path / FINAL_FILE).write_text('{"finalists": [{"agent": "trial-0", "score": 0.5}]}')
    assert not SWEEP_READING.progress(Run(tmp_path)).complete  # it is being played
    (tmp_path / FINAL_FILE).write_text('{"trials": 2}')
    assert SWEEP_READING.progress(Run(tmp_path)).complete
    # A final of fewer trials: those that came after it have not played theirs.
    found = []
    for known in (1, 2):
        (tmp_path / FINAL_FILE).write_text(f'{{"trials": {known}}}')
        found.append(SWEEP_READING.progress(Run(tmp_path)).complete)
    assert found == [False, True]
    assert SWEEP_READING.kept(tmp_path) == len(Run(tmp_path).trials) == 4


def test_the_curve_of_a_sweep_ends_at_the_winner_of_its_final(tmp_path: Path) -> None:
    states = ("COMPLETE", 0.5), ("COMPLETE", 0.9), ("PRUNED", 0.95), ("COMPLETE", 0.7)
    run = sweep(tmp_path, 'command = "sweep dqn"\ntrials = 5\n', *states, ("COMPLETE", 0.6))
    assert SWEEP_READING.curve(run).tolist() == [0.5, 0.9, 0.9, 0.9, 0.9]
    (tmp_path / FINAL_FILE).write_text('{"trials": 5, "winner": 3}')
    assert SWEEP_READING.curve(run).tolist() == [0.5, 0.9, 0.9, 0.7, 0.7]


def test_where_games_end_a_sweep_trials_have_no_target(tmp_path: Path) -> None:
    """Its `trials` are the most that these games could be."""
    settings = 'command = "sweep program"\ntrials = 9\ngames = 800\n'
    run = sweep(tmp_path, settings, ("COMPLETE", 0.5))
    (tmp_path / FINAL_FILE).write_text('{"trials": 1, "over": true}')
    progress = SWEEP_READING.progress(run)
    assert (progress.done, progress.target, progress.complete) == (1, None, True)


def test_the_play_off_completes_it(made: Path, tmp_path: Path) -> None:
    run = Run(made)
    progress = EVOLUTION_READING.progress(run)
    assert (progress.done, progress.target) == (2, 2)
    assert (progress.complete, progress.crowned) == (True, True)
    assert progress.metrics["best_score"] == run.generations["best_score"].iloc[-1]
    metrics = EVOLUTION_READING.metrics(run)
    assert metrics["games"] == run.generations["games"].sum() > 0
    assert metrics["best_panel_score"] == run.generations["panel_score"].max()
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    (copy / "games" / "playoff.parquet").unlink()
    progress = EVOLUTION_READING.progress(Run(copy))
    assert (progress.done, progress.complete, progress.crowned) == (2, False, False)
    shutil.rmtree(copy / GENERATIONS)
    assert EVOLUTION_READING.progress(Run(copy)).done == 0
    assert EVOLUTION_READING.metrics(Run(copy)) == {}


@pytest.mark.parametrize("name", ["generations", "individuals", "games"])
def test_its_tables_are_those_of_all_generations_or_of_one(made: Path, name: str) -> None:
    run = Run(made)
    whole = run.table(name)
    assert set(whole["generation"]) == {0, 1}
    parts = [part.reset_index(drop=True) for _, part in whole.groupby("generation")]
    assert all(run.table(name, number).equals(part) for number, part in enumerate(parts))
