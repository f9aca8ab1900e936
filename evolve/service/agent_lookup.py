"""What the command line calls the agents that clients name by ids."""

from __future__ import annotations

import json

from evolve.agents.source import INDIVIDUAL
from evolve.service.models.agents import AgentDetail
from evolve.service.problems import ProblemError
from evolve.service.state import ServiceState
from evolve.service.tables import check_individual


async def agent_of_run(service: ServiceState, run: str, individual: str) -> AgentDetail:
    """An individual of a run described."""
    name = f"run:{run}:{individual}"
    source = seen_as(service, name)
    found = await service.search.ask("describe", source=source)
    about = f"individual {individual} of {run}"
    return AgentDetail.model_validate({"id": name, "origin": "run", "about": about, **found})


def seen_as(service: ServiceState, name: str, at: str | None = None) -> str:
    """What the searchers call an agent. Of an individual of a run no file is made.

    ProblemError where there is none: with `at` as the pointer to where the client named it.
    """
    try:
        asked = service.agents.individual(name)
        if asked is None:
            return service.agents.source(name)
        run, individual = asked
        opened = service.index.open(run)
        check_individual(opened, individual)
        settings = service.agents.settings(name)
        return f"{INDIVIDUAL}:{opened.path}:{individual}{settings}"
    except ProblemError as error:
        raise _blamed(error, at) from error


async def source_of(service: ServiceState, name: str, at: str | None = None) -> str:
    """What the command line calls an agent of a job; an individual of a run is exported where it
    was not.

    ProblemError where there is none: with `at` as the pointer to where the client named it.
    """
    try:
        return await _source_of(service, name)
    except ProblemError as error:
        raise _blamed(error, at) from error


def _blamed(error: ProblemError, at: str | None) -> ProblemError:
    """The same, with a pointer to what is to blame."""
    if at is None or error.errors:
        return error
    return ProblemError(error.status, error.detail, [(at, error.detail)], retry=error.retry)


async def _source_of(service: ServiceState, name: str) -> str:
    asked = service.agents.individual(name)
    if asked is None:
        return service.agents.source(name)
    run, individual = asked
    path = service.agents.exported(run, individual)
    if not path.suffix:
        opened = service.index.open(run)
        check_individual(opened, individual)
        folder = str(opened.path)
        await service.search.ask("export", folder=folder, individual=individual, to=str(path))
        service.agents.prune(json.dumps([record.settings for record in service.jobs.all()]))
    return service.agents.source(name)
