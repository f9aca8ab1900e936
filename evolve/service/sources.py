"""What the command line calls the agents that clients name by ids."""

from __future__ import annotations

from evolve.service.house import House
from evolve.service.models.agents import AgentDetail
from evolve.service.problems import ProblemError
from evolve.service.rows import check_individual


async def agent_of_run(house: House, run: str, individual: str) -> AgentDetail:
    """An individual of a run described; its agent file is made where there is none yet."""
    name = f"run:{run}:{individual}"
    source = await source_of(house, name)
    found = await house.search.ask("describe", source=source)
    about = f"individual {individual} of {run}"
    return AgentDetail.model_validate({"id": name, "origin": "run", "about": about, **found})


async def source_of(house: House, name: str, at: str | None = None) -> str:
    """What the command line calls an agent; an individual of a run is exported where it was not.

    ProblemError where there is none: with `at` as the pointer to where the client named it.
    """
    try:
        return await _source_of(house, name)
    except ProblemError as error:
        if at is None or error.errors:
            raise
        raise ProblemError(error.status, error.detail, [(at, error.detail)]) from error


async def _source_of(house: House, name: str) -> str:
    asked = house.agents.individual(name)
    if asked is None:
        return house.agents.source(name)
    folder, individual = asked
    path = house.agents.exported(folder.name, individual)
    if not path.suffix:
        check_individual(house.index.open(folder.name), individual)
        await house.search.ask("export", folder=str(folder), individual=individual, to=str(path))
    return house.agents.source(name)
