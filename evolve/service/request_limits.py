"""Limits on connections and requests, which uvicorn with httptools does not have.

It takes heads of any number, length and pace, and as much as comes of a body after its request was
answered. Where few things can be done at once, clients take turns: none holds the others up.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio import TimerHandle, Transport
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from http import HTTPStatus
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from evolve.service.responses import ProblemError, problem

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


if sys.platform != "win32":
    import resource

_LARGEST: Final = 64 << 10
"""Most bytes of a request line and its headers; browsers send under two thousand."""
_SLOWEST: Final = 20.0
"""Most seconds for a request line and its headers."""
_TOO_LONG: Final = f"the head of a request has more than {_LARGEST >> 10} KiB"
_WHOLE: Final = 30.0
"""Most seconds for a body.
The guard waits less for those that it reads. Others (of a GET, or of a refused request) are read
and discarded, and would keep their connection as long as more comes."""
_MOST: Final = 1000
"""Most connections; fewer where the process may have few handles."""
_LINGER: Final = 2.0
"""Seconds in which more is read and discarded.
A client that is cut off while sending does not read the answer."""


def most_connections() -> int:
    """The most connections: half of the handles that this process may have, at most `_MOST`.

    The others are for files and processes; without any left, each new connection wrote a traceback.
    """
    if sys.platform == "win32":  # it counts no handles
        return _MOST
    return min(_MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


class Connection(HttpToolsProtocol):
    """A client's connection, closed where a request is too slow or its head too long."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._size = 0
        self._in_head = True
        self._end: TimerHandle | None = None
        self._refused = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request; refuse the connection where too many are open."""
        super().connection_made(transport)
        self._begin()
        most = most_connections()
        if len(self.connections) > most + most // 4:  # too many refused ones still linger
            transport.abort()
        elif len(self.connections) > most:
            self._size = 1  # answer it, even before its request comes
            self._refuse(503, "too many connections are open")

    def connection_lost(self, error: Exception | None) -> None:
        """Stop the time limit."""
        self._over()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head until it is complete."""
        if self._refused:
            return
        self._size += len(data)
        super().data_received(data)
        if self._in_head and self._size > _LARGEST:
            self._refuse(431, _TOO_LONG)

    def on_message_begin(self) -> None:
        """A head begins: the first one, or the next after an answer."""
        super().on_message_begin()
        if self._end is None:
            self._begin()

    def on_headers_complete(self) -> None:
        """Check the size of a head, which may have come in one piece; wait for the body."""
        self._over()
        self._in_head = False
        self._end = self.loop.call_later(_WHOLE, self._cut)
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > _LARGEST:
            self._refuse(431, _TOO_LONG)
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body, unless the request was refused."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the time limit: the request is complete."""
        self._over()
        if not self._refused:
            super().on_message_complete()

    def _begin(self) -> None:
        self._size = 0
        self._in_head = True
        wrong = f"the head of a request took more than {_SLOWEST:.0f} seconds"
        self._end = self.loop.call_later(_SLOWEST, self._refuse, 408, wrong)

    def _cut(self) -> None:
        """End a request with a body that takes too long.

        Where it was answered, close the connection; otherwise answer 408.
        """
        self._over()
        if self.cycle is not None and self.cycle.response_started:
            self.transport.close()
        else:
            self._refuse(408, f"the body of a request took more than {_WHOLE:.0f} seconds")

    def _over(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None

    def _refuse(self, status: int, wrong: str) -> None:
        self._over()
        if self._size == 0:  # a browser's spare one: it would show an answer as a page
            self.transport.close()
        if self.transport.is_closing():
            return
        self._refused = True
        answer = problem(status, wrong)
        headers = [*answer.raw_headers, (b"connection", b"close")]
        if status == 503:
            headers.append((b"retry-after", b"5"))
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
        lines += [name + b": " + value for name, value in headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        with suppress(OSError):  # the client has left
            self.transport.write_eof()
        self.loop.call_later(_LINGER, self.transport.close)
