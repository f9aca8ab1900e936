"""Games of outside programs on Dask's workers: the tables of one machine, whatever happens."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
import uuid
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow.parquet as pq
import pytest

import evolve
from evolve.agents.agent import Agent
from evolve.arena.match import Match
from evolve.errors import ClusterError, EngineError
from evolve.fitness import playing
from evolve.fitness.executor import ONE_THREAD, Executor, Threads
from evolve.fitness.live_games import games_a_second
from evolve.fitness.openings import Part, balanced_openings
from evolve.programs.kept import end_programs
from tests.cli import done, finish, spawn, wait_until
from tests.cluster.dask import Place, cluster, place
from tests.programs.test_external import ENGINE, agent, source
from tests.waits import until

pytest.importorskip("distributed")

from evolve.cluster.worker_tasks import payload_of, work

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


def match(a: Agent, b: Agent, pairs: int, executor: Executor) -> Match:
    openings = balanced_openings(pairs, Part.MATCH, "standard", np.random.default_rng(0))
    return Match(a, b, openings, "standard", executor=executor)


def assert_same(one: Match, other: Match) -> None:
    assert np.array_equal(one.games.moves, other.games.moves)
    assert np.array_equal(one.games.results, other.games.results)
    assert one.games.failures == other.games.failures


_MARK = "MARK_OF_TEST"


@pytest.fixture(autouse=True)
def mark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers and programs inherit it: others use the same programs on this machine."""
    monkeypatch.setenv(_MARK, uuid.uuid4().hex)


def engines() -> list[psutil.Process]:
    """The programs of this test, wherever they run, and their guards."""
    return [
        process
        for process in psutil.process_iter(["cmdline", "environ"])
        if str(ENGINE) in " ".join(process.info["cmdline"] or [])
        and (process.info["environ"] or {}).get(_MARK) == os.environ[_MARK]
    ]


class AsWorker(Threads):
    """Carries tasks out in this process, as a worker does."""

    is_remote = True

    def run(
        self, function: Callable[[Any], Any], tasks: Iterable[Any]
    ) -> Generator[tuple[int, Any], None, None]:
        for number, task in enumerate(tasks):
            kind, answer, _ = work(payload_of(function, task, "client"))
            assert kind == "done", answer
            yield number, pickle.loads(answer)[0]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        *(("good", source("nboard", "crash")), ("white", source("gtp", "last"))),
        *(("good", "random"), ("good", "level-3")),
    ],
)
def test_a_worker_plays_what_a_thread_plays(a: str, b: str) -> None:
    def players() -> tuple[Agent, Agent]:
        return agent("gtp", a), evolve.load_agent(b)

    here, there = match(*players(), 1, ONE_THREAD), match(*players(), 1, AsWorker(1))
    for one in (here, there):
        with suppress(EngineError):  # all games were lost by failures
            one.play()
    assert_same(here, there)
    end_programs("client")
    del here, there, one
    until(lambda: not engines(), pause=0.1)


@pytest.mark.parametrize(
    ("name", "pace", "limit"),
    [
        (source("nboard", settings="?time=3"), 0.5, 1.5),
        (source("gtp", settings="?time=1"), 0.4, 1.0),
        (source("gtp", settings="?time=20"), 0.91, 18.0),
        (source("gtp", settings="?time=0.6"), 0.5, 0.3),
        *(("swh?time=0.1", 2.0, 0.2), ("swh?time=0.1&mistakes=0.1", 2.0, 0.2)),
        *(("uct?time=0.1", 0.1, 0.02), ("swh?nodes=100", 2.0, None)),
    ],
)
def test_a_time_for_a_move_is_scaled(name: str, pace: float, limit: float | None) -> None:
    player = evolve.load_agent(name)
    paced = player.paced(pace)
    assert (paced.limit.seconds, paced.name) == (limit, player.name)
    assert (paced is player) == (limit is None)


def test_a_clock_is_scaled() -> None:
    assert agent("gtp", settings="?clock=60+0.5").paced(1.5).clock == "90.000000+0.750000"
    assert agent("gtp", settings="?clock=60").paced(0.5).clock == "30.000000"


