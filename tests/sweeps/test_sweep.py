"""A sweep under way: its workers, and what it says of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from optuna.trial import TrialState

import evolve
from evolve.arena.judges import RATING, rating_seconds
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError, SettingsError
from evolve.runs.progress import Observer
from evolve.sweeps import slices
from evolve.sweeps import sweep as sweeps
from evolve.sweeps.plan import plan_of
from evolve.sweeps.sweep import _ATTEMPTS, Sweep
from evolve.sweeps.trial import State, Task, TrialResult, values_of
from tests.cli import done, ran
from tests.evolution.conftest import Watching
from tests.sweeps import GENES, completed
from tests.waits import PATIENCE


def killer(times: int) -> Watching:
    """An observer that kills the workers of the sweep as soon as they work, so often."""
    left = [None] * times

    def kill(seen: Watching) -> bool:
        children = {child.pid for child in multiprocessing.active_children()}
        if left and children:
            left.pop()
            for pid in filter(None, children):
                os.kill(pid, signal.SIGKILL)
        return False

    return Watching(kill)


LONG: dict[str, Any] = {"panel_openings": 300, "fix": {"depths": 4, "endgame": 8}}
"""Trials of some seconds: a kill hits them at work."""


@pytest.mark.slow
def test_workers_that_die_cost_a_slice_and_their_values_are_given_up(tmp_path: Path) -> None:
    """All but the defaults, which everything is compared with."""
    watcher, sweep = killer(_ATTEMPTS + 1), opened(tmp_path, trials=1, **LONG)
    assert sweep.run_trials(watcher) is sweeps.SweepEnding.COMPLETE
    assert [(row["number"], row["state"]) for row in watcher.rows] == [(0, "COMPLETE")]
    ends = [note.endswith("killed by SIGKILL; trying again") for note in watcher.notes]
    assert ends == [True] * (_ATTEMPTS + 1)
    watcher, sweep = killer(_ATTEMPTS), opened(tmp_path, trials=2, **LONG)
    state = tmp_path / "trials/trial-0001.state"
    state.write_bytes(b"")
    assert sweep.run_trials(watcher) is sweeps.SweepEnding.COMPLETE
    rows = [(row["number"], row["state"]) for row in watcher.rows]
    assert rows == [(1, "FAIL"), (2, "COMPLETE")]
    assert "SIGKILL" in watcher.rows[0]["reason"]
    assert not state.exists()


def busy() -> Watching:
    """Stops as soon as a trial is under way."""
    return Watching(until=lambda seen: bool(seen.stages))


def test_a_stop_waits_for_no_trial(tmp_path: Path) -> None:
    long: dict[str, Any] = {"jobs": 2, "panel_openings": 400, "fix": {"depths": 8, "endgame": 12}}
    sweep = opened(tmp_path, **long)
    begin = time.monotonic()
    assert sweep.run_trials(busy()) is sweeps.SweepEnding.STOPPED
    assert time.monotonic() - begin < PATIENCE / 4
    taken = [trial for trial in sweep.study.trials() if trial.state == TrialState.WAITING]
    assert [trial.number for trial in taken] == [0, 1]
    assert all(set(values_of(trial)) == set(sweep.plan.space.names) for trial in taken)
    opened(tmp_path, **long).run_trials(resumed := busy())
    assert [note.split(":")[0] for note in resumed.notes] == ["trial 0", "trial 1"]


@pytest.mark.slow
def test_a_sweep_that_stopped_goes_on_in_the_middle_of_its_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the state that lies in its folder; what is damaged there begins again."""
    monkeypatch.setattr(slices, "_WORTH_KEEPING", 0.0)
    fix = {"openings": "start", "population": 6}
    changes: dict[str, Any] = {"kind": "evolution", "budget": 3.0, "fix": fix, "trials": 2}
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        kept = folder / "trials/trial-0000.state"
        opened(folder, **changes).run_trials(Watching(until=lambda seen, kept=kept: kept.exists()))
    defaults = plan_of(SweepSettings(**{**GENES, **changes})).defaults or {}
    assert State.load(tmp_path / "a/trials/trial-0000.state", Task(0, defaults)).facts["mark"] >= 1
    (tmp_path / "b/trials/trial-0000.state").write_bytes(b"?")
    watchers = {"a": Watching(), "b": Watching()}
    for name, watcher in watchers.items():
        opened(tmp_path / name, **changes).run_trials(watcher)
    again = [name for name, watcher in watchers.items() if "begins again" in str(watcher.notes)]
    assert again == ["b"]
    assert not list(tmp_path.glob("*/trials/*.state"))


