"""A pool of processes: results, errors and deaths, each under its number."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from evolve.errors import RunError, WorkerDiedError
from evolve.programs.forks import ProcessPool
from tests.engine import posix
from tests.waits import PATIENCE, until


def double(number: int) -> int:
    return 2 * number


def fail(text: str) -> None:
    raise RunError(text)


def die(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(PATIENCE)


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def about_itself(_: object) -> tuple[Any, bool]:
    return signal.getsignal(signal.SIGINT), os.getsid(0) == os.getpid()


@pytest.fixture
def pool() -> Iterator[ProcessPool]:
    with closing(ProcessPool(["evolve.errors"])) as found:
        yield found


def answers(pool: ProcessPool, count: int) -> dict[int, Any]:
    found: dict[int, Any] = {}
    until(lambda: found.update(pool.ready(1.0)) or len(found) >= count)
    return found


def test_results_and_errors_come_under_their_numbers(pool: ProcessPool) -> None:
    pool.submit(7, double, 4)
    pool.submit(3, fail, "no")
    found = answers(pool, 2)
    assert (found[7], str(found[3])) == (8, "no")
    assert pool.ready(0.0) == []


@posix
@pytest.mark.parametrize("way", ["SIGKILL", "SIGTERM", "SIGSEGV"])
def test_a_death_is_told_and_another_process_goes_on(pool: ProcessPool, way: str) -> None:
    pool.submit(0, die, int(signal.Signals[way]))
    pool.submit(1, sleep, 0.3)
    found = answers(pool, 2)
    assert isinstance(found[0], WorkerDiedError)
    assert str(found[0]) == f"the worker was killed by {way}"
    assert isinstance(found[1], int), "the other one's task is not lost"
    pool.submit(0, double, 1)
    assert answers(pool, 1) == {0: 2}


def test_a_process_does_task_after_task(pool: ProcessPool) -> None:
    pids = []
    for number in range(3):
        pool.submit(number, sleep, 0.0)
        pids.append(answers(pool, 1)[number])
    assert len(set(pids)) == 1


@posix
def test_an_idle_process_that_died_is_replaced(pool: ProcessPool) -> None:
    pool.submit(0, sleep, 0.0)
    os.kill(answers(pool, 1)[0], signal.SIGKILL)
    time.sleep(0.2)
    pool.submit(0, double, 2)
    assert answers(pool, 1) == {0: 4}


@posix
def test_ctrl_c_is_for_the_parent_alone(pool: ProcessPool) -> None:
    pool.submit(0, about_itself, None)
    assert answers(pool, 1) == {0: (signal.SIG_IGN, True)}


def test_closing_waits_for_no_task() -> None:
    pool = ProcessPool(["evolve.errors"])
    pool.submit(0, sleep, 600.0)
    begin = time.monotonic()
    pool.close()
    assert time.monotonic() - begin < PATIENCE / 2
