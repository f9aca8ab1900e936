"""What a first visit offers: a game to watch, things to start, and an example to look at.

The example is a small evolution, one compressed archive in the package that `python -m
benchmarks.example` makes. It comes into a folder of runs only when a client asks for that, and is a
run like any other from then on.
"""

from __future__ import annotations

import asyncio
import io
import tarfile
import time
from functools import cache
from importlib.resources import files
from typing import Any, Final, cast

from fastapi import APIRouter

from evolve.files.changes import move, remove
from evolve.parsing import parse_json
from evolve.service.downloads import Downloads
from evolve.service.folders import Folders
from evolve.service.models.agents import NewPlay
from evolve.service.models.runs import RunSummary, Welcome
from evolve.service.offers import first_goals
from evolve.service.responses import ProblemError
from evolve.service.state import Service

router = APIRouter()
PLAY: Final = NewPlay(agent="level-5", rules="standard", side="black")
"""An easy game."""
NAME: Final = "example"
ARCHIVE: Final = "example.tar.xz"
ABOUT: Final = "about.json"
"""The file of the archive that is not of the run: what lists show of it, and a game."""


def _archive() -> tarfile.TarFile:
    packed = io.BytesIO((files("evolve.service") / ARCHIVE).read_bytes())
    return tarfile.open(fileobj=packed)


@cache
def _about() -> dict[str, Any]:
    """What lists show of the example, `run`, and a game of its champion, `game`."""
    with _archive() as archive:
        file: Any = archive.extractfile(ABOUT)
        return cast("dict[str, Any]", parse_json(file.read()))


def _unpack(folders: Folders, downloads: Downloads) -> None:
    """Make the example a run of the folder, in one step; where there is a run of its name, not."""
    if not folders.has_run(NAME):
        folder = downloads.new("")
        with _archive() as archive:
            for member in archive:
                member.mtime = time.time()  # lists show the run as new
            archive.extractall(folder, filter="data")
        remove(folder / ABOUT)
        move(folder, folders.run(NAME))


@router.get("/welcome")
def get_welcome() -> Welcome:
    """What a first visit offers."""
    return Welcome.model_validate({**_about(), "play": PLAY, "goals": first_goals()})


@router.post("/welcome/example", status_code=201)
async def add_example(service: Service) -> RunSummary:
    """Put the example into the folder of runs, unless it is there."""
    async with service.ordering:  # a job may want the name, and another request the same
        job = service.jobs.of_run(NAME)
        if job is not None and not job.over:
            raise ProblemError(409, f"{NAME} is the run of job {job.id}")
        await asyncio.to_thread(_unpack, service.folders, service.downloads)
    return service.index.drawn(service.index.summary(NAME))
