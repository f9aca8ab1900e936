"""Threads as an executor: every task once, with its number, and none that nobody waits for."""

from __future__ import annotations

import math
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from evolve.fitness.executor import ONE_THREAD, Threads, processors, task_size
from tests.waits import Interrupt


@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_answer_comes_with_its_number(count: int) -> None:
    def slow_first(task: int) -> int:
        time.sleep(0.02 if task == 100 else 0.0)
        return task * task

    tasks = range(100, 120)
    answers = list(Threads(count).run(slow_first, tasks))
    assert sorted(answers) == [(number, task * task) for number, task in enumerate(tasks)]
    assert list(Threads(count).run(slow_first, [])) == []


@pytest.mark.parametrize(
    ("count", "threads", "seconds", "games"),
    [
        (4032, 2, math.inf, 16), (4032, 2, 0.01, 16), (4032, 2, 0.001, 64), (4032, 8, 0.001, 30),
        (200, 2, 0.001, 16),
    ],
)  # fmt: skip
def test_games_of_a_task(count: int, threads: int, seconds: float, games: int) -> None:
    assert Threads(threads).games(count, seconds) == games


def test_as_many_run_at_a_time_as_there_are_threads() -> None:
    together = threading.Barrier(3)
    assert len(list(Threads(3).run(lambda task: together.wait(10.0), range(3)))) == 3
    assert (ONE_THREAD.slots, Threads(3).threads) == (1, 3)


def test_tasks_are_taken_as_they_are_needed_and_left_when_nobody_listens() -> None:
    tasks = iter(range(10_000))
    with closing(Threads(2).run(lambda task: task, tasks)) as answers:
        next(answers)
    assert next(tasks) < 5_000, "threads are handed some ahead"


def test_what_a_task_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        list(Threads(2).run(lambda task: 1 / task, [1, 0]))


@pytest.mark.parametrize("slots", [1, 7, 128, 1000])
@pytest.mark.parametrize("count", [10, 4032, 261_632])
def test_a_slot_has_four_tasks_at_most(count: int, slots: int) -> None:
    size = task_size(count, slots)
    assert size % 2 == 0
    assert size >= 32
    assert -(-count // size) <= 4 * slots


@pytest.mark.slow
def test_a_second_interruption_at_any_step_ends_it() -> None:
    """It left a semaphore of joblib's pool locked, on which the main thread then waited."""

    def interrupt(step: Interrupt) -> None:
        answers = Threads(2).run(lambda task: task, range(100))
        with suppress(KeyboardInterrupt):
            next(answers)
            sys.settrace(step)
            try:
                answers.throw(KeyboardInterrupt())
            finally:
                del answers
                sys.settrace(None)

    left, steps = 0, 0
    while left <= 0:
        steps += 1
        step = Interrupt(steps)
        thread = threading.Thread(target=interrupt, args=(step,), daemon=True)
        thread.start()
        thread.join(20)
        assert not thread.is_alive(), f"stands still after an interruption at step {steps}"
        left = step.left
    assert steps > 10


V1 = "4:memory:/m\n3:cpu,cpuacct:/docker/abc\n"
OWN = "cpu/docker/abc/cpu.cfs"


@pytest.mark.parametrize(
    ("groups", "files", "most"),
    [
        ("0::/\n", {"cpu.max": "max 100000\n"}, None), ("0::/\n", {"cpu.max": "no\n"}, None),
        ("0::/\n", {"cpu.max": "150000 100000\n"}, 2), ("0::/\n", {"cpu.max": "5000 100000\n"}, 1),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "300000 100000"}, 3),
        ("0::/a/b\n", {"a/b/cpu.max": "200000 100000", "a/cpu.max": "300000 100000"}, 2),
        (V1, {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        (V1, {"cpu/cpu.cfs_quota_us": "400000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 4),
        (V1, {f"{OWN}_quota_us": "50000\n", f"{OWN}_period_us": "20000\n"}, 3),
        ("", {"cpu.max": "100000 100000"}, None),
    ],
)  # fmt: skip
def test_processors_are_those_of_the_container(
    groups: str, files: dict[str, str], most: int | None,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (tmp_path / "self").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "groups" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr("evolve.fitness.executor._GROUPS", tmp_path / "groups")
    monkeypatch.setattr("evolve.fitness.executor._OWN_GROUPS", tmp_path / "self")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(7), raising=False)
    assert processors() == (7 if most is None else most)
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    assert processors() == (5 if most is None else most)
