"""`--executor` and `--scheduler`."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

import evolve
from evolve.cli.cluster import executor_for, on_cluster, where
from evolve.studies import remote_runs as remote
from tests.cli import QUICK, done, invoke, misused, spawn, wait_until
from tests.cluster.dask import cluster, place
from tests.tables.content import outcome
from tests.waits import PATIENCE

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own

pytest.importorskip("distributed")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--executor=dask",), "--executor dask needs --scheduler URL, or EVOLVE_SCHEDULER"),
        (("--executor=threads", "--scheduler=tcp://127.0.0.1:9"), "--scheduler is for --executor"),
    ],
)
def test_options_that_do_not_go_together(options: tuple[str, ...], said: str) -> None:
    assert said in misused("match", "swh", "zero", *options)


def test_without_options_games_are_played_on_threads() -> None:
    with click.Context(click.Command("match")), executor_for(2) as executor:
        assert not on_cluster()
        assert executor.slots == 2
        assert where(executor) == "2 threads"


distributed = pytest.importorskip("distributed")
SMALL = (*QUICK[1:], "--generations=3")


def assert_same(one: Path, other: Path) -> None:
    runs = sorted(path.name for path in one.iterdir() if (path / "config.toml").exists())
    assert runs
    for name in runs:
        assert outcome(one / name) == outcome(other / name), name
        files = [(study / name / "champion.json").read_text() for study in (one, other)]
        assert files[0] == files[1]


@pytest.mark.slow
def test_a_study_has_the_tables_of_one_on_this_machine_whatever_happens(tmp_path: Path) -> None:
    words = ("run", *SMALL, "--seeds=0-3", "--grid=crossover=blend,uniform")
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
def test_runs_go_leg_by_leg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_SLICE", 0.0)
    with place(tmp_path, 1) as found:
        cluster(found, 1).close()
        words = ("run", *SMALL, "--scheduler", found.address, "--seeds=1-2")
        result = invoke(*words, "--out", tmp_path / "legs")
    assert result.code == 0, result
    # On a busy machine the worker is heard late, which a line says.
    assert all(line.endswith(" joined, 1 slot") for line in result.err.splitlines()), result
    done("run", *SMALL, "--seeds=1-2", "--out", tmp_path / "whole")
    assert_same(tmp_path / "whole", tmp_path / "legs")


@pytest.mark.slow
def test_the_scheduler_is_gone(tmp_path: Path) -> None:
    with place(tmp_path, 1) as found:
        cluster(found, 1).close()
        words = ("run", *QUICK[1:], "--generations=400", "--seeds=0-2")
        study = tmp_path / "study"
        process = spawn(tmp_path, *words, "--scheduler", found.address, "--out", study)
        wait_until((study / "seed-0").exists, process)
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
        words = ("run", *SMALL, "--scheduler", found.address, "--seeds=1-2")
        words = (*words, "--rules=standard", f"--start-from={agent}")
        error = misused(*words, "--out", tmp_path / "x")
    assert f"{agent}" in error
    assert not (tmp_path / "x").exists()
