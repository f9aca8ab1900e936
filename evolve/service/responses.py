"""What answers share: problems, and long lists in pages.

A problem is application/problem+json, RFC 9457. The log gets unexpected failures, once each, under
an id to find it by. A cursor says where the next page of a list begins; clients send it back
unchanged.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final, Generic, TypeVar

from anyio import CapacityLimiter
from fastapi import Depends, FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evolve.errors import EvolveError
from evolve.parsing import Fault, plain_words
from evolve.service.folders import NEW_ID, RUN_ID

AGENT_ID: Final = (
    r"^(run:[^\x00-\x1f\x7f/\\?]{1,540}|[A-Za-z0-9_:.+-]{1,220})"
    r"(\?[a-z_]+=[0-9.]{1,20}(&[a-z_]+=[0-9.]{1,20}){0,9})?$"
)
_WRITTEN: Final = {
    NEW_ID: "a name has up to 200 letters, digits and . _ + -, and begins with none of . + -",
    RUN_ID: "it is not the name of a run",
    AGENT_ID: "it is not the id of an agent, such as champion-standard or swh?depth=3",
}
"""Error messages for texts that do not match a pattern, by that pattern."""
_MEDIA: Final = "application/problem+json"
_log: Final = logging.getLogger(__name__)
_known: Final[dict[tuple[str, str], str]] = {}


_S = TypeVar("_S")
_T = TypeVar("_T")


class Given(BaseModel):
    """A document that a client sends: unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Items(BaseModel, Generic[_T]):
    """A list, or documents by name."""

    items: _T


class Page(BaseModel, Generic[_T]):
    """A page of a list; `next` is the cursor of the one after it."""

    items: list[_T]
    next: str | None = None
    total: int


class FieldError(BaseModel):
    """What is wrong with one field."""

    pointer: str = Field(description="where in the document, as RFC 6901 has it")
    detail: str


class Problem(BaseModel):
    """An error, in the form of RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[FieldError] = []


class ProblemError(Exception):
    """A request that cannot be fulfilled: a status, what is wrong, and where.

    retry: seconds after which the client may ask again.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        errors: Sequence[tuple[str, str]] = (),
        *,
        retry: float | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.errors, self.retry = status, detail, errors, retry


def not_found(what: str) -> ProblemError:
    """The error 404: there is no such thing."""
    return ProblemError(404, f"there is no {what}")


def faulty(faults: Sequence[Fault], *at: str) -> ProblemError:
    """The error 422 for these faults, each with its place below `at` in the document."""
    errors = [(pointer(*at, *fault.keys), fault.text) for fault in faults]
    return ProblemError(422, "; ".join(fault.text for fault in faults), errors)


def order_of(sort: str, what: str, keys: Collection[str]) -> tuple[str, bool]:
    """The key of a `sort`, and whether its minus asks for the highest first; ProblemError."""
    key = sort.removeprefix("-")
    if key not in keys:
        detail = f"{what} are sorted by {', '.join(keys)}, not by {key[:40]!r}"
        raise faulty([Fault(("sort",), f"sort: {detail}")], "query")
    return key, key != sort


def pointer(*keys: str | int) -> str:
    """A place in a document, as a JSON pointer (RFC 6901)."""
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


def problem(status: int, detail: str, errors: Sequence[tuple[str, str]] = ()) -> JSONResponse:
    """The response for an error."""
    wrong = [FieldError(pointer=where, detail=text) for where, text in errors]
    title = HTTPStatus(status).phrase
    document = Problem(title=title, status=status, detail=detail, errors=wrong)
    return JSONResponse(document.model_dump(), status, media_type=_MEDIA)


def log_failure(what: str, error: BaseException) -> str:
    """Log a failure of `what`; returns its id.

    The same failure again has the same id and no line: what fails twice a second would fill the
    disk.
    """
    key = (what, type(error).__name__)
    if key not in _known:
        _known[key] = secrets.token_hex(2)
        if isinstance(error, OSError):  # of a full disk, say: its message says everything
            _log.error("failure %s of %s: %s", _known[key], what, error)
        else:
            _log.error("failure %s of %s", _known[key], what, exc_info=error)
    return _known[key]


