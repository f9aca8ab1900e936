"""Long lists in pages.

A cursor says where the next page begins; clients send it back unchanged.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated

from fastapi import Path, Query

from evolve.service.models.common import RUN_ID
from evolve.service.problems import ProblemError

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
            detail = "it is not the cursor of a page"
            raise ProblemError(422, f"after: {detail}", [("/query/after", detail)])
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
