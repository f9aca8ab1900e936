"""The workers of a Dask cluster as an executor. Needs the extra `cluster`."""

from __future__ import annotations

import contextlib
import pickle
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from itertools import islice
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from distributed import Client, KilledWorker, Security
from distributed.client import ClosedClientError

from evolve.errors import ClusterError
from evolve.fitness import errand
from evolve.fitness.errand import whole
from evolve.fitness.executor import TASKS_A_SLOT, task_size
from evolve.fitness.fetching import Fetching
from evolve.fitness.remote import payload_of
from evolve.fitness.roster import Roster
from evolve.fitness.tls import Tls

_ERRAND: Final = whole(errand.errand)

T = TypeVar("T")
R = TypeVar("R")

_CONNECT: Final = 10.0
"""Seconds in which a scheduler must answer."""
_LOOK: Final = 1.0
"""Seconds without an answer after which it is looked whether anybody is still there."""
_WITHOUT: Final = 60.0
"""Seconds without any worker after which the work ends."""
_WAVE: Final = 4 << 20
"""Bytes of tasks that go to the scheduler at once, about: over ten million it warns. One by one the
tasks of 128 simulated workers cost it 2.1 to 2.7 ms each, together 1.2 to 1.3."""
_CLOSED: Final = (ClosedClientError, RuntimeError, OSError, TimeoutError, CancelledError)
"""What Dask raises of a client that is closed, or of a scheduler that is gone."""
_TRIES: Final = 8
"""Of a task whose worker dies. Dask blames all tasks that waited on a worker that was killed, so
one alone that dies with each is only known after several."""


class Cluster:
    """An executor: a client of the scheduler at an address such as `tls://host:8786`.

    threads: those of this machine. told: called with what its user should know of the workers, see
    `Roster`. ClusterError where the scheduler does not answer, or is gone; a run that is ended by
    it can go on.
    """

    def __init__(
        self,
        address: str,
        *,
        tls: Tls | None = None,
        threads: int = 1,
        told: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.address, self.threads = address, threads
        self.elsewhere = 0.0
        self._counting = Lock()
        self._seen = 0.0
        """When a worker was last known to be there."""
        security = None if tls is None else _security(tls)
        try:
            self._client: Any = Client(
                address, security=security, set_as_default=False, timeout=_CONNECT, name="evolve"
            )
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise ClusterError(f"no scheduler answers at {address}: {_reason(error)}") from error
        self.roster = Roster(self._client, address, told)

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
        """Threads of all workers that are there now."""
        return max(1, sum(self.roster.usable().values()))

    def games(self, count: int) -> int:
        """See Executor: a task costs a millisecond of the scheduler."""
        return task_size(count, self.slots)

    def run(
        self, function: Callable[[T], R], tasks: Iterable[T]
    ) -> Generator[tuple[int, R], None, None]:
        """See Executor."""
        waiting = ((number, _Task(payload_of(function, task))) for number, task in enumerate(tasks))
        begun: dict[int, _Task] = {}
        self._seen = time.monotonic()
        fetching = Fetching(self._client, self.roster)
        try:
            while True:
                while wave := _wave(waiting, TASKS_A_SLOT * self.slots - len(begun)):
                    begun |= wave
                    self._submit(wave, fetching)
                if not begun:
                    return
                news = fetching.news(_LOOK)
                if news:
                    self._seen = time.monotonic()
                else:
                    self._look()
                for number, future, found in news:
                    task = begun.get(number)
                    if task is None or task.future is not future:
                        continue
                    answer = self._answer(number, task, found, fetching)
                    if answer is not None:
                        del begun[number]
                        yield number, pickle.loads(answer)
        finally:
            fetching.close()
            # Once the scheduler is gone, or another thread has left the cluster, nothing is left to
            # cancel, and what ended this is what should be told.
            with contextlib.suppress(*_CLOSED):
                self._client.cancel([one.future for one in begun.values()], force=True)

    def _submit(self, wave: Mapping[int, _Task], fetching: Fetching) -> None:
        places = list(self.roster.usable()) if self.roster.refused else None
        payloads = [task.payload for task in wave.values()]
        try:
            futures = self._client.map(_ERRAND, payloads, pure=False, workers=places or None)
        except ClosedClientError as error:
            raise self.roster.gone() from error
        for (number, task), future in zip(wave.items(), futures, strict=True):
            task.future = future
            fetching.watch(number, future)

    def _answer(self, number: int, task: _Task, found: Any, fetching: Fetching) -> bytes | None:
        """What came of a task; None where it is done again, elsewhere."""
        if found is None:
            why = self._failure(task)
            task.tries += 1
            if task.tries == _TRIES:
                raise ClusterError(f"workers die of a task, {_TRIES} of them: {why}")
            self._submit({number: task}, fetching)
            return None
        place, kind, answer, seconds = found
        if kind == "refused":
            self.roster.refuse(place, answer)
            self._submit({number: task}, fetching)
            return None
        with self._counting:
            self.elsewhere += seconds
        packed: bytes = answer
        return packed

    def _failure(self, task: _Task) -> str:
        """Why nothing came of a task that is worth another try; what it has raised is raised."""
        if task.future.status not in ("error", "cancelled"):
            return "its worker was gone before its answer was here"
        try:
            task.future.result()
        except KilledWorker as error:
            return str(error)
        except (OSError, TimeoutError, CancelledError) as error:
            raise self.roster.gone() from error
        raise AssertionError(f"a task with an {task.future.status} has none")

    def _look(self) -> None:
        """Raise ClusterError where nobody is left to wait for."""
        now = time.monotonic()
        if self.roster.usable():
            self._seen = now
        elif now - self._seen > _WITHOUT:
            raise ClusterError(
                f"{self.address} has had no worker that can be used for {_WITHOUT:.0f} seconds"
            )


class _Task:
    """One that is given out, or about to be."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self.future: Any = None
        self.tries = 0


def _wave(tasks: Iterator[tuple[int, _Task]], room: int) -> dict[int, _Task]:
    """The next tasks that go to the scheduler at once; none where there is no room for any."""
    wave, size = {}, 0
    for number, task in islice(tasks, max(0, room)):
        wave[number] = task
        size += len(task.payload)
        if size >= _WAVE:
            break
    return wave


def _security(tls: Tls) -> Security:
    """As Dask has it: nothing goes unencrypted."""
    return Security(
        require_encryption=True,
        tls_ca_file=str(tls.ca),
        tls_client_cert=str(tls.cert),
        tls_client_key=str(tls.key),
    )


def _reason(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
