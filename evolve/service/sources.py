"""What the command line calls the agents that clients name by ids."""

from __future__ import annotations

import json

from evolve.agents.source import INDIVIDUAL
from evolve.service.house import House
from evolve.service.models.agents import AgentDetail
from evolve.service.problems import ProblemError
from evolve.service.rows import check_individual


async def agent_of_run(house: House, run: str, individual: str) -> AgentDetail:
    """An individual of a run described."""
    name = f"run:{run}:{individual}"
    source = seen_as(house, name)
    found = await house.search.ask("describe", source=source)
    about = f"individual {individual} of {run}"
    return AgentDetail.model_validate({"id": name, "origin": "run", "about": about, **found})


def seen_as(house: House, name: str, at: str | None = None) -> str:
    """What the searchers call an agent. Of an individual of a run no file is made.

    ProblemError where there is none: with `at` as the pointer to where the client named it.
    """
    try:
        asked = house.agents.individual(name)
        if asked is None:
            return house.agents.source(name)
        run, individual = asked
        opened = house.index.open(run)
        check_individual(opened, individual)
        settings = house.agents.settings(name)
        return f"{INDIVIDUAL}:{opened.path}:{individual}{settings}"
    except ProblemError as error:
        raise _blamed(error, at) from error


async def source_of(house: House, name: str, at: str | None = None) -> str:
    """What the command line calls an agent of a job; an individual of a run is exported where it
    was not.

    ProblemError where there is none: with `at` as the pointer to where the client named it.
    """
    try:
        return await _source_of(house, name)
    except ProblemError as error:
        raise _blamed(error, at) from error


def _blamed(error: ProblemError, at: str | None) -> ProblemError:
    """The same, with a pointer to what is to blame."""
    if at is None or error.errors:
        return error
    return ProblemError(error.status, error.detail, [(at, error.detail)], retry=error.retry)


async def _source_of(house: House, name: str) -> str:
    asked = house.agents.individual(name)
    if asked is None:
        return house.agents.source(name)
    run, individual = asked
    path = house.agents.exported(run, individual)
    if not path.suffix:
        opened = house.index.open(run)
        check_individual(opened, individual)
        folder = str(opened.path)
        await house.search.ask("export", folder=folder, individual=individual, to=str(path))
        house.agents.prune(json.dumps([record.settings for record in house.jobs.all()]))
    return house.agents.source(name)
