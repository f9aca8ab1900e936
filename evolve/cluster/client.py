"""Use the workers of a Dask cluster as an executor. Needs the extra `cluster`."""

from __future__ import annotations

import asyncio
import contextlib
import math
import pickle
import time
from collections.abc import Callable, Generator, Iterable
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

_RUN_TASK: Final = by_value(run_task)

_CONNECT: Final = 10.0
"""Seconds in which a scheduler must answer."""
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

    def __init__(
        self, address: str, *, threads: int = 1, report: Callable[[str], None] = lambda text: None
    ) -> None:
        super().__init__(threads)
        self.address = address
        self._counting = Lock()
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
        self._client.close(timeout=2)

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
        waiting = (_Task(n, payload_of(function, task)) for n, task in enumerate(tasks))
        running: dict[Any, _Task] = {}
        answers: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        seen = time.monotonic()
        try:
            while True:
                while room := max(0, TASKS_A_SLOT * self.slots - len(running)):
                    if not (wave := list(islice(waiting, min(room, _WAVE)))):
                        break
                    self._submit(wave, running, answers)
                if not running:
                    return
                if not (finished := _available(answers)):
                    if self.workers.usable():
                        seen = time.monotonic()
                    elif time.monotonic() - seen > _WORKER_TIMEOUT:
                        raise ClusterError(
                            f"{self.address} has had no worker that can be used for "
                            f"{_WORKER_TIMEOUT:.0f} seconds"
                        )
                    continue
                seen = time.monotonic()
                for future, answer in finished:
                    task = running.pop(future)
                    done, result = self._result(task, answer)
                    if done:
                        yield task.number, result
                    else:
                        self._submit([task], running, answers)
        finally:
            # If the scheduler is gone, or another thread has left the cluster, there is nothing to
            # cancel, and the error that ended the work is the one to report.
            with contextlib.suppress(ClosedClientError, RuntimeError, OSError, CancelledError):
                if running:
                    self._client.cancel(list(running), force=True)

    def _submit(
        self, wave: list[_Task], running: dict[Any, _Task], answers: SimpleQueue[tuple[Any, Any]]
    ) -> None:
        try:
            futures = self._client.map(
                _RUN_TASK,
                [task.payload for task in wave],
                pure=False,
                workers=list(self.workers.usable()) if self.workers.refused else None,
                # Those that are allowed may all be gone when others come, and Dask would wait.
                allow_other_workers=bool(self.workers.refused),
            )
        except ClosedClientError as error:
            raise self.workers.lost_error() from error
        running.update(zip(futures, wave, strict=True))

        async def follow(future: Any) -> None:
            answers.put((future, *await asyncio.gather(future.result(), return_exceptions=True)))

        for future in futures:
            self._client.loop.add_callback(follow, future)

    def _result(self, task: _Task, answer: Any) -> tuple[bool, Any]:
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
        with self._counting:
            self.elsewhere += seconds
        return True, pickle.loads(reply)


def _available(answers: SimpleQueue[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """All answers that have arrived, so that further tasks are sent together; waits for one."""
    available = []
    with contextlib.suppress(Empty):
        available.append(answers.get(timeout=_INTERVAL))
        while True:
            available.append(answers.get_nowait())
    return available
