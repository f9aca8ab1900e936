"""Tags of answers: a client that already has the newest answer does not get it again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request, Response

from evolve.runs.run import Run
from evolve.service.tables import check_generation
from evolve.tables.paths import CONFIG_FILE


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
        check_generation(run, generation)
        self.response.headers["cache-control"] = "private, max-age=300, immutable"
        self.newest(run, generation, self.request.url.query, self.request.url.path)


def _tags(request: Request, response: Response) -> Tags:
    return Tags(request, response)


Tagged = Annotated[Tags, Depends(_tags)]
"""The tag of the answer, as a parameter of routes."""
