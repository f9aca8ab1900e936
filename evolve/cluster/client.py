"""Use the workers of a Dask cluster as an executor. Needs the extra `cluster`."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from distributed import Client, KilledWorker, Security
from distributed.client import ClosedClientError

from evolve.cluster.worker_tasks import by_value, payload_of, run_task
from evolve.cluster.workers import MOST_WORKERS, Patience, Workers
from evolve.errors import ClusterError
from evolve.fitness.executor import (
    FAILED,
    RAISED,
    REFUSED,
    TASKS_A_SLOT,
    Check,
    Reply,
    WrongAnswerError,
    in_words,
    raised,
    reply_of,
    task_size,
    unpacked,
)

_RUN_TASK: Final = by_value(run_task)

T = TypeVar("T")
R = TypeVar("R")

_CONNECT: Final = 10.0
"""Seconds in which a scheduler must answer."""
_LOOK: Final = 1.0
"""Seconds without an answer after which the client checks for workers."""
_WITHOUT: Final = 60.0
"""Seconds without any usable worker after which the work ends."""
_WAVE: Final = 4 << 20
"""Approximate bytes of tasks sent to the scheduler at once: above ten million it warns. For 128
simulated workers, a task costs it 2.1 to 2.7 ms if sent one by one, and 1.2 to 1.3 ms together."""
_CLOSED: Final = (ClosedClientError, RuntimeError, OSError, TimeoutError, CancelledError)
"""Errors that Dask raises if the client is closed or the scheduler is gone."""
_TRIES: Final = 8
"""Tries for a task if its worker dies. Dask blames all tasks that waited on a killed worker, so it
takes several tries to find the one task that kills every worker. Dask's `retries` do not count dead
workers, but errors that leave a task, and none does here."""
_TOGETHER: Final = 5.0
"""Seconds in which Dask must fetch the answer of a finished task."""
_NOTHING: Final = object()
"""Stands for an answer that did not come: a worker may send anything, even None."""
_FAILURES: Final = 3
"""Tries for a task that raises a non-evolve error: a worker may lack memory or disk space."""


class _Client(Client):
    """A client that closes itself if it cannot start.

    Dask closes such a client at garbage collection, in any thread. If another client was starting
    in that thread, the close waited for a lock that the starting client held, and the start failed
    after 10 s with an AssertionError.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        try:
            super().__init__(*arguments, **options)
        except BaseException:
            self.close()
            raise


