"""The web application: routes, errors and the page, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Final

import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Match, Route

from evolve.service.answers import NotModifiedError
from evolve.service.api import agents, generations, jobs, meta, runs
from evolve.service.door import Door
from evolve.service.guard import SESSION, Guard
from evolve.service.problems import RESPONSES, Unforeseen, answer_with_problems, problem
from evolve.service.state import ServiceState
from evolve.version import __version__

API: Final = "/api/v1"
_METHODS: Final = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"]
_LAST: Final = ("elsewhere", "page")
"""Names of the routes that take what no other route takes."""
_THREADS: Final = 4
"""Threads that read files for clients.
Forty, the default, took 30 MB more."""


_ABOUT: Final = """Evolves, teaches and compares Reversi agents.

Every request but that to `session` must say the token that was printed when the server started: as
`Authorization: Bearer TOKEN`, or by the cookie that `POST session` gives for it; else it is
answered 401. A server that was started with `--no-token` asks for none. What cannot be taken now
is answered 429 or 503 with `Retry-After`."""


def make_app(service: ServiceState, hosts: Sequence[str] = (), token: str | None = None) -> FastAPI:
    """The application that serves a service.

    hosts: names by which clients may call it; local names always work. token: what they must send;
    None lets all of them in.
    """
    door = Door(token)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        await service.open()
        try:
            yield
        finally:
            await service.close()

    app = FastAPI(
        title="evolve",
        version=__version__,
        description=_ABOUT,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,  # its page loads scripts from another host
        redoc_url=None,
        lifespan=life,
        middleware=[
            Middleware(Unforeseen),
            Middleware(Guard, hosts=hosts, door=door),
            Middleware(GZipMiddleware, minimum_size=2000, compresslevel=5),  # not of events
        ],
        responses=RESPONSES,
    )
    app.state.service, app.state.door = service, door
    answer_with_problems(app)
    app.add_exception_handler(NotModifiedError, _not_modified)
    for router in (meta.router, runs.router, generations.router, jobs.router, agents.router):
        app.include_router(router, prefix=API)
    app.router.routes.append(Route(f"{API}/events", service.events, methods=["GET"]))
    app.router.routes.append(Route("/api/{rest:path}", _elsewhere, methods=_METHODS, name=_LAST[0]))
    _say_who_may(app)
    page = _Page(directory=str(files("evolve.service") / "web"), html=True)
    app.mount("/", page, name=_LAST[1])
    return app


def _say_who_may(app: FastAPI) -> None:
    """Describe in the app's OpenAPI document how clients are let in.

    FastAPI describes that only for routes that check it themselves; here all are behind one door.
    """
    make = app.openapi
    door: Door = app.state.door

    def document() -> dict[str, Any]:
        found = make()
        schemes = found["components"].setdefault("securitySchemes", {})
        schemes["token"] = {"type": "http", "scheme": "bearer"}
        schemes["browser"] = {"type": "apiKey", "in": "cookie", "name": door.cookie_name}
        found["security"] = [] if door.is_open else [{"token": []}, {"browser": []}]
        found["paths"][SESSION]["post"]["security"] = []
        return found

    app.openapi = document  # type: ignore[method-assign]


class _Page(StaticFiles):
    """The page's files; browsers ask whether theirs are the newest, so that versions never mix."""

    def file_response(self, *arguments: Any, **options: Any) -> Response:
        answer = super().file_response(*arguments, **options)
        answer.headers["cache-control"] = "no-cache"
        return answer


async def _elsewhere(request: Request) -> Response:
    """Answer requests that no route takes: 404, or 405 where only the method is wrong.

    Several routes may share a path, and the page would take what they do not.
    """
    others = [one for one in request.app.router.routes if getattr(one, "name", "") not in _LAST]
    allowed = [
        method
        for method in _METHODS
        if any(one.matches({**request.scope, "method": method})[0] is Match.FULL for one in others)
    ]
    if not allowed:
        return problem(404, "there is no such resource; see api/v1/openapi.json")
    answer = problem(405, f"it takes {', '.join(allowed)}")
    answer.headers["allow"] = ", ".join(allowed)
    return answer


async def _not_modified(request: Request, error: Any) -> Response:
    return Response(status_code=304, headers={"etag": str(error)})
