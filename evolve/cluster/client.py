"""Use the workers of a Dask cluster as an executor. Needs the extra `cluster`."""

from __future__ import annotations

import asyncio
import contextlib
import math
import pickle
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any, Final

from distributed import Client, KilledWorker
from distributed.client import ClosedClientError

from evolve.cluster.worker_tasks import by_value, in_words, payload_of, run_task
from evolve.cluster.workers import Workers
from evolve.errors import ClusterError
from evolve.fitness.executor import TASKS_A_SLOT, Threads, task_size
from evolve.programs.kept import end_programs

_RUN_TASK: Final = by_value(run_task)

_CONNECT: Final = 10.0
"""Seconds in which a scheduler must answer."""
_GOODBYE: Final = 2.0
"""Most seconds for each message with which a client leaves."""
_INTERVAL: Final = 1.0
"""Seconds without an answer after which the client checks for workers."""
_WORKER_TIMEOUT: Final = 60.0
"""Seconds without any usable worker after which the work ends."""
_WAVE: Final = 64
"""Most tasks sent to the scheduler at once: above ten million bytes it warns. For 128 simulated
workers, a task costs it 2.1 to 2.7 ms if sent one by one, and 1.2 to 1.3 ms together."""
_MOST_DEATHS: Final = 8
"""Tries for a task if its worker dies. Dask blames all tasks that waited on a killed worker, so it
takes several tries to find the one task that kills every worker. Dask's `retries` do not count dead
workers, and how often it tries is a setting of the scheduler."""


@dataclass
class _Task:
    """A task that is sent to workers, or about to be, and how often its worker has died."""

    number: int
    payload: bytes
    deaths: int = 0


class Cluster(Threads, contextlib.AbstractContextManager["Cluster"]):
    """An executor: a client of the scheduler at an address such as `tls://host:8786`.

    Dask's configuration names the certificates of `tls://`. threads: number of threads of this
    machine. report: called with messages about the workers for the user, see `Workers`. Raises
    ClusterError if the scheduler does not answer or is gone; a run that ends this way can be
    resumed.

    Dask gives the tasks of a dead worker to others. It takes a worker that hangs for dead after the
    scheduler's `worker-ttl`.
    """

    is_remote = True

    def __init__(
        self, address: str, *, threads: int = 1, report: Callable[[str], None] = lambda text: None
    ) -> None:
        super().__init__(threads)
        self.address = address
        self._counting = Lock()
        self._keeps_programs = False
        try:
            self._client: Any = Client(
                address, set_as_default=False, timeout=_CONNECT, name="evolve"
            )
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise ClusterError(f"no scheduler answers at {address}: {reason}") from error
        self.workers = Workers(self._client, address, report)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster, and end the programs that tasks have left running there."""
        if self._keeps_programs or self.workers.refused:
            # Otherwise, or where a worker does not answer now, they end when idle.
            with contextlib.suppress(Exception):
                client = self._client.id
                self._client.run(end_programs, client, on_error="ignore", callback_timeout=_GOODBYE)
        self._client.close(timeout=_GOODBYE)

    @property
    def slots(self) -> int:
        """Threads of all workers that are available now."""
        return max(1, sum(self.workers.usable().values()))

    def games(self, count: int, seconds: float = math.inf) -> int:
        """See Threads: a task costs a millisecond of the scheduler."""
        return task_size(count, self.slots)

    def run(
        self, function: Callable[[Any], Any], tasks: Iterable[Any]
    ) -> Generator[tuple[int, Any], None, None]:
        """See Threads. ClusterError where a task fails, or its worker dies _MOST_DEATHS times."""
        waiting = (self._task(number, function, task) for number, task in enumerate(tasks))
        with contextlib.closing(_Sent(self)) as sent:
            while True:
                while room := max(0, TASKS_A_SLOT * self.slots - len(sent.running)):
                    if not (wave := list(islice(waiting, min(room, _WAVE)))):
                        break
                    sent.send(wave)
                if not sent.running:
                    return
                yield from sent.ready(_INTERVAL)

    @contextlib.contextmanager
    def pool(self) -> Iterator[ClusterPool]:
        """Open what does tasks under numbers."""
        with contextlib.closing(_Sent(self)) as sent:
            yield ClusterPool(sent, self._task)

    def _task(self, number: int, function: Callable[[Any], Any], task: Any) -> _Task:
        return _Task(number, payload_of(function, task, self._client.id))

    def submit(self, wave: list[_Task]) -> list[Any]:
        """Send tasks to usable workers; return their futures."""
        try:
            futures: list[Any] = self._client.map(
                _RUN_TASK,
                [task.payload for task in wave],
                pure=False,
                workers=list(self.workers.usable()) if self.workers.refused else None,
                # Those that are allowed may all be gone when others come, and Dask would wait.
                allow_other_workers=bool(self.workers.refused),
            )
        except ClosedClientError as error:
            raise self.workers.lost_error() from error
        return futures

    def follow(self, futures: Iterable[Any], answer: Callable[[Any, Any], None]) -> None:
        """Call `answer` with each future and its result or error, in a thread of Dask's."""

        async def wait_for(future: Any) -> None:
            answer(future, *await asyncio.gather(future.result(), return_exceptions=True))

        for future in futures:
            self._client.loop.add_callback(wait_for, future)

    def cancel(self, futures: Iterable[Any]) -> None:
        """Give up tasks, whatever has become of them."""
        # If the scheduler is gone, or another thread has left the cluster, there is nothing to
        # cancel, and the error that ended the work is the one to report.
        with contextlib.suppress(ClosedClientError, RuntimeError, OSError, CancelledError):
            self._client.cancel(list(futures), force=True)

    def result(self, task: _Task, answer: Any) -> tuple[bool, Any]:
        """Return whether a task is done, and its result; otherwise it must be sent again."""
        if isinstance(answer, KilledWorker):
            task.deaths += 1
            if task.deaths == _MOST_DEATHS:
                raise ClusterError(f"a task came to nothing {_MOST_DEATHS} times, lastly: {answer}")
            return False, None
        if isinstance(answer, BaseException):
            lost = isinstance(answer, CancelledError | OSError) or not isinstance(answer, Exception)
            if lost or self._client.status != "running":
                raise self.workers.lost_error() from answer
            raise ClusterError(f"a task has failed: {in_words(answer)}") from answer
        worker, kind, reply, seconds = answer
        if kind == "refused":
            self.workers.refuse(worker, reply)
            return False, None
        if kind == "raised":
            raise pickle.loads(reply)
        if kind != "done":
            raise ClusterError(f"a task has failed on {worker}: {reply}")
        result, notes, keeps = pickle.loads(reply)
        with self._counting:
            self.elsewhere += seconds
            self._keeps_programs |= keeps
            self.workers.tell(worker, notes)
        return True, result