class Cluster:
    """An executor: a client of the scheduler at an address such as `tls://host:8786`.

    security: Dask's, where traffic is encrypted. threads: number of threads of this machine.
    report: called with messages about the workers for the user, see `Workers`. Raises ClusterError
    if the scheduler does not answer or is gone; a run that ends this way can be resumed.
    """

    def __init__(
        self,
        address: str,
        *,
        security: Security | None = None,
        threads: int = 1,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.address, self.threads = address, threads
        self.elsewhere = 0.0
        self._counting = Lock()
        self._seen = 0.0
        """When a worker was last known to be available."""
        self._patience = Patience()
        self._owed: dict[Any, str] = {}
        """Futures of tasks that were given to other workers, and the late workers that still have
        them."""
        try:
            self._client: Any = _Client(
                address, security=security, set_as_default=False, timeout=_CONNECT, name="evolve"
            )
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise ClusterError(f"no scheduler answers at {address}: {_reason(error)}") from error
        self.workers = Workers(self._client, address, report)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close(timeout=2)

    @property
    def slots(self) -> int:
        """Threads of all workers that are available now."""
        return max(1, sum((self.workers.free() or self.workers.usable()).values()))

    def games(self, count: int, seconds: float = math.inf) -> int:
        """See Executor: a task costs a millisecond of the scheduler."""
        return task_size(count, self.slots)

    def run(
        self, function: Callable[[T], R], tasks: Iterable[T], check: Check[T] | None = None
    ) -> Generator[tuple[int, R], None, None]:
        """See Executor. Exclude workers with invalid answers; send late tasks to another worker.

        `Patience` says when a task is late.
        """
        waiting = (
            (number, _Task(function, task, check, payload_of(function, task)))
            for number, task in enumerate(tasks)
        )
        begun: dict[int, _Task] = {}
        looked = self._seen = time.monotonic()
        answers = _Answers(self._client)
        try:
            while True:
                while wave := _wave(waiting, TASKS_A_SLOT * self.slots - len(begun)):
                    begun |= wave
                    self._submit(wave, answers)
                if not begun:
                    return
                came = answers.wait(_LOOK)
                if came:
                    self._seen = time.monotonic()
                else:
                    self._look()
                for number, future, found in came:
                    task = begun.get(number)
                    if task is None or future not in task.futures:
                        continue
                    result = self._result(task, future, found)
                    if result:
                        del begun[number]
                        self._cancel(task.futures)
                        yield number, result[0]
                    elif not task.futures:
                        self._submit({number: task}, answers)
                if time.monotonic() - looked > _LOOK:
                    looked = time.monotonic()
                    self._look_for_late_ones(begun, answers)
        finally:
            self._cancel([one for task in begun.values() for one in task.futures])

    def _submit(self, wave: Mapping[int, _Task], answers: _Answers) -> None:
        there = self.workers.usable()
        places = list(self.workers.free() or there)
        payloads = [task.payload for task in wave.values()]
        try:
            futures = self._client.map(
                _RUN_TASK,
                payloads,
                pure=False,
                workers=places if len(places) < len(there) or self.workers.refused else None,
            )
        except ClosedClientError as error:
            raise self.workers.gone() from error
        for (number, task), future in zip(wave.items(), futures, strict=True):
            task.futures.append(future)
            task.places, task.since = places, time.monotonic()
            answers.follow(number, future)

    def _cancel(self, futures: Iterable[Any]) -> None:
        """Cancel tasks that nobody waits for, except late ones.

        If a late task were cancelled, Dask would consider its worker free and send it more tasks.
        """
        with self._counting:
            unwanted = [one for one in futures if one not in self._owed]
        # If the scheduler is gone, or another thread has left the cluster, there is nothing to
        # cancel, and the error that ended the work is the one to report.
        with contextlib.suppress(*_CLOSED):
            if unwanted:
                self._client.cancel(unwanted, force=True)

    def _result(self, task: _Task, future: Any, found: Any) -> list[Any]:
        """Return a list with the result of a task; an empty list if the task must be repeated."""
        task.futures.remove(future)
        if found is _NOTHING:
            why = self._failure(future)
            task.try_again(_TRIES, f"a task came to nothing {_TRIES} times, lastly: {why}")
            return []
        said = None
        try:
            if isinstance(found, WrongAnswerError):
                raise found
            reply = reply_of(found, time.monotonic() - task.begun)
            said = reply.place
            return self._taken(task, future, reply)
        except WrongAnswerError as error:
            why = str(error)
        place = self._holder(future, said)
        task.try_again(_TRIES, f"{_TRIES} workers have answered a task wrongly; {place}: {why}")
        self.workers.refuse(place, why)
        return []

    def _taken(self, task: _Task, future: Any, reply: Reply) -> list[Any]:
        """Return the result in a reply, as `_result` does; WrongAnswerError if it is invalid."""
        if reply.kind == REFUSED:
            self.workers.refuse(self._holder(future, reply.place), reply.answer)
            return []
        if reply.kind == FAILED:
            why = f"{self._holder(future, reply.place)}: {reply.answer}"
            task.try_again(_FAILURES, f"a task has failed {_FAILURES} times, lastly on {why}")
            return []
        if reply.place in self.workers.refused:  # because of another task, in the meantime
            return []
        if reply.kind == RAISED:
            raise raised(reply.answer)
        answer = unpacked(reply.answer)
        if task.check is not None:
            task.check(task.task, answer)
        self._patience.heard(task.function, reply.place, task.begun)
        with self._counting:
            self.elsewhere += reply.seconds
        return [answer]

    def _holder(self, future: Any, said: str | None) -> str:
        """Return the worker that holds a future's answer, according to the scheduler."""
        with contextlib.suppress(*_CLOSED):
            holders = self._client.who_has([future]).get(future.key)
            if holders:
                return str(holders[0])
        return said if said in self.workers.usable() else "a worker"

    def _failure(self, future: Any) -> str:
        """Return why a task has no result: its worker died, or its answer cannot be read here."""
        if future.status not in ("error", "cancelled"):
            return "its worker was gone before its answer was here"
        try:
            error = future.exception()
        except Exception as unread:  # any kind: it comes from another machine
            error = unread
        if self._client.status != "running" or isinstance(error, CancelledError):
            raise self.workers.gone() from error
        return str(error) if isinstance(error, KilledWorker) else in_words(error)

    def _look_for_late_ones(self, begun: Mapping[int, _Task], answers: _Answers) -> None:
        """Give tasks to other workers if live workers have had them for too long."""
        now = time.monotonic()

        def limit(task: _Task) -> float:
            return self._patience.limit(task.function, task.late)

        late = {n: task for n, task in begun.items() if now - task.since > limit(task)}
        if not late:
            return
        try:
            found = self._client.processing()
        except (AttributeError, *_CLOSED) as error:
            raise self.workers.gone() from error
        there = {key: place for place, keys in found.items() for key in keys}
        for number, task in late.items():
            places = [there[one.key] for one in task.futures if one.key in there]
            if not places:  # no worker has started it
                task.since = now
                if not self.workers.usable().keys() & set(task.places):  # and none of them will
                    self._submit({number: task}, answers)
                continue
            task.since = self._patience.since(places[-1], task.since)
            if now - task.since > limit(task):
                self._give_to_another(number, task, places[-1], answers)

    def _give_to_another(self, number: int, task: _Task, place: str, answers: _Answers) -> None:
        """Give a task to another worker; the first answer counts."""
        waited, longest = time.monotonic() - task.since, self._patience.longest(task.function)
        before = "none has ended yet" if longest is None else f"the longest took {longest:.1f}"
        why = f"{waited:.0f} seconds for a task; {before}"
        task.late += 1
        if task.late == MOST_WORKERS:
            raise ClusterError(f"{MOST_WORKERS} times no worker answered in time; {place}: {why}")
        task.since = time.monotonic()
        self.workers.set_aside(place, f"it has taken {why}")
        with self._counting:
            self._owed |= dict.fromkeys(task.futures, place)
        for future in task.futures:
            future.add_done_callback(self._paid)
        if self.workers.free():
            self._submit({number: task}, answers)

    def _paid(self, future: Any) -> None:
        """Use a late worker again: it has answered, or is gone."""
        with self._counting:
            place = self._owed.pop(future, None)
            free = place not in self._owed.values()
        if place is not None and free:
            self.workers.take_back(place)

    def _look(self) -> None:
        """Raise ClusterError if there has been no usable worker for too long."""
        now = time.monotonic()
        if self.workers.usable():
            self._seen = now
        elif now - self._seen > _WITHOUT:
            raise ClusterError(
                f"{self.address} has had no worker that can be used for {_WITHOUT:.0f} seconds"
            )


class _Answers:
    """The answers of tasks, as Dask fetches them by way of the scheduler.

    Dask fetches together what is ready together, and has an answer computed again that is lost with
    its worker. An answer that it does not bring is fetched alone: its worker hangs, or another
    answer that was fetched with it cannot be unpickled; so neither holds up others.
    `as_completed(with_results=True)` is as fast (31 times as fast as one worker with 32 simulated
    ones, 99 with 128), but loses tasks where one answer cannot be unpickled, and never ends.
    Fetching from the workers themselves took a third of the scheduler's CPU off a task with 128 of
    them, but there Dask waits for ever for a worker that hangs.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._queue: SimpleQueue[tuple[int, Any, Any]] = SimpleQueue()

    def follow(self, number: int, future: Any) -> None:
        """Deliver the answer of a task through `wait`, or _NOTHING if it has none."""
        self._client.loop.add_callback(self._follow, number, future)

    def wait(self, seconds: float) -> list[tuple[int, Any, Any]]:
        """Return numbers, futures and answers that are here; wait up to `seconds` for the first."""
        came = []
        with contextlib.suppress(Empty):
            came.append(self._queue.get(timeout=seconds))
            while True:
                came.append(self._queue.get_nowait())
        return came

    async def _follow(self, number: int, future: Any) -> None:
        answer: Any = _NOTHING
        gathered = asyncio.gather(future.result(), return_exceptions=True)
        while answer is _NOTHING and not gathered.done():
            await asyncio.wait([gathered], timeout=_TOGETHER)
            if future.status == "finished" and not gathered.done():
                answer = await self._alone(future)
        if answer is _NOTHING:
            [answer] = gathered.result()
            if isinstance(answer, BaseException):
                answer = await self._alone(future) if future.status == "finished" else _NOTHING
        self._queue.put((number, future, answer))

    async def _alone(self, future: Any) -> Any:
        try:
            said = await self._client.scheduler.gather(keys=[future.key])
        except (OSError, TimeoutError):
            return _NOTHING
        except Exception as error:  # unreadable answers can raise any exception
            return WrongAnswerError(f"its answer cannot be unpacked: {in_words(error)}")
        return said["data"].get(future.key, _NOTHING) if said["status"] == "OK" else _NOTHING


class _Task:
    """A task that is sent to workers, or about to be.

    futures: one for each time it was sent and may still be answered; places: the workers of the
    last time; begun: when it was first sent; since: when it last went to a worker that may have
    been free; late: number of workers that had it for too long.
    """

    def __init__(
        self, function: Callable[..., Any], task: Any, check: Check[Any] | None, payload: bytes
    ) -> None:
        self.function, self.task, self.check, self.payload = function, task, check, payload
        self.futures: list[Any] = []
        self.places: list[str] = []
        self.begun = self.since = time.monotonic()
        self.late = 0
        self._tries: dict[int, int] = {}

    def try_again(self, most: int, why: str) -> None:
        """Count a try; raises ClusterError with the message `why` if it was number `most`."""
        self._tries[most] = self._tries.get(most, 0) + 1
        if self._tries[most] == most:
            raise ClusterError(why)


def _wave(tasks: Iterator[tuple[int, _Task]], room: int) -> dict[int, _Task]:
    """Return the next tasks to send to the scheduler together, at most `room` of them."""
    wave, size = {}, 0
    for number, task in islice(tasks, max(0, room)):
        wave[number] = task
        size += len(task.payload)
        if size >= _WAVE:
            break
    return wave


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
