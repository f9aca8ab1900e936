"""Limits on connections and requests, which uvicorn with httptools takes at any number, length and
pace: heads, and what is left of bodies once a request was answered."""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from evolve.service.problems import problem

_LARGEST: Final = 64 << 10
"""Bytes of a request line and its headers; browsers send under two thousand."""
_SLOWEST: Final = 20.0
"""Seconds for them."""
_TOO_LONG: Final = f"the head of a request has more than {_LARGEST >> 10} KiB"
_WHOLE: Final = 30.0
"""Seconds for a body. The guard waits less for those that it reads; others (of a GET, or of what
was refused) are read and forgotten, and would keep their connection as long as more comes."""
_MOST: Final = 1000
"""Connections; fewer where the process may have few handles."""
_LINGER: Final = 2.0
"""Seconds in which more is read and forgotten: who is cut off while sending reads no answer."""


def most_connections() -> int:
    """How many connections there may be: half of the handles that this process may have. The others
    are for files and processes; where none was left, each new connection wrote a traceback."""
    try:
        import resource
    except ImportError:  # Windows counts no handles
        return _MOST
    return min(_MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


class Connection(HttpToolsProtocol):
    """A client's connection, closed where the head of a request is too long or takes too long."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._size = 0
        self._in_head = True
        self._end: TimerHandle | None = None
        self._refused = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._begin()
        most = most_connections()
        if len(self.connections) > most + most // 4:  # of those that are refused, too many linger
            transport.abort()
        elif len(self.connections) > most:
            self._size = 1  # it waits for an answer, be it to a request that is still to come
            self._refuse(503, "too many connections are open")

    def connection_lost(self, error: Exception | None) -> None:
        """Wait no more."""
        self._over()
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Count what comes while a head is not complete."""
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
        """The head is there, which may have come in one piece."""
        self._over()
        self._in_head = False
        self._end = self.loop.call_later(_WHOLE, self._cut)
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > _LARGEST:
            self._refuse(431, _TOO_LONG)
        else:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """What follows a head."""
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """All of a request is there."""
        self._over()
        if not self._refused:
            super().on_message_complete()

    def _begin(self) -> None:
        self._size = 0
        self._in_head = True
        wrong = f"the head of a request took more than {_SLOWEST:.0f} seconds"
        self._end = self.loop.call_later(_SLOWEST, self._refuse, 408, wrong)

    def _cut(self) -> None:
        """A body has not ended: where its request was answered, nothing more is to be said."""
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
        if self._size == 0:  # a browser's, kept for later: it would show an answer as a page
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
        with suppress(OSError):  # the client has gone meanwhile
            self.transport.write_eof()
        self.loop.call_later(_LINGER, self.transport.close)