@pytest.mark.clock
def test_three_workers_have_the_tables_of_one_machine_in_less_time(tmp_path: Path) -> None:
    def played(executor: Executor) -> tuple[Match, float]:
        game = match(agent("gtp", "naps"), agent("nboard", "lower"), 8, executor)
        begin = time.perf_counter()
        game.play()
        return game, time.perf_counter() - begin

    here, alone = played(ONE_THREAD)
    with place(tmp_path, 3) as found:
        with cluster(found, 3) as made:
            played(made)  # loads the kernels
            there, together = played(made)
        assert_same(here, there)
        assert alone / together >= 1.8
        del here, there
        begin = time.monotonic()
        until(lambda: not engines(), pause=0.1)
        assert time.monotonic() - begin < 20, "they do not wait until they are idle"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("match", source("gtp"), source("nboard", "last"), "--sprt=-400:0:logistic"),
        ("rate", source("gtp"), source("nboard", "last"), "random", "--games=4"),
    ],
)
def test_a_test_and_a_rating_on_workers(shared: Place, words: tuple[str, ...]) -> None:
    with cluster(shared, 2):
        there = done(*words, "--json", "--scheduler", shared.address).document
    assert there == done(*words, "--json").document


@pytest.mark.slow
def test_workers_without_it_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none = os.environ["PATH"]

    def with_program(behaviour: str) -> str:
        """The PATH of a machine where the program does so."""
        program = tmp_path / behaviour.replace(":", "-") / "engine-of-tests"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{sys.executable} {ENGINE} nboard {behaviour}\n")
        program.chmod(0o755)
        return f"{program.parent}{os.pathsep}{none}"

    mine = with_program("good")
    others = [none, *map(with_program, ("rules:standard", "last", "deaf"))]
    monkeypatch.setenv("PATH", mine)

    def players() -> tuple[Agent, Agent]:
        return evolve.load_agent("nboard:engine-of-tests"), agent("gtp", "lower")

    here = match(*players(), 4, ONE_THREAD)
    here.play()
    told: list[str] = []
    with place(tmp_path, 0) as found:
        for path in others:
            found.worker(PATH=path)
        with cluster(found, 4, report=told.append) as made:
            with pytest.raises(ClusterError):
                match(*players(), 8, made).play()
            assert len(made.workers.refused) == 4
            assert len({line.partition(": ")[2] for line in told if ": " in line}) == 4
        found.worker(PATH=mine)
        with cluster(found, 5) as made:
            there = match(*players(), 4, made)
            there.play()
            assert_same(here, there)


@pytest.mark.slow
def test_the_speed_of_a_worker_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "games_a_second", lambda: 3.0 * games_a_second())
    told: list[str] = []
    with place(tmp_path, 1) as found, cluster(found, 1, report=told.append) as made:
        game = match(agent("nboard", settings="?time=2"), evolve.load_agent("swh"), 2, made)
        assert game.play().played == 4
    assert sum(": times" in line for line in told) == 1


WORDS = ("match", source("gtp", "naps"), source("nboard", "lower"), "--games=24")


def games(file: Path) -> Any:
    return pq.read_table(file).to_pylist()


@pytest.fixture
def here(tmp_path: Path) -> Any:
    done(*WORDS, "--jobs=2", "--out", tmp_path / "here.parquet")
    return games(tmp_path / "here.parquet")


def begun(found: Place, tmp_path: Path, workers: int) -> Any:
    """A match of programs on the cluster whose first games are stored."""
    cluster(found, workers).close()
    words = (*WORDS, "--scheduler", found.address, "--out", "there.parquet")
    process = spawn(tmp_path, *words, real=True)
    wait_until((tmp_path / "there.parquet").exists, process)
    return process


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["a worker", "the scheduler"])
def test_the_cluster_is_killed_in_a_game(killed: str, tmp_path: Path, here: Any) -> None:
    with place(tmp_path, 3) as found:
        process = begun(found, tmp_path, 3)
        (found.kill_a_worker if killed == "a worker" else found.scheduler.kill)()
        result = finish(process)
        until(lambda: killed == "the scheduler" or not engines(), pause=0.1)
    if killed == "a worker":
        assert result.code == 0, result
    else:
        said = f"error: the scheduler at {found.address} is gone"
        assert (result.code, result.err.splitlines()[-1]) == (1, said)
        done(*WORDS, "--out", tmp_path / "there.parquet")
    assert games(tmp_path / "there.parquet") == here


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_match_is_stopped_and_goes_on(tmp_path: Path, here: Any, number: int) -> None:
    with place(tmp_path, 2) as found:
        process = begun(found, tmp_path, 2)
        process.send_signal(number)
        finish(process)
        kept = len(games(tmp_path / "there.parquet"))
        assert 0 < kept < len(here)
        busy = time.monotonic()
        until(lambda: not engines() or time.monotonic() - busy > 10, pause=0.1)
        assert number == signal.SIGKILL or not engines()
        done(*WORDS, "--scheduler", found.address, "--out", tmp_path / "there.parquet")
    assert games(tmp_path / "there.parquet") == here
