"""Finds what the command line and the searchers call the agents that clients name by id."""

from __future__ import annotations

import json

from evolve.agents.source import INDIVIDUAL
from evolve.service.models.agents import AgentDetail
from evolve.service.problems import ProblemError
from evolve.service.state import ServiceState
from evolve.service.tables import check_individual


async def agent_of_run(service: ServiceState, run: str, individual: str) -> AgentDetail:
    """The description of an individual of a run."""
    name = f"run:{run}:{individual}"
    source = seen_as(service, name)
    found = await service.search.ask("describe", source=source)
    about = f"individual {individual} of {run}"
    return AgentDetail.model_validate({"id": name, "origin": "run", "about": about, **found})


def seen_as(service: ServiceState, name: str, at: str | None = None) -> str:
    """The name of an agent for the searchers; makes no file of an individual of a run.

    Raises ProblemError where there is no such agent, with `at` as the pointer to where the client
    named it.
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
    """The name of a job's agent on the command line; exports an individual where needed.

    Raises ProblemError where there is no such agent, with `at` as the pointer to where the client
    named it.
    """
    try:
        return await _source_of(service, name)
    except ProblemError as error:
        raise _blamed(error, at) from error


def _blamed(error: ProblemError, at: str | None) -> ProblemError:
    """The same error with a pointer to what is wrong, where it has none."""
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
