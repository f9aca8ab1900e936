"""Dask's workers as an executor: the same tables, whoever comes, goes, or is another."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import evolve
from evolve.arena.match import Match, play_match
from evolve.errors import ClusterError, RunError
from evolve.fitness.executor import ONE_THREAD, ensure, named
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import all_pairs, schedule
from tests.cli import ALPHABETA, QUICK, ROOT, done, misused, spawn, tables, wait_until
from tests.cluster.dask import Place, certificates, cluster, place
from tests.waits import PATIENCE, until

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own

AGENTS = [evolve.load_agent(name) for name in ("swh", "zero", "swh-mobility", "positional")]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with place(tmp_path_factory.mktemp("dask"), 2) as found:
        yield found


def round_robin(executor: Any, openings: int = 12) -> Any:
    pairs = len(AGENTS) * (len(AGENTS) - 1) // 2
    numbers = np.tile(np.arange(openings, dtype=np.int64), (pairs, 1))
    drawn = balanced_openings(openings, Part.TRAINING, "standard", np.random.default_rng(1))
    return play_games(
        AGENTS, schedule(all_pairs(len(AGENTS)), numbers), drawn, "standard", executor=executor
    )


def assert_same(one: Any, other: Any) -> None:
    for name in ("pairings", "moves", "results", "winner"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_games_are_those_of_threads(shared: Place) -> None:
    told: list[int] = []
    with cluster(shared, 2, threads=1) as found:
        assert (found.slots, found.threads) == (2, 1)
        assert found.games(4032) == 504
        assert found.games(10) == 32
        assert_same(round_robin(found), round_robin(ONE_THREAD))
        openings = balanced_openings(30, Part.MATCH, "standard", np.random.default_rng(0))
        match = Match(AGENTS[0], AGENTS[2], openings, "standard", executor=found)
        result = match.play(told.append)
    assert sum(told) == 60
    assert result == play_match(AGENTS[0], AGENTS[2], openings, "standard")[0]


def test_who_the_workers_are_and_what_a_run_gains(shared: Place) -> None:
    with cluster(shared, 2):
        words = ("cluster", "check", "--scheduler", shared.address, "--population", 16)
        text = done(*words, "--jobs", 2).out
        found = json.loads(done(*words, "--json").out)
    assert [worker["left_out"] for worker in found["workers"]] == [None, None]
    assert all(worker["address"] in text for worker in found["workers"])
    assert found["slots"] == 2
    assert found["games_a_generation"] == 16 * 15
    by_slots = {row["slots"]: row["speed_up"] for row in found["model"]}
    assert by_slots[1] == 1.0 < by_slots[2] <= 2.0
    assert "240 games a generation" in text
    assert "those there" in text
    assert "needs --scheduler" in misused("cluster", "check")


def test_what_a_task_raises_is_told_with_its_worker(shared: Place) -> None:
    text = r"failed 3 times, lastly on tcp://.*: ZeroDivisionError: .* \(test_client.py, line \d+\)"
    with cluster(shared, 2) as found:
        with pytest.raises(ClusterError, match=text):
            list(found.run(divided, [1, 0]))
        with pytest.raises(RunError, match=r"^no room on tcp://"):
            list(found.run(has_no_room, [1]))
        assert sorted(found.run(divided, [1, 2])) == [(0, 1.0), (1, 0.5)], "nobody is left out"


def has_no_room(task: int) -> None:
    raise RunError(f"no room on {here()}")


def here() -> str:
    """The worker that this is."""
    address: str = distributed.get_worker().address
    return address


def wrong_on(place: str) -> Any:
    """Nothing, on one worker; elsewhere a half."""
    return None if here() == place else 0.5


def is_half(task: Any, answer: Any) -> None:
    ensure(answer == 0.5, f"its answer is {named(answer)} in place of a half")


def test_a_worker_that_answers_wrongly_is_left_out_and_its_tasks_go_elsewhere(
    shared: Place,
) -> None:
    told: list[str] = []
    with cluster(shared, 2, report=told.append) as found:
        one, other = sorted(found.workers.usable())
        came = list(found.run(wrong_on, [one] * 12, is_half))
        assert sorted(came) == [(number, 0.5) for number in range(12)]
        assert told == [f"worker {one} is left out: its answer is None in place of a half"]
        assert list(found.workers.usable()) == [other]
        with pytest.raises(ClusterError, match=f"^no worker can be used; {other}: its answer is"):
            list(found.run(wrong_on, [other], is_half))


WRONG = """
import distributed.worker as worker
from pathlib import Path

