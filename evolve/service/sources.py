"""What the command line calls the agents that clients name by ids."""

from __future__ import annotations

from evolve.service.house import House
from evolve.service.models.agents import AgentDetail


async def agent_of_run(house: House, run: str, individual: str) -> AgentDetail:
    """An individual of a run described; its agent file is made where there is none yet."""
    name = f"run:{run}:{individual}"
    source = await source_of(house, name)
    found = await house.search.ask("describe", source=source)
    about = f"individual {individual} of {run}"
    return AgentDetail.model_validate({"id": name, "origin": "run", "about": about, **found})


async def source_of(house: House, name: str) -> str:
    """What the command line calls an agent; an individual of a run is exported where it was not."""
    asked = house.agents.individual(name)
    if asked is None:
        return house.agents.source(name)
    folder, individual = asked
    path = house.agents.exported(folder.name, individual)
    if not path.suffix:
        given = (folder / "evaluation.npz").exists()
        suffix = ".npz" if given else ".json"
        words = ["export", str(folder), "--individual", individual, "-o", "{to}"]
        made = await house.lending.made(words, suffix)
        made.replace(path.with_suffix(suffix))
    return house.agents.source(name)
