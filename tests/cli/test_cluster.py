"""`--scheduler`."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

import evolve
from evolve.cli.cluster import executor_for, where
from evolve.studies import remote_runs
from tests.cli import QUICK, QUICK_SWEEP, done, fails, invoke, misused, spawn, wait_until
from tests.cli.test_train import TRAIN
from tests.cluster.dask import cluster, place
from tests.faults import results
from tests.tables.content import outcome
from tests.waits import PATIENCE

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own

pytest.importorskip("distributed")


GAMES = ("match", "swh", "zero", "--games=2")
NOWHERE = "tcp://127.0.0.1:9"


@pytest.mark.parametrize("words", [GAMES, ("run", *QUICK, "--generations=1")])
def test_a_scheduler_of_the_environment_plays_the_games(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_SCHEDULER", NOWHERE)
    monkeypatch.setattr("evolve.cluster.client._CONNECT", 1.0)
    assert NOWHERE in fails(*words)
    assert invoke(*words, "--scheduler=").code == 0


@pytest.mark.slow
def test_work_for_one_machine_refuses_a_scheduler_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One of the environment is for the commands that can use it."""
    monkeypatch.setenv("EVOLVE_SCHEDULER", NOWHERE)
    words = (*TRAIN["patterns"], "--games=20", "--out", tmp_path / "taught")
    assert "--scheduler" in misused(*words, f"--scheduler={NOWHERE}")
    done(*words)


def test_without_options_games_are_played_on_threads() -> None:
    with click.Context(click.Command("match")), executor_for(2) as executor:
        assert executor.slots == 2
        assert where(executor) == "2 threads"


SWEEP = (
    *("sweep", "alphabeta", *QUICK_SWEEP, "--trials=6", "--panel=random,swh,swh?depth=4"),
    *("--panel-openings=60", "--fix=depths=3"),
)


def assert_same(one: Path, other: Path) -> None:
    runs = [path.name for path in one.iterdir() if (path / "config.toml").exists()]
    assert [outcome(one / name) for name in runs] == [outcome(other / name) for name in runs] != []


@pytest.mark.slow
def test_a_study_has_the_tables_of_one_on_this_machine_whatever_happens(tmp_path: Path) -> None:
    words = ("run", *QUICK, "--seeds=0-3", "--grid=crossover=blend,uniform")
    done(*words, "--out", tmp_path / "here")
    with place(tmp_path, 2) as found:
        cluster(found, 2).close()
        study = tmp_path / "there"
        process = spawn(tmp_path, *words, "--scheduler", found.address, "--out", study)
        for count in (1, 4):
            wait_until(lambda n=count: len(list(study.glob("*/generations/*"))) > n, process)
            found.kill_a_worker()
            found.worker()
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, (out, err)
        assert_same(tmp_path / "here", study)
        # Further generations, and seeds, also where it goes on.
        more = ("--generations", 4, "--seeds", "4")
        done("resume", study, *more, "--scheduler", found.address)
    done("resume", tmp_path / "here", *more)
    assert_same(tmp_path / "here", study)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("run", *QUICK),
        (*TRAIN["patterns"], "--games=200"),
        pytest.param((*TRAIN["mcts"], "--games=60"), marks=pytest.mark.learning),
    ],
)
def test_work_goes_slice_by_slice(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_runs, "seconds_for", lambda size: 0.001)
    done(*words, "--seeds=1-2", "--out", tmp_path / "whole")
    with place(tmp_path, 1) as found:
        cluster(found, 1).close()
        there = ("--scheduler", found.address, "--out", tmp_path / "slices")
        result = invoke(*words, "--seeds=1-2", *there)
    assert result.code == 0, result
    # On a busy machine the worker is heard late, which a line says.
    assert all(line.endswith(" joined, 1 slot") for line in result.err.splitlines()), result
    assert_same(tmp_path / "whole", tmp_path / "slices")


@pytest.mark.slow
def test_a_sweep_whose_scheduler_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    assert NOWHERE in fails(*SWEEP, "--scheduler", NOWHERE, "--out", tmp_path / "x")
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
def test_a_sweep_has_the_trials_of_one_on_this_machine_whatever_happens(tmp_path: Path) -> None:
    """A worker dies, and then the scheduler; the sweep goes on in the middle of its trials."""
    sweep = (*SWEEP, "--jobs", 1, "--out")
    done(*sweep, tmp_path / "here")
    there, journal = tmp_path / "there", tmp_path / "there" / "trials"
    with place(tmp_path, 2) as found:
        cluster(found, 2).close()
        process = spawn(tmp_path, *sweep, there, "--scheduler", found.address)
        wait_until(lambda: len(list(journal.glob("*.json"))) >= 2, process)
        found.kill_a_worker()
        wait_until(lambda: len(list(journal.glob("*.json"))) >= 4, process)
        found.scheduler.kill()
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert err.splitlines()[-1] == f"error: the scheduler at {found.address} is gone"
    with place(tmp_path, 1) as found:
        cluster(found, 1).close()
        done("resume", there, "--scheduler", found.address)
    one, other = results(tmp_path / "here"), results(there)
    names = ("trials.parquet", "final.json")
    assert [one[name] for name in names] == [other[name] for name in names]


@pytest.mark.slow
def test_the_scheduler_is_gone(tmp_path: Path) -> None:
    with place(tmp_path, 1) as found:
        cluster(found, 1).close()
        words = ("run", *QUICK, "--generations=400", "--seeds=0-2")
        study = tmp_path / "study"
        process = spawn(tmp_path, *words, "--scheduler", found.address, "--out", study)
        wait_until(lambda: any(study.glob("*/generations/*")), process)
        found.scheduler.kill()
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert f"{study}" in out.splitlines()[-1]
    assert err.strip() == f"error: the scheduler at {found.address} is gone"


@pytest.mark.slow
def test_what_workers_do_not_have_is_told(tmp_path: Path) -> None:
    agent = tmp_path / "mine.json"
    evolve.load_agent("swh").save(agent)
    with place(tmp_path, 1) as found:
        cluster(found, 1).close()
        words = ("--rules=standard", f"--start-from={agent}", "--out", tmp_path / "x")
        error = misused("run", *QUICK, "--scheduler", found.address, "--seeds=1-2", *words)
    assert f"{agent}" in error
    assert not (tmp_path / "x").exists()
