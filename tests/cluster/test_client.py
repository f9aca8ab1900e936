"""Dask's workers as an executor: the same tables, whoever comes, goes, or is another."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import evolve
from evolve.arena.match import Match
from evolve.errors import ClusterError, RunError
from evolve.fitness.executor import ONE_THREAD
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import all_pairs, schedule
from tests.cli import QUICK, done, match, program, spawn, wait_until
from tests.cluster.dask import Place, certificates, cluster, place
from tests.tables.content import outcome
from tests.waits import PATIENCE

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own

AGENTS = [evolve.load_agent(name) for name in ("swh", "zero", "swh-mobility", "positional")]


def round_robin(executor: Any) -> Any:
    numbers = np.tile(np.arange(12, dtype=np.int64), (6, 1))
    drawn = balanced_openings(12, Part.TRAINING, "standard", np.random.default_rng(1))
    return play_games(
        AGENTS, schedule(all_pairs(len(AGENTS)), numbers), drawn, "standard", executor=executor
    )


def assert_same(one: Any, other: Any) -> None:
    for name in ("pairings", "moves", "results", "winner"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.slow
def test_games_are_those_of_threads(shared: Place) -> None:
    played: list[int] = []
    with cluster(shared, 2, threads=1) as found:
        assert (found.slots, found.threads) == (2, 1)
        assert (found.games(4032), found.games(10)) == (504, 32)
        assert_same(round_robin(found), round_robin(ONE_THREAD))
        openings = balanced_openings(30, Part.MATCH, "standard", np.random.default_rng(0))
        match = Match(AGENTS[0], AGENTS[2], openings, "standard", executor=found)
        assert match.play(played.append) == Match(AGENTS[0], AGENTS[2], openings, "standard").play()
    assert sum(played) == 60


@pytest.mark.slow
def test_what_a_task_raises_is_told_with_its_worker(shared: Place) -> None:
    text = r"task has failed on tcp://.*: ZeroDivisionError: .* \(test_client.py, line \d+\)"
    with cluster(shared, 2) as found:
        with pytest.raises(ClusterError, match=text):
            list(found.run(divided, [1, 0]))
        with pytest.raises(RunError, match="tcp://"):
            list(found.run(has_no_room, [1]))
        assert sorted(found.run(divided, [1, 2])) == [(0, 1.0), (1, 0.5)], "nobody is left out"


def has_no_room(task: int) -> None:
    raise RunError(f"no room on {distributed.get_worker().address}")


@pytest.mark.slow
def test_answers_are_fetched_together_and_by_way_of_the_scheduler(shared: Place) -> None:
    with cluster(shared, 2) as found:
        places = found.workers.usable()
        before = len(gathered(found))
        assert sorted(found.run(divided, range(1, 101))) == [
            (number, 1 / (number + 1)) for number in range(100)
        ]
        counts = gathered(found)[before:]
        connected = {*found._client.rpc.occupied, *found._client.rpc.available}
    assert sum(counts) == 100, "each answer once"
    assert len(counts) < 90
    assert not connected & set(places), "this machine need not reach the workers"


def gathered(made: Any) -> list[int]:
    """How many answers the scheduler has brought each time."""
    events = made._client.get_events("all")
    return [event["count"] for _, event in events if event.get("action") == "gather"]


def divided(task: int) -> float:
    return 1 / task


def slow(task: int) -> int:
    time.sleep(0.05)
    return task


@pytest.mark.slow
def test_workers_killed_again_and_again_and_late_ones_change_nothing(tmp_path: Path) -> None:
    words = ("run", *QUICK[1:], "--generations=6", "--population=16")
    done(*words, "--out", tmp_path / "threads")
    run = tmp_path / "dask"
    with place(tmp_path, 2) as found:
        cluster(found, 2).close()
        process = spawn(tmp_path, *words, "--scheduler", found.address, "--out", run)
        for generation in (0, 2):
            file = run / f"generations/gen-{generation:04d}.parquet"
            wait_until(file.exists, process)
            found.kill_a_worker()
            found.worker()
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, (out, err)
    assert f"2 slots of {found.address}" in out
    assert outcome(run) == outcome(tmp_path / "threads")


@pytest.mark.clock
def test_the_scheduler_is_killed_and_the_run_goes_on_without(tmp_path: Path) -> None:
    words = ("run", *QUICK[1:], "--generations=60")
    with place(tmp_path, 1) as found:
        cluster(found, 1).close()
        run = tmp_path / "dask"
        process = spawn(tmp_path, *words, "--scheduler", found.address, "--out", run)
        wait_until((run / "generations/gen-0002.parquet").exists, process)
        found.scheduler.kill()
        begin = time.monotonic()
        out, err = process.communicate(timeout=PATIENCE)
        assert time.monotonic() - begin < 25, "for 30 s Dask itself would look for it"
    assert process.returncode == 1
    assert f"continue with: evolve resume {run}" in out
    assert err.strip() == f"error: the scheduler at {found.address} is gone"
    kept = evolve.load_run(run).generation_count
    done("resume", run, "--generations", kept + 1)
    done("run", *QUICK[1:], f"--generations={kept + 1}", "--out", tmp_path / "threads")
    assert outcome(run) == outcome(tmp_path / "threads")


@pytest.mark.slow
def test_a_stopped_worker_holds_nobody_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "5 s")
    with place(tmp_path, 2) as found, cluster(found, 2) as made:
        expected = round_robin(ONE_THREAD)
        round_robin(made)
        stopped = psutil.Process(found.workers[0].pid)
        threading.Timer(0.05, stopped.suspend).start()
        assert_same(round_robin(made), expected)
        stopped.resume()


@pytest.mark.slow
def test_threads_do_not_end_each_others_fetching(shared: Place) -> None:
    with cluster(shared, 2) as found:
        right: list[int] = []

        def work(number: int) -> None:
            wrong = 0
            for _ in range(4):
                with closing(found.run(divided, range(1, 40))) as answers:
                    some = [next(answers) for _ in range(39 if number else 3)]
                wrong += sum(answer != 1 / (k + 1) for k, answer in some)
            right.extend([number] if wrong == 0 else [])

        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(right) == [0, 1, 2]


@pytest.mark.slow
def test_without_workers_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.cluster.client._WORKER_TIMEOUT", 2.0)
    with place(tmp_path, 0) as found:
        with cluster(found, 0) as made, pytest.raises(ClusterError, match="worker"):
            list(made.run(dies, [1]))
        found.worker()
        found.worker()
        with cluster(found, 2) as made, pytest.raises(ClusterError, match="worker"):
            list(made.run(dies, [1]))


def dies(task: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_sweep_of_evolutions_on_a_cluster(shared: Place, tmp_path: Path) -> None:
    words = ("sweep", "evolution", "--trials=2", "--budget=2", "--fix=population=8", "--jobs=1")
    few = ("--panel-openings=4", "--final-openings=4", "--panel=swh,zero")
    with cluster(shared, 2):
        done(*words, *few, "--scheduler", shared.address, "--out", tmp_path / "dask")
    states = set(evolve.load_run(tmp_path / "dask").trials["state"])
    assert states <= {"COMPLETE", "PRUNED"}


@pytest.mark.slow
def test_a_client_that_stops_listening_and_one_that_has_left(shared: Place) -> None:
    with cluster(shared, 2) as found:
        with closing(found.run(slow, range(1000))) as answers:
            next(answers)
        assert sorted(found.run(divided, [1, 2])) == [(0, 1.0), (1, 0.5)]
    with pytest.raises(ClusterError, match="gone"):
        list(found.run(divided, [1]))
    with cluster(shared, 2) as found, closing(found.run(slow, range(1000))) as answers:
        next(answers)
        found._client.close()
    with cluster(shared, 2) as found:
        found.workers._asked = -1e9
        found._client.status = "closed"  # by Dask itself
        with pytest.raises(ClusterError, match="gone"):
            list(found.run(divided, [1]))
        found._client.status = "running"


@pytest.mark.slow
def test_with_certificates_and_with_wrong_ones(tmp_path: Path) -> None:
    options = certificates(tmp_path)
    strange = tmp_path / "strange"
    strange.mkdir()
    certificates(strange)

    def exported(folder: Path) -> dict[str, str]:
        """What docs/guides/clusters.md says."""
        files = {"CA_FILE": "ca.pem", "CLIENT__CERT": "cert.pem", "CLIENT__KEY": "key.pem"}
        return {f"DASK_DISTRIBUTED__COMM__TLS__{one}": str(folder / files[one]) for one in files}

    words = ("match", "swh", "zero", "--games=40", "--json")
    with place(tmp_path, 1, *options) as found:
        words = (*words, "--scheduler", found.address)
        played = program(tmp_path, *words, **exported(tmp_path))
        assert played.document == match(*words[1:-2])
        for variables in (exported(strange), {}):
            refused = program(tmp_path, *words, **variables)
            assert refused.code == 1
            assert refused.err.startswith("error: no scheduler answers at tls://")


def test_what_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    from evolve.cluster.client import Cluster

    monkeypatch.setattr("evolve.cluster.client._CONNECT", 0.5)
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "tls://127.0.0.1:1"):
        with pytest.raises(ClusterError, match=f"{address}:"):
            Cluster(address)
    gc.collect()  # Dask closes those that could not start: before another one starts
