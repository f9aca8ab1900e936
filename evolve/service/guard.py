"""Who may ask: hosts, sites, tokens, sizes. Before anything else sees a request.

Every account of this machine can send requests here, so the API wants a token: see `door`. A page
elsewhere can send requests here from its reader's browser, and make its own name point here
(DNS rebinding). So the Host must be one of ours, and what changes things must come from our own
page, or from no page at all.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evolve.safe_parsing import check_exchange
from evolve.service.door import Door
from evolve.service.problems import problem
from evolve.service.turns import CLIENT

SESSION: Final = "/api/v1/session"
"""Where a browser sends the token: all else below /api needs it before."""
LOCAL: Final = ("127.0.0.1", "localhost", "::1")
EVERYWHERE: Final = ("0.0.0.0", "::")
HOST_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,253}|\[?[0-9A-Fa-f:.]{2,45}\]?")
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_BODY: Final = 1 << 20
_UPLOADS: Final = ("/api/v1/agents", 48 << 20)
"""Where bodies may be larger: an agent file, as text."""
_FORGOTTEN: Final = 16 << 20
_SLOW: Final = 20.0
"""Seconds for the whole of a body."""
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
    """ASGI middleware that lets through what is meant for this service.

    hosts: names that it may be called by; door: who of those who reach it is let in.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], door: Door) -> None:
        self._app = app
        self._hosts = {_canonical(host) for host in (*hosts, *LOCAL)}
        self._door = door
        self._anywhere = any(host in self._hosts for host in EVERYWHERE)
        if self._anywhere:
            self._hosts |= {_canonical(socket.gethostname()), _canonical(socket.getfqdn())}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what must not pass with a problem; hand on the rest."""
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
        if scope["method"] in _SAFE:
            await self._app(scope, receive, guarded)
            return
        try:
            body = await asyncio.wait_for(_whole(receive, _most(scope["path"])), _SLOW)
        except TimeoutError:
            await problem(408, "the body took too long")(scope, receive, guarded)
            return
        if body is None:
            await problem(413, "the body is too large")(scope, receive, guarded)
            return
        try:
            check_exchange(body)
        except ValueError as error:
            await problem(400, f"the body is not JSON: {error}")(scope, receive, guarded)
            return
        await self._app(scope, _replayed(body, receive), guarded)

    def _wrong(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value.decode("latin-1"))
        hosts = headers.get(b"host", [])
        if len(hosts) != 1 or not self._is_ours(_host(hosts[0])[0], scope):
            return 421, "this service is not known by that name: see --allow-host"
        if scope["method"] not in _SAFE:
            wrong = self._foreign(headers, scope) or _body(headers, scope)
            if wrong is not None:
                return wrong
        who = self._door.who(headers)
        if who is None and _is_api(scope["path"]):
            return 401, "this service wants its token: Authorization: Bearer, or the page's sign-in"
        CLIENT.set(f"{who} {(scope.get('client') or ('',))[0]}")
        return None

    def _foreign(self, headers: dict[bytes, list[str]], scope: Scope) -> tuple[int, str] | None:
        """What changes things must not come from another site's page."""
        site, origins = headers.get(b"sec-fetch-site"), headers.get(b"origin")
        if site is not None:
            if site not in (["same-origin"], ["none"]):
                return 403, "requests of other sites change nothing here"
        elif origins is not None:
            origin = _host(urlsplit(origins[0]).netloc if len(origins) == 1 else "")
            if not self._is_ours(origin[0], scope) or not _is_same(
                origin, _host(headers[b"host"][0])
            ):
                return 403, "requests of other sites change nothing here"
        return None

    def _is_ours(self, name: str | None, scope: Scope) -> bool:
        """Whether the service may be called so: where it listens everywhere, also by the address
        that this request has come to. Never by 0.0.0.0, which browsers take for this machine."""
        if name is None or name in EVERYWHERE:
            return False
        here = scope.get("server")
        reached = self._anywhere and here is not None and name == _canonical(here[0])
        return reached or name in self._hosts


def _is_api(path: str) -> bool:
    return path.startswith("/api/") and path != SESSION


def _body(headers: dict[bytes, list[str]], scope: Scope) -> tuple[int, str] | None:
    """Bodies are JSON, which no form of another site can send, and of a size."""
    sizes, kinds = headers.get(b"content-length"), headers.get(b"content-type", [])
    has_body = sizes not in (None, ["0"]) or b"transfer-encoding" in headers
    if has_body and [kind.partition(";")[0].strip().lower() for kind in kinds] != [
        "application/json"
    ]:
        return 415, "bodies must be application/json"
    if sizes is not None and (len(sizes) != 1 or not sizes[0].isdecimal()):
        return 400, "Content-Length is not a number"
    if sizes is not None and int(sizes[0]) > _most(scope["path"]):
        return 413, "the body is too large"
    return None


def _most(path: str) -> int:
    return _UPLOADS[1] if path == _UPLOADS[0] else _BODY


async def _whole(receive: Receive, most: int) -> bytes | None:
    """The body; None where it is larger than it may be."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        part = message.get("body", b"")
        size += len(part)
        if size <= most:
            parts.append(part)
        # Somewhat more is read and forgotten: who is cut off while sending reads no answer.
        if not message.get("more_body") or size > most + _FORGOTTEN:
            return b"".join(parts) if size <= most else None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What the app receives: the body once, then what comes."""
    told = False

    async def again() -> Any:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


Authority = tuple[str | None, str | None]
"""A name, None where it has another form, and a port, None where it is the usual one."""


def _host(text: str) -> Authority:
    """The name in a Host, and the port."""
    found = _HOST.fullmatch(text)
    return (None, None) if found is None else (_canonical(found[1]), found[2])


def _is_same(origin: Authority, host: Authority) -> bool:
    """Whether a page from an origin may be the page of the service at a host.

    Another port of the same name is another program, maybe another account's. Before a proxy that
    rewrites Host the names differ: then its page is at the usual port, which is root's to give.
    """
    return origin[1] == (host[1] if origin[0] == host[0] else None)


def _canonical(name: str) -> str:
    name = name.strip("[]").lower().rstrip(".")
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name
