"""The web application: routes, errors and the page, put together; and its run until Ctrl-C."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import anyio.to_thread
import uvicorn
from fastapi import Depends, FastAPI, Request, Response
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Match, Route
from starlette.staticfiles import StaticFiles

from evolve import __version__
from evolve.errors import RunError
from evolve.service.api import agents, generations, jobs, plays, runs, sweeps, welcome
from evolve.service.folders import Folders
from evolve.service.request_guard import EVERYWHERE, Door, Guard
from evolve.service.responses import RESPONSES, InternalErrors, answer_with_problems, problem
from evolve.service.state import ServiceState

API: Final = "/api/v1"
_METHODS: Final = ["DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT", "TRACE", "HEAD"]
_ABOUT: Final = """Evolves, teaches and compares Reversi agents.

Every request but that to `session` must say the token that was printed when the server started: as
`Authorization: Bearer TOKEN`, or by the cookie that `POST session` gives for it; else it is
answered 401. A server that was started with `--no-token` asks for none. What cannot be taken now
is answered 503 with `Retry-After`."""


def make_app(service: ServiceState, hosts: Sequence[str] = (), token: str | None = None) -> FastAPI:
    """The application that serves a service.

    hosts: names by which clients may call it; local names always work. token: what they must send;
    None lets all of them in.
    """
    door = Door(token)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        # They read files for clients; forty, the default, took 30 MB more.
        anyio.to_thread.current_default_thread_limiter().total_tokens = 4
        async with service.running():
            yield

    app = FastAPI(
        title="evolve",
        version=__version__,
        description=_ABOUT,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # its page loads scripts from another host
        redoc_url=None,
        lifespan=life,
        middleware=[
            Middleware(InternalErrors),
            Middleware(Guard, hosts=hosts, door=door),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=5),  # not of events
        ],
        responses=RESPONSES,
    )
    app.state.service, app.state.door = service, door
    answer_with_problems(app)
    # For the document alone: the guard lets clients in.
    bearer = HTTPBearer(scheme_name="token", auto_error=False)
    cookie = APIKeyCookie(name=door.cookie_name, scheme_name="browser", auto_error=False)
    ways = [] if door.is_open else [Depends(bearer), Depends(cookie)]
    app.include_router(jobs.session, prefix=API)
    for routes in (jobs, runs, sweeps, generations, agents, plays, welcome):
        app.include_router(routes.router, prefix=API, dependencies=ways)
    app.router.routes.append(Route(f"{API}/events", service.events.response))
    app.router.routes.append(Route("/api/{rest:path}", _elsewhere, methods=_METHODS))
    app.mount("/", _Page(packages=[("evolve.service", "web")], html=True))
    return app


class _Page(StaticFiles):
    """The page's files; browsers ask whether theirs are the newest, so that versions never mix."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        answer = super().file_response(*args, **options)
        answer.headers["cache-control"] = "no-cache"
        return answer


async def _elsewhere(request: Request) -> Response:
    """Answer requests that no route takes: 404, or 405 where only the method is wrong.

    Several routes may share a path, and the page would take what they do not.
    """
    routes = request.app.router.routes[:-2]  # without this one and the page

    def takes(method: str) -> bool:
        scope = {**request.scope, "method": "GET" if method == "HEAD" else method}  # as the guard
        return any(route.matches(scope)[0] is Match.FULL for route in routes)

    allowed = [*filter(takes, _METHODS)]
    if not allowed:
        return problem(404, "there is no such resource; see api/v1/openapi.json")
    answer = problem(405, f"it takes {', '.join(allowed)}")
    answer.headers["allow"] = ", ".join(allowed)
    return answer


class _Server(uvicorn.Server):
    """Ends streams of events at the first Ctrl-C: otherwise it would wait for them."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        app: Any = self.config.app
        app.state.service.events.close()


def serve(
    runs: Path,
    *,
    host: str,
    ports: Sequence[int],
    slots: int,
    hosts: Sequence[str],
    token: str | None,
    programs: Sequence[str],
    ready: Callable[[str], None],
) -> None:
    """Serve a folder of runs; `ready` is called with the address once it answers.

    ports: it listens on the first of them that is free, and on any free one for 0. Raises RunError
    where the folder or the ports are not available.
    """
    folders = Folders(runs)
    folders.claim()
    try:
        listening = _listen(host, ports)
        service = ServiceState(folders, slots, programs)
        config = uvicorn.Config(
            make_app(service, hosts=(host, *hosts), token=token),
            log_level="error",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
            server_header=False,
            http="h11",
            h11_max_incomplete_event_size=64 << 10,  # of a request line and its headers
            timeout_keep_alive=30,
            ws="none",
        )
        number = listening.getsockname()[1]
        name = socket.gethostname() if host in EVERYWHERE else host
        shown = f"[{name}]" if ":" in name else name
        ready(f"http://{shown}:{number}/")
        _Server(config).run(sockets=[listening])
    finally:
        folders.release()


def _listen(host: str, ports: Sequence[int]) -> socket.socket:
    port, *others = ports
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        listening = socket.create_server((host, port), family=family, dualstack_ipv6=both)
        # For a socket made so asyncio does not: each answer waited 40 ms for a delayed ACK.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except socket.gaierror as error:
        raise RunError(f"--host {host}: {error.strerror}") from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE and others:
            return _listen(host, others)
        why = os.strerror(error.errno or 0)
        raise RunError(f"cannot listen on {host} port {port}: {why}; try another --port") from error
