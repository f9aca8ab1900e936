"""The workers of a Dask cluster as an executor. Needs the extra `cluster`."""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import CancelledError
from dataclasses import astuple, dataclass
from queue import Empty, SimpleQueue
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from distributed import Client, KilledWorker, Security

from evolve.errors import ClusterError
from evolve.fitness import errand
from evolve.fitness.errand import whole
from evolve.fitness.executor import TASKS_A_SLOT, task_size
from evolve.fitness.remote import Make, payload_of
from evolve.fitness.tls import Tls
from evolve.text import count_of

_ERRAND: Final = whole(errand.errand)
_FACTS: Final = whole(errand.facts)

T = TypeVar("T")
R = TypeVar("R")

_ANSWER: Final = 30.0
"""Seconds in which a worker must say what it is: loading evolve takes some of them."""
_CONNECT: Final = 10.0
"""Seconds in which a scheduler must answer."""
_LOOK: Final = 1.0
"""Seconds between two looks at whether anybody is still there."""
_LOOK_FOR_SILENCE: Final = 5.0
"""Seconds between two looks at whom the scheduler hears: its answer grows with the workers."""
_SILENCE: Final = 15.0
"""Seconds after which a worker is told of that it does not hear; it hears from them every half
second, of a thousand every six."""
_WITHOUT: Final = 60.0
"""Seconds without any worker after which the work ends."""
_WAVE: Final = 4 << 20
"""Bytes of tasks that go to the scheduler at once, about: over ten million it warns. One by one the
tasks of 128 simulated workers cost it 2.1 to 2.7 ms each, together 1.2 to 1.3."""
_TRIES: Final = 8
"""Of a task whose worker dies. Dask blames all tasks that waited on a worker that was killed, so
one alone that dies with each is only known after several."""


@dataclass(frozen=True)
class WorkerFacts:
    """A worker: its threads, bytes of memory (0: no limit), why it is left out, None where it can
    be used, and facts of its machine as it tells them."""

    address: str
    slots: int
    memory: int
    why: str | None
    facts: Mapping[str, Any]


class Cluster:
    """An executor: a client of the scheduler at an address such as `tls://host:8786`.

    threads: those of this machine. told: called with what its user should know: workers that come,
    go, are not heard, or are refused because their evolve is another one. ClusterError where the
    scheduler does not answer, or is gone; a run that is ended by it can go on.
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
        self._asked = self._heard = -math.inf
        """When the scheduler was last asked who is there, and whom it hears."""
        self._last_heard: dict[str, tuple[float, float]] = {}
        """What it noted of each worker, by its own clock, and since when that is so, by ours."""
        self._silent: set[str] = set()
        """Workers that are told of as not heard."""
        self._looking = Lock()
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
        with self._looking:
            if time.monotonic() - self._asked > _LOOK:
                if self._client.status != "running":
                    raise self._gone()
                try:
                    self._tell_changes(self._client.nthreads())
                except (OSError, TimeoutError) as error:
                    raise self._gone() from error
                self._asked = time.monotonic()
        return {
            place: count for place, count in self._workers.items() if place not in self._refused
        }

    def _tell_changes(self, workers: dict[str, int]) -> None:
        """Keep who is there, and tell who came, who is gone and who is not heard any more."""
        before, self._workers = self._workers, workers
        if self._asked > -math.inf:
            for place in sorted(set(workers) - set(before)):
                self._told(f"worker {place} is there, {count_of(workers[place], 'slot')}")
            for place in sorted(set(before) - set(workers)):
                self._told(f"worker {place} is gone; others play its games")
        if time.monotonic() - self._heard >= _LOOK_FOR_SILENCE:
            self._heard = time.monotonic()
            self._tell_silence(self._client.scheduler_info(n_workers=-1)["workers"])

    def _tell_silence(self, workers: Mapping[str, Any]) -> None:
        """Tell whom the scheduler has not heard for long; its clock may be another one than ours,
        so that what counts is when its note of a worker last changed."""
        now, before = time.monotonic(), self._last_heard
        self._last_heard = {}
        for place, worker in workers.items():
            seen, since = before.get(place, (None, now))
            if seen != worker["last_seen"]:
                since = now
                if place in self._silent:
                    self._silent.remove(place)
                    self._told(f"worker {place} is heard again")
            elif now - since > _SILENCE and place not in self._silent:
                self._silent.add(place)
                self._told(f"worker {place} has not been heard for {now - since:.0f} seconds")
            self._last_heard[place] = worker["last_seen"], since

    def workers(self) -> list[WorkerFacts]:
        """Who is there, by address; those that do not answer soon as well."""
        there = self._client.scheduler_info(n_workers=-1)["workers"]
        asked = {
            place: self._client.submit(_FACTS, pure=False, workers=[place], priority=1)
            for place in there
        }
        end = time.monotonic() + _ANSWER
        mine = astuple(Make.here())
        found = []
        for place in sorted(there):
            try:
                facts = asked[place].result(timeout=max(0.1, end - time.monotonic()))
            except (OSError, TimeoutError, CancelledError, KilledWorker):
                facts = {"why": f"it has not answered for {_ANSWER:.0f} seconds"}
            make = facts.pop("make", None)
            why = facts.pop("why", None)
            if make is not None and make != mine:
                why = f"it has {Make(*make)}, not {Make(*mine)}"
            worker = there[place]
            found.append(WorkerFacts(place, worker["nthreads"], worker["memory_limit"], why, facts))
        self._client.cancel(list(asked.values()), force=True)
        return found

    def games(self, count: int) -> int:
        """See Executor: a task costs a millisecond of the scheduler."""
        return task_size(count, self.slots)

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
                most = TASKS_A_SLOT * self.slots
                while not exhausted and len(begun) < most:
                    wave: dict[int, _Begun] = {}
                    size = 0
                    while len(begun) + len(wave) < most and size < _WAVE:
                        try:
                            number, task = next(numbered)
                        except StopIteration:
                            exhausted = True
                            break
                        wave[number] = _Begun(payload_of(function, task))
                        size += len(wave[number].payload)
                    begun |= wave
                    self._submit(wave, ended)
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

    def _submit(self, wave: Mapping[int, _Begun], ended: SimpleQueue[tuple[int, Any]]) -> None:
        if not wave:
            return
        places = list(self._threads_by_worker()) if self._refused else None
        payloads = [task.payload for task in wave.values()]
        futures = self._client.map(_ERRAND, payloads, pure=False, workers=places or None)
        for (number, task), future in zip(wave.items(), futures, strict=True):
            task.future = future
            future.add_done_callback(lambda done, number=number: ended.put((number, done)))

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
            self._submit({number: task}, ended)
            return None
        except (OSError, TimeoutError, CancelledError) as error:
            raise self._gone() from error
        if kind == "refused":
            if place not in self._refused:
                self._refused[place] = answer
                self._told(f"worker {place} is left out: {answer}")
            if not self._threads_by_worker():
                raise ClusterError(f"no worker can be used; {place}: {answer}")
            self._submit({number: task}, ended)
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
