"""Sweeps among other runs: how far they are, and how good."""

from __future__ import annotations

from pathlib import Path

from evolve.runs.run import Run
from evolve.runs.sweeps import READING
from evolve.tables.paths import FINAL_FILE
from evolve.tables.trials import write_trials


def test_finished_trials_count_and_the_final_completes_it(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('command = "sweep dqn"\ntrials = 2\n')
    assert READING.kept(tmp_path) == 0
    progress = READING.progress(Run(tmp_path))
    assert (progress.done, progress.target, progress.complete) == (0, 2, False)
    assert progress.metrics == {"best_score": None}
    states = {"COMPLETE": 0.5, "FAIL": None, "PRUNED": 0.9, "RUNNING": None}
    rows = [
        {"number": number, "state": state, "score": score}
        for number, (state, score) in enumerate(states.items())
    ]
    write_trials(tmp_path, rows, {})
    progress = READING.progress(Run(tmp_path))
    assert (progress.done, progress.complete) == (2, False)
    assert progress.metrics == {"best_score": 0.5}  # a pruned one was judged by less
    (tmp_path / FINAL_FILE).write_text('{"finalists": [{"agent": "trial-0", "score": 0.5}]}')
    assert not READING.progress(Run(tmp_path)).complete  # it is being played
    (tmp_path / FINAL_FILE).write_text('{"trials": 2}')
    assert READING.progress(Run(tmp_path)).complete
    # A final of fewer trials: those that came after it have not played theirs.
    found = []
    for known in (1, 2):
        (tmp_path / FINAL_FILE).write_text(f'{{"trials": {known}}}')
        found.append(READING.progress(Run(tmp_path)).complete)
    assert found == [False, True]
    assert READING.kept(tmp_path) == len(Run(tmp_path).trials) == 4


def test_where_games_end_a_sweep_trials_have_no_target(tmp_path: Path) -> None:
    """Its `trials` are the most that these games could be."""
    (tmp_path / "config.toml").write_text('command = "sweep program"\ntrials = 9\ngames = 800\n')
    write_trials(tmp_path, [{"number": 0, "state": "COMPLETE", "score": 0.5}], {})
    (tmp_path / FINAL_FILE).write_text('{"trials": 1, "over": true}')
    progress = READING.progress(Run(tmp_path))
    assert (progress.done, progress.target, progress.complete) == (1, None, True)
