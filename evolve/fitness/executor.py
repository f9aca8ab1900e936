"""Run games on threads of this machine, or on other machines."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import takewhile
from typing import Final, Protocol, TypeVar

import joblib

from evolve.fitness.answers import Check
from evolve.fitness.background import Background

BATCH: Final = 16
"""Games per task: single-game tasks cost 14 % of the time in a prototype."""

TASKS_A_SLOT: Final = 4
"""Tasks per slot of a cluster: with fewer, the last tasks end far apart."""
_MANY_TASKS: Final = 512
"""Most tasks, unless there are more slots: a scheduler takes 0.4 s for them. A slot gets fewer than
four tasks if four would exceed this number."""


def task_size(count: int, slots: int) -> int:
    """Return the number of games per task on a cluster; even."""
    tasks = max(slots, min(TASKS_A_SLOT * slots, _MANY_TASKS))
    share = -(-count // tasks)
    return max(2 * BATCH, share + share % 2)


T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Runs tasks in parallel; results do not depend on the executor.

    slots: how many tasks run at a time. threads: threads of this machine, for work that must stay
    on it. elsewhere: CPU seconds that tasks have taken on other machines so far.
    """

    elsewhere: float

    @property
    def slots(self) -> int:
        """See above."""

    @property
    def threads(self) -> int:
        """See above."""

    def games(self, count: int) -> int:
        """Return how many of `count` games each task should have; even."""

    def run(
        self, function: Callable[[T], R], tasks: Iterable[T], check: Check[T] | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """Call a function for each task; yield each answer with the task's number when it is ready.

        Tasks are taken as needed; closing the generator drops tasks that have not started.
        check: checks whether answers from other machines can be right.
        """


class Threads:
    """The threads of this process."""

    def __init__(self, count: int) -> None:
        self.slots = self.threads = count
        self.elsewhere = 0.0

    def games(self, count: int) -> int:
        return BATCH

    def run(
        self, function: Callable[[T], R], tasks: Iterable[T], check: Check[T] | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """See Executor: results of this process need no check."""
        if self.slots == 1:
            for number, task in enumerate(tasks):
                yield number, function(task)
            return
        unwanted = threading.Event()

        def wanted() -> Iterator[tuple[int, T]]:
            return takewhile(lambda _: not unwanted.is_set(), enumerate(tasks))

        def work(number: int, task: T) -> tuple[int, R]:
            if unwanted.is_set():  # joblib hands out some tasks ahead
                raise _UnwantedError
            return number, function(task)

        parallel = joblib.Parallel(
            n_jobs=self.slots, backend="threading", return_as="generator_unordered"
        )
        answers = Background(parallel(joblib.delayed(work)(*numbered) for numbered in wanted()))
        try:
            yield from answers
        finally:
            unwanted.set()


class _UnwantedError(Exception):
    """The remaining tasks are not needed."""


ONE_THREAD: Final = Threads(1)