class _Sent:
    """Tasks that a cluster works on; running: by their futures."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.running: dict[Any, _Task] = {}
        self._answers: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        self._seen = time.monotonic()

    def send(self, wave: list[_Task]) -> None:
        futures = self.cluster.submit(wave)
        self.running.update(zip(futures, wave, strict=True))
        self.cluster.follow(futures, lambda *answer: self._answers.put(answer))

    def ready(self, seconds: float) -> Iterator[tuple[int, Any]]:
        """Yield the numbers and results of what ends within `seconds`; the rest is sent again.

        ClusterError where no worker has been usable for _WORKER_TIMEOUT.
        """
        finished = _available(self._answers, seconds)
        if finished or self.cluster.workers.usable():
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > _WORKER_TIMEOUT:
            raise ClusterError(
                f"{self.cluster.address} has had no worker that can be used for "
                f"{_WORKER_TIMEOUT:.0f} seconds"
            )
        for future, answer in finished:
            task = self.running.pop(future)
            done, result = self.cluster.result(task, answer)
            if done:
                yield task.number, result
            else:
                self.send([task])

    def close(self) -> None:
        if self.running:
            self.cluster.cancel(self.running)


@dataclass(frozen=True)
class ClusterPool:
    """Does tasks under numbers on the workers of a cluster, as `ProcessPool` does here.

    A task whose worker dies is given to another one; what a task raises is raised by `ready`.
    """

    sent: _Sent
    task_of: Callable[[int, Callable[[Any], Any], Any], _Task]

    def submit(self, number: int, function: Callable[[Any], Any], task: Any) -> None:
        self.sent.send([self.task_of(number, function, task)])

    def ready(self, seconds: float) -> list[tuple[int, Any]]:
        return list(self.sent.ready(seconds))


def _available(answers: SimpleQueue[tuple[Any, Any]], seconds: float) -> list[tuple[Any, Any]]:
    """All answers that have arrived, so that further tasks are sent together; waits for one."""
    available = []
    with contextlib.suppress(Empty):
        available.append(answers.get(timeout=seconds))
        while True:
            available.append(answers.get_nowait())
    return available
