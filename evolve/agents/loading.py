"""An agent from whatever names one: a file, a run's folder, a reference agent, with settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.files import read_agent
from evolve.agents.protocol import Agent
from evolve.agents.random import RandomAgent
from evolve.agents.reference import REFERENCE_NAMES, reference_agent
from evolve.errors import AgentError, AgentFileError
from evolve.tables.layout import CHAMPION_FILE

_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")


def load_agent(
    source: str | Path, *, depth: int | None = None, endgame: int | None = None
) -> Agent:
    """The agent that `source` names, as on the command line.

    Args:
        source: an agent file, the folder of a run (its champion), or the name of a reference
            agent; settings may follow a question mark: `best.json?depth=8&endgame=16`.
        depth: search depth in every phase; None keeps the agent's own.
        endgame: exact search from that many empties; None keeps the agent's own.

    Raises AgentError (AgentFileError for files).
    """
    place, settings = _split(str(source))
    agent = _load(place)
    if depth is not None:
        settings["depth"] = depth
    if endgame is not None:
        settings["endgame"] = endgame
    return _set(agent, settings, place)


def _split(source: str) -> tuple[str, dict[str, int]]:
    place, mark, query = source.partition("?")
    settings: dict[str, int] = {}
    for part in query.split("&") if mark else []:
        key, equals, value = part.partition("=")
        if not equals or not _WHOLE.fullmatch(value.strip()):
            raise AgentError(
                f"{part!r} in {source!r} is no setting; write for example {place}?depth=3&endgame=8"
            )
        settings[key.strip()] = int(value)
    return place, settings


def _load(place: str) -> Agent:
    path = Path(place)
    if place in REFERENCE_NAMES:
        return reference_agent(place)
    if path.is_dir():
        champion = path / CHAMPION_FILE
        if not champion.exists():
            raise AgentFileError(f"{place} has no {CHAMPION_FILE}: no generation is finished there")
        return read_agent(champion)
    if not path.exists():
        names = ", ".join(REFERENCE_NAMES)
        raise AgentError(
            f"there is no agent {place!r}: no such file or folder, nor a reference agent ({names})"
        )
    return read_agent(path)


def _set(agent: Agent, settings: Mapping[str, int], place: str) -> Agent:
    known = ("depth", "endgame") if isinstance(agent, AlphaBetaAgent) else ("seed",)
    for key in settings:
        if key not in known:
            raise AgentError(f"{place} has no setting {key!r}; it has {' and '.join(known)}")
    if not settings:
        return agent
    named = agent.name + "?" + "&".join(f"{key}={value}" for key, value in settings.items())
    if isinstance(agent, AlphaBetaAgent):
        changed = agent.at(settings.get("depth"), settings.get("endgame"))
        return changed.changed(name=named)
    return RandomAgent(seed=settings["seed"], rules=agent.rules, name=named)
