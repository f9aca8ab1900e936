"""Answers of a cluster's tasks on their way here."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from distributed import Client

from evolve.fitness.roster import Roster

_TOGETHER: Final = 5.0
"""Seconds in which answers that are fetched together must be here."""


class News(NamedTuple):
    """What is known of a task: its future, and what the worker said, None where it failed."""

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
    come soon is asked for one by one, of the scheduler. It knows when to give a worker up, and lets
    others do its tasks again; meanwhile the other answers come.
    """

    def __init__(self, client: Client, roster: Roster) -> None:
        self._client: Any = client
        self._roster = roster
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
        try:
            event = self._events.get(timeout=seconds)
            while True:
                found += self._taken(event)
                event = self._events.get_nowait()
        except Empty:
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
            # Nothing is asked: a scheduler that is gone would be waited for.
            return [News(event.number, event.future, None)]
        self._ready[event.number] = event.future
        return []

    def _ask(self) -> None:
        futures, self._ready = self._ready, {}
        loop = self._client.loop.asyncio_loop
        coming = self._brought(futures)
        try:
            asked = asyncio.run_coroutine_threadsafe(coming, loop)
        except RuntimeError as error:  # it is closed
            coming.close()
            raise self._roster.gone() from error
        self._together = True
        self._asked = {one for one in self._asked if not one.done()} | {asked}

    async def _brought(self, futures: Mapping[int, Any]) -> None:
        direct = self._roster.reached or None
        try:
            found = await asyncio.wait_for(self._gathered(futures, direct), _TOGETHER)
        except (OSError, TimeoutError):
            self._events.put(_Fetched(True, []))
            await asyncio.gather(*(self._brought_alone(*one) for one in futures.items()))
        else:
            news = [News(number, one, found.get(number)) for number, one in futures.items()]
            self._events.put(_Fetched(True, news))

    async def _brought_alone(self, number: int, future: Any) -> None:
        found: dict[int, Any] = {}
        with contextlib.suppress(OSError, TimeoutError):  # then nothing is found
            found = await self._gathered({number: future}, False)
        self._events.put(_Fetched(False, [News(number, future, found.get(number))]))

    async def _gathered(self, futures: Mapping[int, Any], direct: bool | None) -> dict[int, Any]:
        found: dict[int, Any] = await self._client.gather(
            futures, errors="skip", direct=direct, asynchronous=True
        )
        return found
