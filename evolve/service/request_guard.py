"""Checks hosts, sites, tokens and sizes of requests, before anything else sees them.

Every account of this machine reaches 127.0.0.1, so an address does not prove who asks. The API
therefore requires a token, unless the service is explicitly started without one. A page elsewhere
can send requests here from its reader's browser, and make its own name point here (DNS rebinding).
So the Host must be one of ours, and requests that change things must come from our own page, or
from no page at all.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evolve.parsing import parse_json
from evolve.service.responses import problem

COOKIE_DAYS: Final = 90


class Door:
    """Lets in clients that send the token, as a header or as the cookie that they got for it.

    The cookie's name depends on the token, because browsers send a host's cookies to every port of
    it: services with different tokens must not overwrite each other's. Its value proves the token
    without containing it.
    """

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()
        self.cookie_name = f"evolve-{self._digest(b'name')[:8]}"
        self.cookie = self._digest(b"value")

    @property
    def is_open(self) -> bool:
        return self._token is None

    def fits(self, token: str) -> bool:
        return self._token is not None and hmac.compare_digest(token.encode(), self._token)

    def admits(self, request: Request) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        cookie = request.cookies.get(self.cookie_name, "")
        return (
            self.is_open
            or (scheme.lower() == "bearer" and self.fits(token.strip()))
            or hmac.compare_digest(cookie.encode(), self.cookie.encode())
        )

    def _digest(self, use: bytes) -> str:
        return hmac.new(self._token or b"", b"cookie " + use, "sha256").hexdigest()


SESSION: Final = "/api/v1/session"
"""Where a browser sends the token; all other paths below /api require it first."""
_LOCAL: Final = ("127.0.0.1", "localhost", "::1")
EVERYWHERE: Final = ("0.0.0.0", "::")
HOST_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,253}|\[?[0-9A-Fa-f:.]{2,45}\]?")
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_BODY: Final = 1 << 20
_UPLOADS: Final = ("/api/v1/agents", 48 << 20)
"""The path where bodies may be larger, and their most bytes: an agent file, as text."""
_FORGOTTEN: Final = 16 << 20
_TOO_LARGE: Final = "the body is too large"
_HOST: Final = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = [
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


class Guard:
    """ASGI middleware that passes on only requests meant for this service.

    hosts: names under which it may be called. door: decides which clients are let in.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], door: Door) -> None:
        self._app = app
        self._hosts = {_canonical(host) for host in (*hosts, *_LOCAL)}
        self._door = door
        self._anywhere = any(host in self._hosts for host in EVERYWHERE)
        if self._anywhere:
            self._hosts |= {_canonical(socket.gethostname()), _canonical(socket.getfqdn())}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer refused requests with a problem; pass on the rest."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                more = [pair for pair in _HEADERS if pair[0] not in names]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        wrong = self._wrong(scope)
        if wrong is not None:
            answer = problem(*wrong)
            if wrong[0] == 401:
                answer.headers["www-authenticate"] = "Bearer"
            await answer(scope, receive, guarded)
            return
        if scope["method"] == "HEAD":
            await self._answer_head(scope, receive, guarded)
            return
        if scope["method"] in _SAFE:
            await self._app(scope, receive, guarded)
            return
        body, size = bytearray(), 0
        with suppress(ClientDisconnect):
            async for part in Request(scope, receive).stream():
                size += len(part)
                if size <= _most(scope):
                    body += part
                # Read and discard somewhat more: a client cut off while sending reads no answer.
                if size > _most(scope) + _FORGOTTEN:
                    break
        if (refused := _refused(body, size, scope)) is not None:
            await refused(scope, receive, guarded)
            return
        parts = iter([{"type": "http.request", "body": bytes(body)}])

        async def again() -> Message:
            return next(parts, None) or await receive()

        await self._app(scope, again, guarded)

    async def _answer_head(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as GET would, without the body, which for events has no end."""
        with anyio.CancelScope() as rest:

            async def sent(message: Message) -> None:
                if message["type"] == "http.response.start":
                    await send(message)
                    await send({"type": "http.response.body"})
                    rest.cancel()

            await self._app({**scope, "method": "GET"}, receive, sent)

    def _wrong(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_ours(_host(hosts[0])[0], scope):
            return 421, "this service is not known by that name: see --allow-host"
        if scope["method"] not in _SAFE:
            if self._is_foreign(headers, scope):
                return 403, "requests of other sites change nothing here"
            if int(headers.get("content-length", 0)) > _most(scope):
                return 413, _TOO_LARGE
        path = scope["path"]
        if path.startswith("/api/") and path != SESSION and not self._door.admits(Request(scope)):
            return 401, "this service wants its token: Authorization: Bearer, or the page's sign-in"
        return None

    def _is_foreign(self, headers: Headers, scope: Scope) -> bool:
        """Whether another site's page sends a change."""
        sites, origins = headers.getlist("sec-fetch-site"), headers.getlist("origin")
        if sites:
            return sites not in (["same-origin"], ["none"])
        if not origins:
            return False
        name, port = _host(urlsplit(origins[0]).netloc if len(origins) == 1 else "")
        own_name, own_port = _host(headers["host"])
        # Another port of the same name is another program, maybe of another account. Behind a proxy
        # that rewrites Host the names differ: then its page is at the default port, which only root
        # can open.
        same = port == (own_port if name == own_name else None)
        return not (self._is_ours(name, scope) and same)

    def _is_ours(self, name: str | None, scope: Scope) -> bool:
        """Whether the service may be called by this name.

        Where it listens on all addresses, the address that this request came to is one of its
        names. 0.0.0.0 never is: browsers take it for this machine.
        """
        if name is None or name in EVERYWHERE:
            return False
        here = scope.get("server")
        reached = self._anywhere and here is not None and name == _canonical(here[0])
        return reached or name in self._hosts


def _most(scope: Scope) -> int:
    """Most bytes of the body of a request."""
    return _UPLOADS[1] if scope["path"] == _UPLOADS[0] else _BODY


def _refused(body: bytearray, size: int, scope: Scope) -> JSONResponse | None:
    """The refusal of a body that is too large or is not JSON; None where it may pass.

    A form of another site cannot send JSON.
    """
    if size > _most(scope):
        return problem(413, _TOO_LARGE)
    kinds = Headers(scope=scope).getlist("content-type")
    if body and [kind.partition(";")[0].strip().lower() for kind in kinds] != ["application/json"]:
        return problem(415, "bodies must be application/json")
    try:
        if body:
            parse_json(bytes(body), strict=True)
    except ValueError as error:
        return problem(400, f"the body is not JSON: {error}")
    return None


def _host(text: str) -> tuple[str | None, str | None]:
    """The name in a Host header, None where it is malformed, and its port, None for the default."""
    match = _HOST.fullmatch(text)
    return (None, None) if match is None else (_canonical(match[1]), match[2])


def _canonical(name: str) -> str:
    name = name.strip("[]").lower().rstrip(".")
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name