@asynccontextmanager
async def lent(
    limiter: CapacityLimiter, what: str, waiting: int, retry: float
) -> AsyncIterator[None]:
    """Wait for a place, and have it; where so many requests wait already, ProblemError 503.

    what: what is waited for, for the error; retry: see ProblemError.
    """
    if limiter.statistics().tasks_waiting >= waiting:
        raise ProblemError(503, f"too many requests wait for {what}", retry=retry)
    async with limiter:
        yield


@contextmanager
def log_errors(what: str) -> Iterator[None]:
    """Log what fails inside, and continue after it."""
    try:
        yield
    except Exception as error:
        log_failure(what, error)


class InternalErrors:
    """Answers unexpected errors as a problem with an id, which the log has as well.

    A handler of the app is no alternative: the app raises the error again after the answer and logs
    it each time, without the id.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception as error:
            if scope["type"] != "http":
                raise
            # Named by its route: by path, each id that clients send would get its own line.
            route = getattr(scope.get("route"), "path", "a request")
            name = log_failure(f"{scope['method']} {route}", error)
            if begun:  # part of it is sent: only breaking off shows the failure
                raise ConnectionAbortedError(f"failure {name}") from None
            detail = f"internal error {name}; see the server's log"
            await problem(500, detail)(scope, receive, send)


def answer_with_problems(app: FastAPI) -> None:
    """Make the app answer every error as a problem."""

    @app.exception_handler(ProblemError)
    async def _problem(request: Request, error: ProblemError) -> JSONResponse:
        answer = problem(error.status, error.detail, error.errors)
        if error.retry is not None:
            answer.headers["retry-after"] = f"{error.retry:.0f}"
        return answer

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        errors = []
        for detail in error.errors():
            keys = list(detail["loc"])
            part = keys.pop(0) if keys else "body"
            if detail["type"] == "json_invalid":
                return problem(400, f"the body is not JSON: {detail['msg']}")
            if part == "path":
                return problem(404, f"there is no {keys[0]} {str(detail['input'])[:80]!r}")
            message = _WRITTEN.get(detail.get("ctx", {}).get("pattern")) or plain_words(detail)
            errors.append((pointer(*(keys if part == "body" else [part, *keys])), message))
        return problem(422, "; ".join(f"{where}: {text}" for where, text in errors), errors)

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        answer = problem(error.status_code, str(error.detail))
        answer.headers.update(error.headers or {})
        return answer

    @app.exception_handler(EvolveError)
    async def _evolve(request: Request, error: EvolveError) -> JSONResponse:
        return problem(422, request.app.state.service.folders.error_text(error))

    @app.exception_handler(OSError)
    async def _disk(request: Request, error: OSError) -> JSONResponse:
        file = os.path.basename(str(error.filename)) if error.filename else "it"
        return problem(507, f"{file} could not be written or read: {error.strerror or error}")


RESPONSES: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": {"description": "What is wrong", "model": Problem, "content": {_MEDIA: {}}},
    "5XX": {"description": "What failed here", "model": Problem, "content": {_MEDIA: {}}},
}
"""Error responses that every route documents."""


@dataclass(frozen=True)
class Cursor:
    """The page that a client asks for."""

    limit: int
    after: int

    def slice(self, count: int, first: int = 0) -> tuple[range, str | None]:
        """The positions of its items among `count`, and the cursor of the next page.

        first: the least position. The cursor is None on the last page.
        """
        start = min(max(self.after, first), count)
        end = min(start + self.limit, count)
        return range(start, end), str(end) if end < count else None

    def page(self, items: Sequence[_S], shown: Callable[[_S], _T]) -> Page[_T]:
        """The page of a list; shown: makes the document of an item."""
        chosen, after = self.slice(len(items))
        return Page(items=[shown(items[n]) for n in chosen], next=after, total=len(items))


# Functions: FastAPI 0.119 cannot read the annotations of a dataclass.
def _paged(
    limit: Annotated[int, Query(ge=1, le=500, description="items a page")] = 100,
    after: Annotated[
        str, Query(pattern=r"^[0-9]{1,9}$", description="`next` of the page before")
    ] = "0",
) -> Cursor:
    return Cursor(limit, int(after))


Paged = Annotated[Cursor, Depends(_paged)]
"""The page that a client asks for, as a parameter of routes."""
RunId = Annotated[str, Path(pattern=RUN_ID)]
Text = Annotated[str | None, Query(max_length=200)]
