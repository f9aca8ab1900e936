"""Limits on the head of a request, which uvicorn with httptools takes at any length and pace."""

from __future__ import annotations

from asyncio import TimerHandle, Transport
from http import HTTPStatus
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from evolve.service.problems import problem

_LARGEST: Final = 64 << 10
"""Bytes of a request line and its headers; browsers send under two thousand."""
_SLOWEST: Final = 20.0
"""Seconds for them."""
_TOO_LONG: Final = f"the head of a request has more than {_LARGEST >> 10} KiB"
_LINGER: Final = 2.0
"""Seconds in which more is read and forgotten: who is cut off while sending reads no answer."""


class Connection(HttpToolsProtocol):
    """A client's connection, closed where the head of a request is too long or takes too long."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._size = 0
        self._end: TimerHandle | None = None
        self._refused = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._begin()

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
        if self._end is not None and self._size > _LARGEST:
            self._refuse(431, _TOO_LONG)

    def on_message_begin(self) -> None:
        """A head begins: the first one, or the next after an answer."""
        super().on_message_begin()
        if self._end is None:
            self._begin()

    def on_headers_complete(self) -> None:
        """The head is there, which may have come in one piece."""
        self._over()
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
        if not self._refused:
            super().on_message_complete()

    def _begin(self) -> None:
        self._size = 0
        wrong = f"the head of a request took more than {_SLOWEST:.0f} seconds"
        self._end = self.loop.call_later(_SLOWEST, self._refuse, 408, wrong)

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
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()]
        lines += [name + b": " + value for name, value in headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        self.transport.write_eof()
        self.loop.call_later(_LINGER, self.transport.close)
