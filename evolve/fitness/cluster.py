"""The workers of a Dask cluster as an executor. Needs the extra `cluster`."""

from __future__ import annotations

import builtins
import math
import pickle
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError
from queue import Empty, SimpleQueue
from threading import Lock
from types import FunctionType, TracebackType
from typing import Any, Final, Self, TypeVar

from distributed import Client, KilledWorker, Security

from evolve.errors import ClusterError
from evolve.fitness import errand
from evolve.fitness.executor import BATCH
from evolve.fitness.remote import payload_of
from evolve.fitness.tls import Tls

_ERRAND: Final = FunctionType(errand.errand.__code__, {"__builtins__": builtins}, "errand")
"""The same function as if it stood nowhere: it is pickled with its code and not by the name of its
module, which a worker without evolve would die of."""
_ERRAND.__module__ = "__main__"

T = TypeVar("T")
R = TypeVar("R")

_CONNECT: Final = 10.0
"""Seconds in which a scheduler must answer."""
_LOOK: Final = 1.0
"""Seconds between two looks at whether anybody is still there."""
_WITHOUT: Final = 60.0
"""Seconds without any worker after which the work ends."""
_TRIES: Final = 8
"""Of a task whose worker dies. Dask blames all tasks that waited on a worker that was killed, so
one alone that dies with each is only known after several."""
_AHEAD: Final = 4
"""Tasks that are given out for each slot: the next is there before a worker asks."""


class Cluster:
    """An executor: a client of the scheduler at an address such as `tls://host:8786`.

    threads: those of this machine. told: called with what its user should know, such as a worker
    that is refused because its evolve is another one. ClusterError where the scheduler does not
    answer, or is gone; a run that is ended by it can go on.
    """

    def __init__(
        self,
        address: str,
        *,
        tls: Tls | None = None,
        threads: int = 1,
        told: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.address, self.threads, self._told = address, threads, told
        self.elsewhere = 0.0
        self._counting = Lock()
        self._refused: dict[str, str] = {}
        self._workers: dict[str, int] = {}
        self._asked = -math.inf
        """When the scheduler was last asked who is there."""
        self._seen = 0.0
        """When a worker was last known to be there."""
        security = None if tls is None else _security(tls)
        try:
            self._client: Any = Client(
                address, security=security, set_as_default=False, timeout=_CONNECT, name="evolve"
            )
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            raise ClusterError(f"no scheduler answers at {address}: {_reason(error)}") from error

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
        return max(1, sum(self._threads_by_worker().values()))

    def _threads_by_worker(self) -> dict[str, int]:
        """Of workers that can be used, as of a second ago at most."""
        if time.monotonic() - self._asked > _LOOK:
            if self._client.status != "running":
                raise self._gone()
            try:
                self._workers = self._client.nthreads()
            except (OSError, TimeoutError) as error:
                raise self._gone() from error
            self._asked = time.monotonic()
        return {
            place: count for place, count in self._workers.items() if place not in self._refused
        }

    def games(self, count: int) -> int:
        """See Executor: a task costs a millisecond of the scheduler."""
        share = count // (_AHEAD * self.slots)
        return max(BATCH, share - share % 2)

    def run(
        self, function: Callable[[T], R], tasks: Iterable[T]
    ) -> Generator[tuple[int, R], None, None]:
        """See Executor."""
        ended: SimpleQueue[tuple[int, Any]] = SimpleQueue()
        self._seen = time.monotonic()
        begun: dict[int, _Begun] = {}
        numbered = enumerate(tasks)
        exhausted = False
        try:
            while True:
                most = _AHEAD * self.slots
                while not exhausted and len(begun) < most:
                    try:
                        number, task = next(numbered)
                    except StopIteration:
                        exhausted = True
                    else:
                        begun[number] = _Begun(payload_of(function, task))
                        self._submit(number, begun[number], ended)
                if not begun:
                    return
                try:
                    number, future = ended.get(timeout=_LOOK)
                except Empty:
                    self._look()
                    continue
                self._seen = time.monotonic()
                known = begun.get(number)
                if known is None or known.future is not future:
                    continue
                answer = self._answer(number, known, ended)
                if answer is not None:
                    del begun[number]
                    yield number, pickle.loads(answer)
        finally:
            self._client.cancel([one.future for one in begun.values()], force=True)

    def _submit(self, number: int, task: _Begun, ended: SimpleQueue[tuple[int, Any]]) -> None:
        places = list(self._threads_by_worker()) if self._refused else None
        task.future = self._client.submit(_ERRAND, task.payload, pure=False, workers=places or None)
        task.future.add_done_callback(lambda future: ended.put((number, future)))

    def _answer(
        self, number: int, task: _Begun, ended: SimpleQueue[tuple[int, Any]]
    ) -> bytes | None:
        """What came of a task; None where it is done again, elsewhere."""
        try:
            place, kind, answer, seconds = task.future.result()
        except KilledWorker as error:
            task.tries += 1
            if task.tries == _TRIES:
                raise ClusterError(f"workers die of a task, {_TRIES} of them: {error}") from error
            self._submit(number, task, ended)
            return None
        except (OSError, TimeoutError, CancelledError) as error:
            raise self._gone() from error
        if kind == "refused":
            if place not in self._refused:
                self._refused[place] = answer
                self._told(f"worker {place} is left out: {answer}")
            if not self._threads_by_worker():
                raise ClusterError(f"no worker can be used; {place}: {answer}")
            self._submit(number, task, ended)
            return None
        with self._counting:
            self.elsewhere += seconds
        found: bytes = answer
        return found

    def _look(self) -> None:
        """Raise ClusterError where nobody is left to wait for."""
        now = time.monotonic()
        if self._threads_by_worker():
            self._seen = now
        elif now - self._seen > _WITHOUT:
            raise ClusterError(
                f"{self.address} has had no worker that can be used for {_WITHOUT:.0f} seconds"
            )

    def _gone(self) -> ClusterError:
        return ClusterError(f"the scheduler at {self.address} is gone")


class _Begun:
    """A task that is given out."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self.future: Any = None
        self.tries = 0


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
