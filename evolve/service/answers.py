"""Long lists in pages, and tags of answers.

A cursor says where the next page begins; clients send it back unchanged. By its tag a client that
has the newest answer does not get it again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query, Request, Response

from evolve.runs.run import Run
from evolve.service.models.common import RUN_ID
from evolve.service.problems import wrong_query
from evolve.tables.paths import CONFIG_FILE

Limit = Annotated[int, Query(ge=1, le=500, description="items a page")]
After = Annotated[str | None, Query(max_length=100, description="`next` of the page before")]


@dataclass(frozen=True)
class Cursor:
    """A page: at most `limit` items, from the position `start` on."""

    limit: int
    start: int = 0

    @classmethod
    def of(cls, limit: int, after: str | None) -> Cursor:
        """The page that a client asked for; ProblemError for an invalid cursor."""
        if after is None:
            return cls(limit)
        try:
            text = base64.urlsafe_b64decode(after.encode("ascii") + b"==").decode("ascii")
            start = int(text.removeprefix("from:"))
        except (binascii.Error, UnicodeError, ValueError):
            start = -1
        if start < 0 or encoded(start) != after:
            raise wrong_query("after", "it is not the cursor of a page")
        return cls(limit, start)

    def slice(self, count: int, first: int = 0) -> tuple[range, str | None]:
        """The positions of its items among `count`, and the cursor of the next page.

        first: the least position. The cursor is None on the last page.
        """
        start = min(max(self.start, first), count)
        end = min(start + self.limit, count)
        return range(start, end), encoded(end) if end < count else None


def encoded(start: int) -> str:
    """The cursor of the page that begins at `start`."""
    return base64.urlsafe_b64encode(f"from:{start}".encode()).decode().rstrip("=")


RunId = Annotated[str, Path(pattern=RUN_ID)]
Text = Annotated[str | None, Query(max_length=200)]


class NotModifiedError(Exception):
    """The client already has this answer."""


@dataclass(frozen=True)
class Tags:
    """Sets the tag of an answer about a run."""

    request: Request
    response: Response

    def newest(self, run: Run, *facts: object) -> None:
        """Tag the answer by `facts`; NotModifiedError where the client already has the same."""
        stamp = (run.path / CONFIG_FILE).stat().st_mtime_ns
        text = repr((str(run.path), stamp, *facts))
        tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'
        self.response.headers["etag"] = tag
        self.response.headers.setdefault("cache-control", "no-cache")
        known = [one.strip() for one in self.request.headers.get("if-none-match", "").split(",")]
        if tag in known or f"W/{tag}" in known:
            raise NotModifiedError(tag)

    def committed(self, run: Run, generation: int) -> None:
        """Tag the answer about a committed generation, which does not change.

        Clients keep it only for minutes: its run may be deleted and another one made in its place.
        """
        self.response.headers["cache-control"] = "private, max-age=300, immutable"
        self.newest(run, generation, self.request.url.query, self.request.url.path)


def _tags(request: Request, response: Response) -> Tags:
    return Tags(request, response)


Tagged = Annotated[Tags, Depends(_tags)]
"""The tag of the answer, as a parameter of routes."""