class Bomb:
    def __reduce__(self):
        return int, ("not a number",)

def answer(*given, whole=worker._run_task):
    said = whole(*given)
    reply = said.get("result")
    if isinstance(reply, tuple) and len(reply) == 4 and Path({file!r}).exists():
        said["result"] = {reply}
    return said

worker._run_task = answer
"""
"""A worker that goes wrong once a file is there."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("None", "no worker can be used; WORKER: it has answered None, which is not a reply"),
        ("{1: 2}", "no worker can be used; WORKER: it has answered a dict, which is not a reply"),
        ("(*reply[:2], b'garbage', 0.0)", "no worker can be used; WORKER: .* cannot be unpacked: "),
        ("(*reply[:2], None, 0.0)", "no worker can be used; WORKER: its answer is None in place"),
        ("Bomb()", "no worker can be used; WORKER: .* cannot be unpacked: ValueError: invalid"),
        ("(reply[0], 'failed', 'no disk', 0.0)", "failed 3 times, lastly on WORKER: no disk$"),
    ],
)
def test_garbage_of_a_worker_is_told_in_a_line_and_the_run_can_go_on(
    tmp_path: Path, reply: str, text: str
) -> None:
    run = tmp_path / "run"
    preload = tmp_path / "wrong.py"
    file = str(run / "generations/gen-0000.parquet")
    preload.write_text(WRONG.replace("{file!r}", repr(file)).replace("{reply}", reply))
    with place(tmp_path, 0) as found:
        found.worker(DASK_DISTRIBUTED__WORKER__PRELOAD=str(preload))
        cluster(found, 1).close()
        process = spawn(tmp_path, "run", *QUICK, "--scheduler", found.address, "--out", run)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, (out, err)
    assert "Traceback" not in out + err
    assert err.splitlines()[-1].startswith("error: ")
    assert re.search(text.replace("WORKER", r"tcp://127.0.0.1:\d+"), err.splitlines()[-1]), err
    assert out.splitlines()[-1] == f"go on with: evolve resume {run}"


def hangs_on(task: tuple[list[str], str]) -> str:
    """Hangs on some workers, while they live, until a file is there."""
    places, file = task
    while here() in places and not Path(file).exists():
        time.sleep(0.02)
    return here()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("LEAST_LIMIT", 1.0),
        ("FIRST_LIMIT", 1.0),
        ("LIMIT_GROWTH", 1.0),
        ("LIMIT_FACTOR", 1.0),
    ):
        monkeypatch.setattr(f"evolve.cluster.workers.{name}", value)


@pytest.mark.usefixtures("impatient")
def test_a_worker_that_hangs_while_it_lives_is_not_waited_for(
    shared: Place, tmp_path: Path
) -> None:
    told: list[str] = []
    file = tmp_path / "go"
    with cluster(shared, 2, report=told.append) as found:
        one, other = sorted(found.workers.usable())
        try:
            came = list(found.run(hangs_on, [([one], str(file))] * 8))
            assert [place for _, place in came] == [other] * 8
            assert re.fullmatch(
                rf"worker {one} gets no further task until it answers: it has taken \d+ seconds "
                r"for a task; the longest took \d+\.\d",
                told[0],
            )
            assert found.slots == 1
            assert [place for _, place in found.run(hangs_on, [([one], str(file))] * 4)] == (
                [other] * 4
            )
        finally:
            file.touch()
        until(lambda: told[-1] == f"worker {one} has answered at last")
        assert len(told) == 2
        until(lambda: found.slots == 2)


