"""What a first visit offers: a game to watch, things to start, and an example to look at."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import APIRouter

from evolve.service.example import NAME, about_example, unpack
from evolve.service.models.agents import NewPlay
from evolve.service.models.runs import RunSummary
from evolve.service.models.welcome import Welcome
from evolve.service.offers import first_goals
from evolve.service.responses import ProblemError
from evolve.service.state import Service

router = APIRouter()
PLAY: Final = NewPlay(agent="level-5", rules="standard", side="black")
"""An easy game."""


@router.get("/welcome")
def get_welcome() -> Welcome:
    """What a first visit offers."""
    return Welcome.model_validate({**about_example(), "play": PLAY, "goals": first_goals()})


@router.post("/welcome/example", status_code=201)
async def add_example(service: Service) -> RunSummary:
    """Put the example into the folder of runs, unless it is there."""
    async with service.ordering:  # a job may want the name, and another request the same
        job = service.jobs.of_run(NAME)
        if job is not None and not job.over:
            raise ProblemError(409, f"{NAME} is the run of job {job.id}")
        await asyncio.to_thread(unpack, service.folders, service.downloads)
    return service.index.drawn(service.index.summary(NAME))
