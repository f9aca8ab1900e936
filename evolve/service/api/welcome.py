"""What a first visit offers: a game to watch, things to start, and an example to look at."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import APIRouter

from evolve.service.example import NAME, about_example, unpack
from evolve.service.models.agents import NewPlay
from evolve.service.models.runs import NewJob, RunSummary
from evolve.service.models.welcome import Offer, Welcome
from evolve.service.responses import ProblemError
from evolve.service.state import Inside

router = APIRouter()
OFFERS: Final = (
    Offer(
        name="play",
        title="Play a game",
        about="Against an agent that knows what corners are worth. You have Black.",
        time="now",
        gets="an easy start",
        play=NewPlay(agent="level-5", rules="standard", side="black"),
    ),
    Offer(
        name="evolve",
        title="Evolve an agent",
        about="64 agents play each other; the best have children. After 20 generations one of them "
        "beats the published champion.",
        time="about 1 min",
        gets="20 generations",
        job=NewJob(command="run", settings={"generations": 20}),
        line="evolve run --generations 20",
    ),
    Offer(
        name="teach",
        title="Teach patterns",
        about="An agent learns from games with itself what shapes in corners and on edges are "
        "worth.",
        time="about 1 min",
        gets="much stronger",
        job=NewJob(command="train", settings={"kind": "patterns", "budget": 60}),
        line="evolve train patterns --budget 60",
    ),
)


@router.get("/welcome")
def get_welcome() -> Welcome:
    """What a first visit offers."""
    return Welcome.model_validate({**about_example(), "offers": OFFERS})


@router.post("/welcome/example", status_code=201)
async def add_example(service: Inside) -> RunSummary:
    """Put the example into the folder of runs, unless it is there."""
    async with service.ordering:  # a job may want the name, and another request the same
        job = service.jobs.of_run(NAME)
        if job is not None and not job.over:
            raise ProblemError(409, f"{NAME} is the run of job {job.id}")
        await asyncio.to_thread(unpack, service.place, service.downloads)
    return service.index.drawn(service.index.summary(NAME))