def opened(folder: Path, **changes: Any) -> Sweep:
    return Sweep(folder, SweepSettings(**{**GENES, "trials": 4, **changes}))


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ("", None),
        ("f", "the only trial failed, the last one: it crashed 0"),
        ("fff", "all 3 trials failed, the last one: it crashed 2"),
        ("fcf", None),
        ("fp", None),
        ("fr", "the only trial failed, the last one: it crashed 0"),
    ],
)
def test_a_sweep_of_which_every_trial_failed(ends: str, said: str | None, tmp_path: Path) -> None:
    sweep, results = opened(tmp_path), {"c": completed(0.5), "p": TrialResult.pruned()}
    for number, how in enumerate(ends):
        sweep.study.take()
        if how != "r":
            failed = TrialResult.failed(f"it crashed {number}")
            sweep.study.end(number, results.get(how, failed))
    assert sweep.failure == said


def test_repeated_failures_do_not_end_a_sweep(tmp_path: Path) -> None:
    sweep, failed = opened(tmp_path, trials=40), TrialResult.failed("it crashed")
    repeated = replace(failed, attributes={**failed.attributes, "same_as": 0})

    def end(outcome: TrialResult) -> None:
        task = sweep.study.take()
        sweep._end(task.number, outcome, Observer())

    for outcome in (failed, *[repeated] * 6, failed, failed, failed):
        end(outcome)
    with pytest.raises(RunError, match="trials"):
        end(failed)


@pytest.mark.parametrize(
    ("jobs", "settings", "seconds"),
    [
        (1, {"final_openings": 4}, 2 * 4 * 7 * 0.5),
        (2, {"final_openings": 4}, 2 * 4 * 7 * 0.25),
        (2, {}, 2 * 10 * 7 * 0.25),
        (1, {"finalists": 1}, 2 * 10 * 2 * 0.5),
    ],
)
def test_the_final_takes_as_long_as_games_did_so_far(
    jobs: int, settings: dict[str, Any], seconds: float, tmp_path: Path
) -> None:
    sweep = opened(tmp_path, jobs=jobs, **settings)
    assert sweep.final_seconds == 0.0, "nobody knows yet"
    for games, each in [(4, 0.2), (12, 0.6)]:
        facts = {"played": games, "play_seconds": games * each}
        sweep.study.end(sweep.study.take().number, completed(0.5, facts))
    assert sweep.final_seconds == pytest.approx(seconds)
    time, rating = sweep.time_left, rating_seconds("standard", 2, jobs)
    time.reach(0)
    for number in range(4):
        time.reach(number + 1, 4, {"seconds": 0.0})
    assert time.left == pytest.approx(seconds + rating, abs=0.1)
    time.reach_stage(RATING, 0.0)
    assert time.left == pytest.approx(rating, abs=0.1)


SMALL: dict[str, Any] = {
    "panel": ("random", "swh"), "panel_openings": 4, "final_openings": 4, "finalists": 2,
    "startup": 2, "reports": 2, "fix": {"depths": 1, "endgame": 0},
}  # fmt: skip


@pytest.mark.slow
def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_text(
        "import evolve\n"
        f"run = evolve.sweep('alphabeta', 'swept', trials=2, progress=True, **{SMALL!r})\n"
        "print(run.champion.name)\n"
    )
    ended = ran(sys.executable, script.name, folder=tmp_path)
    assert ended.code == 0, ended.err
    *lines, champion = ended.out.splitlines()
    assert champion.startswith("trial-")
    assert any("100 %" in line for line in lines)
    run = evolve.load_run(tmp_path / "swept")
    assert run.tables == tuple(dict(run.tables)) == ("trials", "final")
    assert len(run.tables["trials"]) == 2
    assert "2 trials" in done("resume", run.path).out
    # The same call has nothing to do.
    before = (run.path / "trials.parquet").read_bytes()
    evolve.sweep("alphabeta", run.path, trials=2, **SMALL)
    assert (run.path / "trials.parquet").read_bytes() == before
    with pytest.raises(RunError, match="panel_openings"):
        evolve.sweep("alphabeta", run.path, trials=2, **{**SMALL, "panel_openings": 6})
    more = evolve.sweep("alphabeta", run.path, trials=4, **SMALL)
    assert more.trials["number"].tolist() == [0, 1, 2, 3]


def test_wrong_settings_leave_no_folder(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'depths'"):
        evolve.sweep("depths", tmp_path / "x")
    wrong: dict[str, Any] = {"trials": {"trials": 0}, r"none\.toml": {"start_from": "none.toml"}}
    for words, settings in wrong.items():
        with pytest.raises(SettingsError, match=words):
            evolve.sweep("alphabeta", tmp_path / "x", **settings)
    assert list(tmp_path.iterdir()) == []
