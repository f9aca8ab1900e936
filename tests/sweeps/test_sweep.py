"""A sweep under way: its workers, and what it says of them."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
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
from evolve.sweeps import sweep as sweeps
from evolve.sweeps.plan import plan_of
from evolve.sweeps.storage import open_journal
from evolve.sweeps.study import Study
from evolve.sweeps.sweep import Sweep
from evolve.sweeps.trials import Task, TrialResult, values_of
from evolve.sweeps.worker import IntermediateScore, Worker, ready
from tests.cli import done, ran
from tests.sweeps import GENES, completed, take
from tests.waits import PATIENCE


class Watcher(Observer):
    """An observer that looks, and may stop or meddle."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.rows.append(dict(row))

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.mark.slow
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
    sweep = opened(tmp_path, trials=1)
    assert sweep.run_trials(watcher) is sweeps.SweepEnding.COMPLETE
    assert [(row["number"], row["state"]) for row in watcher.rows] == [(0, "COMPLETE")]
    assert "SIGKILL" in watcher.notes[0]


class Stopper(Watcher):
    """An observer that stops the sweep as soon as a trial is in hand."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = False

    def stage(self, name: str, done: float, total: float) -> None:
        self.busy = True

    def stop(self) -> bool:
        return self.busy


def test_a_stop_waits_for_no_trial(tmp_path: Path) -> None:
    fix = {"depths": 8, "endgame": 12}  # a trial of minutes
    sweep = opened(tmp_path, jobs=2, panel_openings=400, fix=fix)
    begin = time.monotonic()
    assert sweep.run_trials(Stopper()) is sweeps.SweepEnding.STOPPED
    assert time.monotonic() - begin < PATIENCE / 4
    taken = [trial for trial in sweep.study.trials() if trial.state == TrialState.WAITING]
    assert [trial.number for trial in taken] == [0, 1]
    assert all(set(values_of(trial)) == set(sweep.plan.space.names) for trial in taken)
    resumed = Stopper()
    opened(tmp_path, jobs=2, panel_openings=400, fix=fix).run_trials(resumed)
    assert resumed.notes == [
        f"trial {number}: it was interrupted, trying again" for number in (0, 1)
    ]


def opened(folder: Path, **changes: Any) -> Sweep:
    settings = SweepSettings(**{**GENES, "trials": 4, "study": "s", **changes})
    plan = plan_of(settings)
    return Sweep(folder, plan, Study(plan, open_journal(folder / "journal.log"), "s"))


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
    sweep = opened(tmp_path)
    for number, how in enumerate(ends):
        take(sweep.study)
        if how == "f":
            sweep.study.end(number, TrialResult.failed(f"it crashed {number}"))
        elif how == "c":
            sweep.study.end(number, TrialResult.complete(0.5, 0.1, "x"))
        elif how == "p":
            sweep.study.end(number, TrialResult.pruned())
    assert sweep.failure == said


def test_repeated_failures_do_not_end_a_sweep(tmp_path: Path) -> None:
    sweep, failed = opened(tmp_path, trials=40), TrialResult.failed("it crashed")
    repeated = replace(failed, attributes={**failed.attributes, "same_as": 0})

    def end(outcome: TrialResult) -> None:
        task = take(sweep.study)
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
    for number, (games, each) in enumerate([(4, 0.2), (12, 0.6)]):
        sweep.study.take("w")
        facts = {"played": games, "play_seconds": games * each}
        sweep.study.end(number, completed(0.5, facts))
    assert sweep.final_seconds == pytest.approx(seconds)
    time, rating = sweep.time_left, rating_seconds("standard", 2, jobs)
    time.reach(0)
    for number in range(4):
        time.reach(number + 1, 4, {"seconds": 0.0})
    assert time.left == pytest.approx(seconds + rating, abs=0.1)
    time.reach_stage(RATING, 0.0)
    assert time.left == pytest.approx(rating, abs=0.1)


@pytest.mark.slow
def test_ctrl_c_does_not_reach_a_worker_that_is_starting(tmp_path: Path) -> None:
    settings = SweepSettings(**GENES, trials=1)  # type: ignore[arg-type]
    worker = Worker(tmp_path, settings)
    try:
        worker.start(Task(0, plan_of(settings).defaults or {}))
        while not ready([worker], 0.02):  # from its first moment to its first report
            os.kill(int(worker.name), signal.SIGINT)
        assert isinstance(worker.receive(), IntermediateScore)
    finally:
        worker.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.parametrize("way", ["SIGKILL", "SIGTERM", "SIGSEGV"])
def test_how_a_worker_died(way: str, tmp_path: Path) -> None:
    worker = Worker(tmp_path, SweepSettings(**GENES, trials=1))  # type: ignore[arg-type]
    assert worker.idle
    worker.start(Task(4, {}))
    assert (worker.idle, worker.number) == (False, 4)
    os.kill(int(worker.name), signal.Signals[way])
    assert ready([worker], PATIENCE) == [worker], "its end is a message, too"
    with pytest.raises((EOFError, OSError)):
        worker.receive()
    assert worker.death() == f"the worker was killed by {way}"
    worker.kill()


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
    with pytest.raises(SettingsError, match="trials"):
        evolve.sweep("alphabeta", tmp_path / "x", trials=0)
    with pytest.raises(SettingsError, match=r"none\.toml"):
        evolve.sweep("alphabeta", tmp_path / "x", start_from=str(tmp_path / "none.toml"))
    assert list(tmp_path.iterdir()) == []