@pytest.mark.usefixtures("impatient")
def test_where_all_workers_hang_it_ends(shared: Place, tmp_path: Path) -> None:
    file = tmp_path / "go"
    text = r"^3 times no worker answered in time; tcp://.*: \d+ seconds for a task; none has ended"
    with cluster(shared, 2) as found:
        try:
            with pytest.raises(ClusterError, match=text):
                list(found.run(hangs_on, [(list(found.workers.usable()), str(file))]))
        finally:
            file.touch()


@pytest.mark.usefixtures("impatient")
def test_an_answer_that_comes_late_is_taken_where_there_is_no_other_worker(
    shared: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.cluster.workers.LIMIT_GROWTH", 1000.0)
    file = tmp_path / "go"
    told: list[str] = []

    def tell(text: str) -> None:
        told.append(text)
        if sum("gets no further task" in one for one in told) == 2:
            file.touch()

    with cluster(shared, 2, report=tell) as found:
        places = list(found.workers.usable())
        came = list(found.run(hangs_on, [(places, str(file))] * 2))
    assert sorted(number for number, _ in came) == [0, 1]


def test_nobody_listens_any_more(shared: Place) -> None:
    with cluster(shared, 2) as found:
        with closing(found.run(slow, range(1000))) as answers:
            next(answers)
        assert sorted(found.run(divided, [1, 2])) == [(0, 1.0), (1, 0.5)]


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


def test_a_run_on_a_cluster_has_the_tables_of_one_on_threads(shared: Place, tmp_path: Path) -> None:
    done("run", *QUICK, "--out", tmp_path / "threads")
    with cluster(shared, 2):
        said = done("run", *QUICK, "--scheduler", shared.address, "--out", tmp_path / "dask")
    assert f"2 slots of {shared.address}" in said.out
    assert tables(tmp_path / "dask") == tables(tmp_path / "threads")


@pytest.mark.slow
def test_workers_killed_again_and_again_and_late_ones_change_nothing(tmp_path: Path) -> None:
    words = ("run", *QUICK[1:], "--generations=6", "--population=16")
    done(*words, "--out", tmp_path / "threads")
    with place(tmp_path, 2) as found:
        cluster(found, 2).close()
        run = tmp_path / "dask"
        process = spawn(tmp_path, *words, "--scheduler", found.address, "--out", run)
        for generation in range(4):
            file = run / f"generations/gen-{generation:04d}.parquet"
            wait_until(file.exists, process)
            found.kill_a_worker()
            found.worker()
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, (out, err)
    assert tables(run) == tables(tmp_path / "threads")


@pytest.mark.slow
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
    assert f"go on with: evolve resume {run}" in out
    assert err.strip() == f"error: the scheduler at {found.address} is gone"
    kept = evolve.load_run(run).generation_count
    done("resume", run, "--generations", kept + 1)
    done("run", *QUICK[1:], f"--generations={kept + 1}", "--out", tmp_path / "threads")
    assert tables(run) == tables(tmp_path / "threads")


@pytest.mark.slow
def test_workers_that_are_others_play_no_game(tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(ROOT / "evolve", other / "evolve")
    with (other / "evolve/engine/board/rules.py").open("a") as file:
        file.write("# another engine\n")
    none = tmp_path / "none/evolve"
    none.mkdir(parents=True)
    (none / "__init__.py").write_text("raise ImportError('it was never installed')\n")
    told: list[str] = []
    with place(tmp_path, 0) as found:
        found.worker(PYTHONPATH=str(other))
        found.worker(PYTHONPATH=str(none.parent))
        refused = pytest.raises(ClusterError, match="no worker can be used")
        with cluster(found, 2, report=told.append) as made, refused:
            round_robin(made)
        assert sum("left out" in text for text in told) == 2
        told.clear()
        found.worker()
        with cluster(found, 3, report=told.append) as made:
            assert_same(round_robin(made), round_robin(ONE_THREAD))
            assert made.slots == 1
    assert sum("left out" in text for text in told) == 2
    assert any("another engine" not in text and "engine" in text for text in told)
    assert any("it has no evolve of this kind: it was never installed" in text for text in told)


@pytest.fixture
def short_ttl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "5 s")


@pytest.mark.slow
@pytest.mark.usefixtures("short_ttl")
def test_a_stopped_worker_holds_nobody_up(tmp_path: Path) -> None:
    with place(tmp_path, 2) as found, cluster(found, 2) as made:
        expected = round_robin(ONE_THREAD)
        round_robin(made)
        stopped = psutil.Process(found.workers[0].pid)
        threading.Timer(0.05, stopped.suspend).start()
        assert_same(round_robin(made, 12), expected)
        stopped.resume()


@pytest.mark.slow
def test_a_worker_stops_with_answers_that_nobody_has_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "10 s")
    monkeypatch.setattr("evolve.cluster.client._TOGETHER", 1.0)
    with place(tmp_path, 2) as found, cluster(found, 2) as made:
        assert len(list(made.run(divided, range(1, 9)))) == 8, "evolve is loaded"
        stopped = psutil.Process(found.workers[0].pid)
        since = 0.0
        fetched = distributed.Client._gather_remote

        async def late(self: Any, *given: Any) -> Any:
            nonlocal since
            if not since:  # so that all are asked for together
                while any(one.status != "finished" for one in self.futures.values()):
                    await asyncio.sleep(0.05)
                stopped.suspend()
                since = time.monotonic()
            return await fetched(self, *given)

        monkeypatch.setattr(distributed.Client, "_gather_remote", late)
        came = [(answer, time.monotonic()) for _, answer in made.run(slow, range(8))]
        stopped.resume()
    assert sorted(answer for answer, _ in came) == list(range(8))
    # The other worker's answers are there long before the stopped one is given up.
    waited = [when - since for _, when in came]
    assert waited[2] < 7 < waited[-1] < 60


