"""Where games are played: on threads of this machine, or on those of others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable
from typing import Final, Protocol, TypeVar

import joblib

from evolve.fitness.answers import Check

BATCH: Final = 16
"""Games a task: one a task cost 14 % of the time in a prototype."""

TASKS_A_SLOT: Final = 4
"""Of a cluster: with fewer the last ones end far apart."""
_MANY_TASKS: Final = 512
"""For which a scheduler takes 0.4 s; a slot has fewer than four when they would be more."""


def task_size(count: int, slots: int) -> int:
    """Games of a task for a cluster; even."""
    tasks = max(slots, min(TASKS_A_SLOT * slots, _MANY_TASKS))
    share = -(-count // tasks)
    return max(2 * BATCH, share + share % 2)


T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Runs tasks side by side; what comes of them does not depend on which one it is.

    slots: how many run at a time. threads: those of this machine, for work that cannot leave it.
    elsewhere: CPU seconds that tasks have taken on other machines so far.
    """

    elsewhere: float

    @property
    def slots(self) -> int:
        """See above."""

    @property
    def threads(self) -> int:
        """See above."""

    def games(self, count: int) -> int:
        """Games that a task of `count` in all should have; even."""

    def run(
        self, function: Callable[[T], R], tasks: Iterable[T], check: Check[T] | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """Call a function for each task; the answers come with their tasks' numbers when they are
        there. Tasks are taken as they are needed; whoever stops listening ends what has not begun.

        check: says of the answers of other machines whether they can be right.
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
        """See Executor: what this process has done itself needs no check."""

        def work(number: int, task: T) -> tuple[int, R]:
            return number, function(task)

        parallel = joblib.Parallel(
            n_jobs=self.slots, backend="threading", return_as="generator_unordered"
        )
        finished = parallel(joblib.delayed(work)(*numbered) for numbered in enumerate(tasks))
        try:
            for answer in finished:  # noqa: UP028 - `yield from` would close it
                yield answer
        except GeneratorExit:
            # Closing joblib's generator would warn of the games that end with it, as if unwanted.
            with contextlib.suppress(_UnwantedError):
                finished.throw(_UnwantedError())
            raise


class _UnwantedError(Exception):
    """The rest of some tasks is not wanted."""


ONE_THREAD: Final = Threads(1)
