"""Run tasks on threads of this machine, or on other machines."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from queue import SimpleQueue
from typing import ClassVar, Final, NamedTuple, TypeVar

from evolve.errors import OptionsError

_GROUPS: Final = Path("/sys/fs/cgroup")
_OWN_GROUPS: Final = Path("/proc/self/cgroup")
_T = TypeVar("_T")
_R = TypeVar("_R")

MOST_JOBS: Final = 4096
BATCH: Final = 16
"""Games per task: single-game tasks cost 14 % of the time in a prototype."""
TASKS_A_SLOT: Final = 4
"""Tasks per slot of a cluster: with fewer, the last tasks end far apart."""


def processors() -> int:
    """The CPUs that this process may use, by its affinity and the quota of its container."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return max(1, math.ceil(min([count, *_quotas()])))


def _quotas() -> Iterator[float]:
    """The CPUs that each control group above this process allows, in both versions of Linux's.

    A container sees its own group as the root, or, in version 1, under a path of the host.
    """
    for group in _lines(_OWN_GROUPS):
        _, controllers, path = group.split(":", 2)
        root = _GROUPS / "cpu" if "cpu" in controllers.split(",") else _GROUPS
        if controllers and root == _GROUPS:
            continue  # of memory, or another controller of version 1
        folder = root / path.lstrip("/")
        for above in (folder, *folder.parents[: len(folder.parts) - len(root.parts)]):
            words = " ".join(_lines(above / "cpu.max")).split() or [
                *_lines(above / "cpu.cfs_quota_us"), *_lines(above / "cpu.cfs_period_us"),
            ]  # fmt: skip
            if len(words) == 2 and all(map(str.isdecimal, words)):  # not `max`, nor -1
                yield int(words[0]) / int(words[1])


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def task_size(count: int, slots: int) -> int:
    """Return the number of games per task on a cluster; even."""
    # A scheduler takes 0.4 s for 512 tasks: no more, unless there are more slots.
    tasks = max(slots, min(TASKS_A_SLOT * slots, 512))
    share = -(-count // tasks)
    return max(2 * BATCH, share + share % 2)


class Threads:
    """Runs tasks on threads of this process; a Cluster runs them elsewhere, with equal results.

    threads: threads of this machine, for work that must stay on it. elsewhere: CPU seconds that
    tasks have taken on other machines so far.
    """

    is_remote: ClassVar[bool] = False

    def __init__(self, count: int) -> None:
        if not 1 <= count <= MOST_JOBS:
            raise OptionsError(f"jobs = {count}: it must be 1 to {MOST_JOBS}")
        self.threads = count
        self.elsewhere = 0.0

    @property
    def slots(self) -> int:
        """How many tasks run at a time."""
        return self.threads

    def games(self, count: int, seconds: float = math.inf) -> int:
        """Return how many of `count` games each task should have; even.

        seconds: what a game takes, infinity where that is not known yet.
        """
        if seconds >= 0.002:
            return BATCH
        # 16 tasks a thread, if games suffice for it: the last ones end apart. With 64 games a task,
        # 10 generations of the default run take 0.945 of the CPU of 16, and no less with 256.
        share = count // (16 * self.slots)
        return min(max(BATCH, share - share % 2), 64)

    def run(
        self, function: Callable[[_T], _R], tasks: Iterable[_T]
    ) -> Generator[tuple[int, _R], None, None]:
        """Call a function for each task; yield each answer with the task's number when it is ready.

        Tasks are taken as needed; closing the generator drops tasks that have not started.
        """
        if self.slots == 1:
            for number, task in enumerate(tasks):
                yield number, function(task)
            return
        import joblib  # imported here: whatever prints in a terminal imports this module

        unwanted = threading.Event()

        def work(number: int, task: _T) -> tuple[int, _R]:
            if unwanted.is_set():  # joblib hands out some tasks ahead
                raise _UnwantedError
            return number, function(task)

        wanted = takewhile(lambda _: not unwanted.is_set(), enumerate(tasks))
        parallel = joblib.Parallel(
            n_jobs=self.slots, backend="threading", return_as="generator_unordered"
        )
        answers = Background(parallel(joblib.delayed(work)(*numbered) for numbered in wanted))
        try:
            yield from answers
        finally:
            unwanted.set()


class _UnwantedError(Exception):
    """The remaining tasks are not needed."""


ONE_THREAD: Final = Threads(1)
Executor = Threads
"""What runs tasks: threads, or a subclass of them."""


class _End(NamedTuple):
    """The iterable has ended, or raised an error."""

    error: BaseException | None = None


class Background(Iterator[_T]):
    """The items of an iterable, computed by a thread of its own, which starts at once.

    What the iterable raises is raised here. Interruptions are raised in the main thread alone, so
    the iterable's own locks are safe. They are not in the main thread: a second Ctrl-C while joblib
    ended its pool left a semaphore locked, and the match did not end. The same can happen to
    everything built on `threading.Condition`, such as futures.
    """

    def __init__(self, items: Iterable[_T]) -> None:
        self._answers: SimpleQueue[_T | _End] = SimpleQueue()  # its lock is in C, and safe
        threading.Thread(target=self._work, args=(items,), daemon=True).start()

    def _work(self, items: Iterable[_T]) -> None:
        end = _End()
        try:
            for item in items:
                self._answers.put(item)
        except BaseException as error:
            end = _End(error)
        self._answers.put(end)

    def __next__(self) -> _T:
        answer = self._answers.get()
        if not isinstance(answer, _End):
            return answer
        self._answers.put(answer)  # for the next call
        raise StopIteration if answer.error is None else answer.error

    def wait(self) -> None:
        """Wait for the end; drop items and errors that nobody took."""
        while not isinstance(answer := self._answers.get(), _End):
            pass
        self._answers.put(answer)


def interruptible(work: Callable[[], _T]) -> _T:
    """Run a long kernel in a separate thread, so that Ctrl-C works while it runs."""
    return next(Background(work() for _ in range(1)))
