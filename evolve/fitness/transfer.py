"""Answers of a cluster's tasks on their way here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from distributed import Client
from distributed.utils_comm import gather_from_workers

from evolve.fitness.answers import WrongAnswerError, in_words
from evolve.fitness.workers import Workers

_TOGETHER: Final = 5.0
"""Seconds in which answers that are fetched together must be here."""


NOTHING: Final = object()
"""In place of an answer that did not come: a worker may say anything, None as well."""


class News(NamedTuple):
    """A task that has ended: its future, and what its worker said; NOTHING where nothing came."""

    number: int
    future: Any
    answer: Any


class _Ended(NamedTuple):
    """A task is done, or has failed."""

    number: int
    future: Any


class _Fetched(NamedTuple):
    """Answers are here; `together`: so that others can be fetched now."""

    together: bool
    news: list[News]


class Fetching:
    """Fetches the answers of tasks that are done.

    As many together as there are, for each request goes by the scheduler to a worker and back: one
    by one 511 tasks that do nothing took 128 simulated workers 3.8 s. Where this machine reaches
    the workers, without the scheduler in between, whose part falls from 1.3 ms a task to 1.0. But a
    worker may stop before it has handed over what it did, and nobody would tell us: what does not
    come soon is asked for one by one, of the scheduler, which knows when to give a worker up.

    Not by `Client.gather`: requests of all threads are one there, so that to end one's own would
    end those of others, and five that hang would be all that there can be.
    """

    def __init__(self, client: Client, workers: Workers) -> None:
        self._client: Any = client
        self._workers = workers
        self._events: SimpleQueue[_Ended | _Fetched] = SimpleQueue()
        self._ready: dict[int, Any] = {}
        """Futures of tasks whose answers are to be fetched."""
        self._together = False
        """Whether some are being fetched together."""
        self._asked: set[Future[None]] = set()

    def watch(self, number: int, future: Any) -> None:
        """Bring what comes of a task."""
        future.add_done_callback(lambda it: self._events.put(_Ended(number, it)))

    def news(self, seconds: float) -> list[News]:
        """What there is, or comes in so many seconds; none where that is nothing."""
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
        """Fetch nothing any more."""
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
        """Raise what has ended a request, as nobody else would."""
        done = {asked for asked in self._asked if asked.done()}
        self._asked -= done
        try:
            for asked in done:
                asked.result()
        except CancelledError as error:  # with the client
            raise self._workers.gone() from error

    def _ask(self) -> None:
        futures, self._ready = self._ready, {}
        coming = self._brought(futures)
        try:
            asked = asyncio.run_coroutine_threadsafe(coming, self._client.loop.asyncio_loop)
        except RuntimeError as error:  # it is closed
            coming.close()
            raise self._workers.gone() from error
        self._together = True
        self._asked.add(asked)

    async def _brought(self, futures: Mapping[int, Any]) -> None:
        keys = {number: future.key for number, future in futures.items()}
        fetched = self._of_workers if self._workers.reached else self._of_scheduler
        found: dict[Any, Any] = {}
        # What cannot be unpacked raises anything. One by one it is known whose that is.
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
        except Exception as error:  # anything, as above
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