def test_threads_do_not_end_each_others_fetching(shared: Place) -> None:
    with cluster(shared, 2) as found:
        ended: list[int] = []

        def work(number: int) -> None:
            for _ in range(10):
                with closing(found.run(divided, range(1, 40))) as answers:
                    some = [next(answers) for _ in range(39 if number else 3)]
                assert all(answer == 1 / (place + 1) for place, answer in some)
            ended.append(number)

        threads = [
            threading.Thread(target=work, args=(number,), daemon=True) for number in (0, 1, 2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(ended) == [0, 1, 2]


def test_a_client_that_dask_has_closed_by_itself_is_told(shared: Place) -> None:
    with cluster(shared, 2) as found:
        assert found.slots == 2
        found.workers._asked = -1e9
        found._client.status = "closed"
        with pytest.raises(ClusterError, match="is gone"):
            list(found.run(divided, [1]))
        found._client.status = "running"


@pytest.mark.slow
def test_who_comes_goes_and_hangs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.cluster.workers._SILENCE", 2.0)
    monkeypatch.setattr("evolve.cluster.workers._LOOK_FOR_SILENCE", 0.5)
    told: list[str] = []

    def wait_for(text: str) -> None:
        end = time.monotonic() + 40
        while not any(re.search(text, line) for line in told):
            assert time.monotonic() < end, told
            assert made.slots
            time.sleep(0.1)

    with place(tmp_path, 1) as found, cluster(found, 1, report=told.append) as made:
        while not made.workers.usable():
            time.sleep(0.1)
        told.clear()
        second = found.worker()
        wait_for(r"^worker tcp://.* is there, 1 slot$")
        stopped = psutil.Process(second.pid)
        stopped.suspend()
        wait_for(r"^worker tcp://.* has not been heard for \d+ seconds$")
        stopped.resume()
        wait_for(r"^worker tcp://.* is heard again$")
        second.kill()
        wait_for(r"^worker tcp://.* is gone; others play its games$")
    address = told[-1].split()[1]
    assert sum(address in line for line in told) == 4, told


@pytest.mark.slow
def test_with_certificates_and_with_wrong_ones(tmp_path: Path) -> None:
    from evolve.cluster.client import Cluster
    from evolve.cluster.placement import Tls

    options = certificates(tmp_path)
    strange = tmp_path / "strange"
    strange.mkdir()
    certificates(strange)
    files = [tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")]
    with place(tmp_path, 1, *options) as found:
        with cluster(found, 1, security=Tls(*files).security()) as made:
            assert_same(round_robin(made), round_robin(ONE_THREAD))
        with pytest.raises(ClusterError, match="no scheduler answers at tls://"):
            Cluster(
                found.address, security=Tls(*(strange / file.name for file in files)).security()
            )


def test_what_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    from evolve.cluster.client import Cluster

    monkeypatch.setattr("evolve.cluster.client._CONNECT", 0.5)
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "tls://127.0.0.1:1"):
        with pytest.raises(ClusterError, match=f"no scheduler answers at {address}: "):
            Cluster(address)
    # One left open is closed when it is garbage, in the thread of another one that starts.
    clients = [thing for thing in gc.get_objects() if isinstance(thing, distributed.Client)]
    assert {client.status for client in clients} <= {"closed"}


@pytest.mark.slow
def test_without_workers_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.cluster.client._WITHOUT", 2.0)
    with place(tmp_path, 0) as found:
        with cluster(found, 0) as made, pytest.raises(ClusterError, match="has had no worker"):
            list(made.run(dies, [1]))
        found.worker()
        found.worker()
        with cluster(found, 2) as made, pytest.raises(ClusterError, match="has had no worker"):
            list(made.run(dies, [1]))


def dies(task: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["alphabeta", "evolution"])
def test_sweeps_on_a_cluster(shared: Place, tmp_path: Path, kind: str) -> None:
    sizes = {
        "alphabeta": ("--trials=4", "--panel-openings=8"),
        "evolution": ("--trials=2", "--budget=2", "--panel-openings=4", "--fix=population=8"),
    }
    words = ("sweep", kind, *sizes[kind], "--jobs=1", "--final-openings=4", "--panel=swh,zero")
    with cluster(shared, 2):
        done(*words, "--scheduler", shared.address, "--out", tmp_path / "dask")
    trials = evolve.load_run(tmp_path / "dask").trials
    assert trials["state"].isin(["COMPLETE", "PRUNED"]).all()
    if kind == "alphabeta":
        done(*words, "--out", tmp_path / "here")
        columns = ["number", "score", "state", "weights.0"]
        assert trials[columns].equals(evolve.load_run(tmp_path / "here").trials[columns])


@pytest.mark.slow
def test_a_sweep_whose_scheduler_is_killed_goes_on(tmp_path: Path) -> None:
    words = (*ALPHABETA, "--trials=1000", "--jobs=2")
    with place(tmp_path, 1) as found:
        cluster(found, 1).close()
        sweep = tmp_path / "sweep"
        process = spawn(tmp_path, *words, "--scheduler", found.address, "--out", sweep)
        wait_until(lambda: len(list(sweep.glob("trials/*"))) > 2, process)
        found.scheduler.kill()
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1, (out, err)
    assert f"go on with: evolve resume {sweep}" in out
    assert err.strip() == f"error: the scheduler at {found.address} is gone"
    trials = evolve.load_run(sweep).trials
    assert not (trials["state"] == "FAIL").any()
    done("resume", sweep, "--trials", len(trials) + 5)
    assert (evolve.load_run(sweep).trials["state"] == "COMPLETE").sum() >= 8


def test_whoever_has_left_the_cluster_is_told_so_and_nothing_else(shared: Place) -> None:
    with cluster(shared, 2) as found:
        assert found.slots == 2
    with pytest.raises(ClusterError, match="is gone"):
        list(found.run(divided, [1]))
    with cluster(shared, 2) as found, closing(found.run(slow, range(1000))) as answers:
        next(answers)
        found._client.close()
