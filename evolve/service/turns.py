"""Takes turns where few things can be done at once, so that no client holds the others up."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final

from evolve.service.problems import ProblemError

CLIENT: Final[ContextVar[str]] = ContextVar("client", default="")
"""The client of the current request; the guard sets it."""


class Turns:
    """Gives out a limited number of places for work, fairly.

    places: how many there are. each: how many requests of one client may wait. most: how many may
    wait in all. after: seconds in which a place becomes free, for the header `Retry-After`.
    """

    def __init__(self, places: int, *, each: int, most: int, after: float) -> None:
        self._free = list(range(places))
        self._each, self._most, self._after = each, most, after
        self._working: Counter[str] = Counter()
        self._waiting: list[tuple[str, asyncio.Future[int]]] = []

    @asynccontextmanager
    async def turn(self, what: str) -> AsyncIterator[int]:
        """Wait for a place, and hold it; yields its number.

        what: what the client waits for, in words. Raises ProblemError 429 where as many requests of
        this client wait already as may, 503 where too many requests wait.
        """
        client = CLIENT.get()
        if self._free:
            place = self._free.pop(0)
            self._working[client] += 1
        else:
            place = await self._wait(client, what)
        try:
            yield place
        finally:
            self._give_back(client, place)

    async def _wait(self, client: str, what: str) -> int:
        if sum(other == client for other, _ in self._waiting) >= self._each:
            detail = f"you wait for {what} already: ask again when it is there"
            raise ProblemError(429, detail, retry=self._after)
        if len(self._waiting) >= self._most:
            raise ProblemError(503, f"too many wait for {what}", retry=self._after)
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        entry = client, future
        self._waiting.append(entry)
        try:
            return await future
        except asyncio.CancelledError:
            if entry in self._waiting:
                self._waiting.remove(entry)
            elif not future.cancelled():
                self._give_back(client, future.result())
            raise

    def _give_back(self, client: str, place: int) -> None:
        """Free a place: it goes to the client with the fewest, or to the first of several."""
        self._working[client] -= 1
        self._working += Counter()  # drops clients at zero: they come and go
        there = [one for one in self._waiting if not one[1].done()]  # the others are leaving
        if not there:
            self._free.append(place)
            self._free.sort()  # the first place is used first: others may have no process yet
            return
        entry = min(there, key=lambda one: self._working[one[0]])
        self._waiting.remove(entry)
        self._working[entry[0]] += 1
        entry[1].set_result(place)
