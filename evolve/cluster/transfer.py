"""Fetch the answers of a cluster's tasks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from distributed import Client
from distributed.utils_comm import gather_from_workers

from evolve.cluster.workers import Workers
from evolve.fitness.answers import WrongAnswerError, in_words

_TOGETHER: Final = 5.0
"""Seconds in which answers that are fetched together must arrive."""


NOTHING: Final = object()
"""Stands for an answer that did not come: a worker may send anything, even None."""


class News(NamedTuple):
    """A task that has ended: its future and its worker's answer; NOTHING if no answer came."""

    number: int
    future: Any
    answer: Any


class _Ended(NamedTuple):
    """A task is done, or has failed."""

    number: int
    future: Any


class _Fetched(NamedTuple):
    """Answers have arrived; `together`: they were fetched together, so the next batch may start."""

    together: bool
    news: list[News]


class Fetching:
    """Fetch the answers of finished tasks.

    All available answers are fetched together, because each request goes through the scheduler to
    a worker and back: one by one, 511 empty tasks took 128 simulated workers 3.8 s. If this machine
    reaches the workers, it fetches directly from them; this reduces the scheduler's share from
    1.3 ms per task to 1.0. But a worker may stop before it has delivered its answer, without any
    notice: answers that do not arrive soon are requested one by one from the scheduler, which knows
    when to give up on a worker.

    `Client.gather` is not used: it merges the requests of all threads, so cancelling one would
    cancel those of others, and five hanging requests would block all further ones.
    """

    def __init__(self, client: Client, workers: Workers) -> None:
        self._client: Any = client
        self._workers = workers
        self._events: SimpleQueue[_Ended | _Fetched] = SimpleQueue()
        self._ready: dict[int, Any] = {}
        """Futures of finished tasks with answers to fetch."""
        self._together = False
        """Whether a batch is being fetched."""
        self._asked: set[Future[None]] = set()

    def watch(self, number: int, future: Any) -> None:
        """Deliver the answer of a task through `news` when it ends."""
        future.add_done_callback(lambda it: self._events.put(_Ended(number, it)))

    def news(self, seconds: float) -> list[News]:
        """Return available news, waiting up to `seconds`; an empty list if there are none."""
        found: list[News] = []
        with contextlib.suppress(Empty):
            found += self._taken(self._events.get(timeout=seconds))
            while True:
                found += self._taken(self._events.get_nowait())
        self._look_after()
        if self._ready and not self._together:
            self._ask()
        return found

    def close(self) -> None:
        """Cancel all requests."""
        for asked in self._asked:
            asked.cancel()

    def _taken(self, event: _Ended | _Fetched) -> list[News]:
        if isinstance(event, _Fetched):
            self._together = self._together and not event.together
            return event.news
        if event.future.status != "finished":
            return [News(event.number, event.future, NOTHING)]
        self._ready[event.number] = event.future
        return []

    def _look_after(self) -> None:
        """Raise the errors of failed requests, which nothing else reports."""
        done = {asked for asked in self._asked if asked.done()}
        self._asked -= done
        try:
            for asked in done:
                asked.result()
        except CancelledError as error:  # the client was closed
            raise self._workers.gone() from error

    def _ask(self) -> None:
        futures, self._ready = self._ready, {}
        coming = self._brought(futures)
        try:
            asked = asyncio.run_coroutine_threadsafe(coming, self._client.loop.asyncio_loop)
        except RuntimeError as error:  # the loop is closed
            coming.close()
            raise self._workers.gone() from error
        self._together = True
        self._asked.add(asked)

    async def _brought(self, futures: Mapping[int, Any]) -> None:
        keys = {number: future.key for number, future in futures.items()}
        fetched = self._of_workers if self._workers.reached else self._of_scheduler
        found: dict[Any, Any] = {}
        # Unreadable answers can raise any exception. Fetched one by one, they show their worker.
        with contextlib.suppress(Exception):
            found = await asyncio.wait_for(fetched(list(keys.values())), _TOGETHER)
        news = [News(n, futures[n], found[key]) for n, key in keys.items() if key in found]
        self._events.put(_Fetched(True, news))
        missed = [n for n, key in keys.items() if key not in found]
        await asyncio.gather(*(self._brought_alone(n, futures[n]) for n in missed))

    async def _brought_alone(self, number: int, future: Any) -> None:
        answer: Any
        try:
            answer = (await self._of_scheduler([future.key])).get(future.key, NOTHING)
        except (OSError, TimeoutError):
            answer = NOTHING
        except Exception as error:  # any exception, as above
            answer = WrongAnswerError(f"its answer cannot be unpacked: {in_words(error)}")
        self._events.put(_Fetched(False, [News(number, future, answer)]))

    async def _of_workers(self, keys: list[Any]) -> dict[Any, Any]:
        places = await self._client.scheduler.who_has(keys=keys)
        found: dict[Any, Any] = (await gather_from_workers(places, rpc=self._client.rpc))[0]
        return found

    async def _of_scheduler(self, keys: list[Any]) -> dict[Any, Any]:
        said = await self._client.scheduler.gather(keys=keys)
        found: dict[Any, Any] = said["data"] if said["status"] == "OK" else {}
        return found
