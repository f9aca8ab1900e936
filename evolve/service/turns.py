"""Whose turn it is, where few things can be done at once: no client holds the others up."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final

from evolve.service.problems import ProblemError

CLIENT: Final[ContextVar[str]] = ContextVar("client", default="")
"""The client whose request is being answered; the guard says so."""


class Turns:
    """Places where work is done, given out fairly.

    places: how many there are; each: of how many requests a client may wait; most: how many wait in
    all; after: seconds in which a place becomes free, for the header `Retry-After`.
    """

    def __init__(self, places: int, *, each: int, most: int, after: float) -> None:
        self._free = list(range(places))
        self._each, self._most, self._after = each, most, after
        self._working: Counter[str] = Counter()
        self._waiting: list[tuple[str, asyncio.Future[int]]] = []

    @asynccontextmanager
    async def turn(self, what: str) -> AsyncIterator[int]:
        """Wait for a place, and have it: its number. ProblemError 429 where this client waits
        already, 503 where too many do; `what` they wait for, in words."""
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
        """A place is free: it goes to the client who has the fewest, to the first of several."""
        self._working[client] -= 1
        self._working += Counter()  # forgets those at nothing: clients come and go
        there = [one for one in self._waiting if not one[1].done()]  # others are just leaving
        if not there:
            self._free.append(place)
            self._free.sort()  # the first place is used first: others may have no process yet
            return
        entry = min(there, key=lambda one: self._working[one[0]])
        self._waiting.remove(entry)
        self._working[entry[0]] += 1
        entry[1].set_result(place)
