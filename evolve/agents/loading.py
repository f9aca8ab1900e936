"""An agent from whatever names one: a file, a run's folder, a reference agent, with settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.clocked import ClockedAgent
from evolve.agents.dqn import DqnAgent
from evolve.agents.external import PROTOCOLS, ExternalAgent
from evolve.agents.files import read_agent
from evolve.agents.mcts import MctsAgent
from evolve.agents.protocol import Agent
from evolve.agents.random import RandomAgent
from evolve.agents.reference import REFERENCE_NAMES, reference_agent
from evolve.engine.search import MAX_DEPTH
from evolve.errors import AgentError, AgentFileError
from evolve.tables.kinds import champion_of
from evolve.tables.layout import CHAMPION_FILE, LEARNED_FILE

_REALS: Final = ("time", "c", "c_puct")
"""Settings that need not be whole numbers."""
_LIKE_SETTINGS: Final = re.compile(r"\w+=\S*")
_PROGRAM: Final = re.compile(rf"(^|[\s,;=])({'|'.join(PROTOCOLS)}):")
"""Also in a list that is still one text."""
_SETTING: Final = re.compile(r"\s*(\w+)\s*=\s*(-?(?:[0-9]{1,18}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}))\s*")


def load_agent(
    source: str | Path,
    *,
    depth: int | None = None,
    endgame: int | None = None,
    time: float | None = None,
) -> Agent:
    """The agent that `source` names, as on the command line.

    Args:
        source: an agent file, the folder of a run (its champion), the name of a reference
            agent, or a program as `gtp:COMMAND` or `nboard:COMMAND`; settings may follow a
            question mark: `best.json?depth=8&endgame=16`, `gtp:gtp-rhino --level=3?time=5`.
        depth: search depth in every phase; None keeps the agent's own.
        endgame: exact search from that many empties; None keeps the agent's own.
        time: seconds a move, for searches as deep as they allow (and `depth`, where given, at
            most); None plays to the agent's depths.

    Raises AgentError (AgentFileError for files).
    """
    place, settings = _split(str(source))
    agent = _load(place)
    given = {"depth": depth, "endgame": endgame, "time": time}
    settings.update({key: value for key, value in given.items() if value is not None})
    return _set(agent, settings, place)


def programs_in(settings: BaseModel) -> list[str]:
    """What in settings names a program that would be run: each once, as it stands there."""
    found: dict[str, None] = {}

    def look(value: Any) -> None:
        if isinstance(value, str) and _PROGRAM.search(value):
            found[value] = None
        elif isinstance(value, Mapping):
            for key, item in value.items():
                look(key)
                look(item)
        elif isinstance(value, list | tuple):
            for item in value:
                look(item)

    look(settings.model_dump(mode="json"))
    return list(found)


def _split(source: str) -> tuple[str, dict[str, float]]:
    if source.partition(":")[0] in PROTOCOLS:
        # A command may hold question marks of its own.
        place, mark, query = source.rpartition("?")
        if not _LIKE_SETTINGS.fullmatch(query):
            place, mark, query = source, "", ""
    else:
        place, mark, query = source.partition("?")
    settings: dict[str, float] = {}
    for part in query.split("&") if mark else []:
        found = _SETTING.fullmatch(part)
        if not found:
            raise AgentError(
                f"{part!r} in {source!r} is no setting; write for example {place}?depth=3&endgame=8"
            )
        settings[found[1]] = float(found[2]) if "." in found[2] else int(found[2])
    return place, settings


def _load(place: str) -> Agent:
    protocol, colon, command = place.partition(":")
    if colon and protocol in PROTOCOLS:
        return ExternalAgent(protocol, command)
    path = Path(place)
    if place in REFERENCE_NAMES:
        return reference_agent(place)
    if path.is_dir():
        champion = champion_of(path)
        if champion is None:
            raise AgentFileError(
                f"{place} has no {CHAMPION_FILE} or {LEARNED_FILE}: no generation or check is "
                "finished there"
            )
        return read_agent(champion)
    if not path.exists():
        names = ", ".join(REFERENCE_NAMES)
        raise AgentError(
            f"there is no agent {place!r}: no such file or folder, no reference agent ({names}), "
            "and no program (gtp:COMMAND, nboard:COMMAND)"
        )
    if path.suffix.lower() == ".py":
        raise AgentFileError(
            f"{place} is Python code, which plays only as a program that speaks GTP or NBoard, "
            "gtp:COMMAND or nboard:COMMAND; an agent that was exported is named by the run or the "
            "agent file it came from"
        )
    return read_agent(path)


def _set(agent: Agent, settings: Mapping[str, float], place: str) -> Agent:
    if not settings:
        return agent
    known = _settings_of(agent)
    for key, value in settings.items():
        if key not in known:
            raise AgentError(f"{place} has no setting {key!r}; it has {', '.join(known)}")
        if key not in _REALS and value != int(value):
            raise AgentError(f"{key}={value} of {place} must be a whole number")
    named = agent.name + "?" + "&".join(f"{key}={value}" for key, value in settings.items())
    whole = {key: int(value) for key, value in settings.items() if key not in _REALS}
    if isinstance(agent, ExternalAgent):
        seconds = settings.get("time", agent.seconds)
        return replace(agent, seconds=seconds, depth=whole.get("depth"), name=named)
    if isinstance(agent, MctsAgent):
        return replace(
            agent,
            simulations=whole.get("simulations", agent.simulations),
            c=settings.get("c_puct", settings.get("c", agent.c)),
            endgame=whole.get("endgame", agent.endgame),
            seconds=settings.get("time", agent.seconds),
            seed=whole.get("seed", agent.seed),
            reuse=bool(whole.get("reuse", agent.reuse)),
            name=named,
        )
    if isinstance(agent, DqnAgent):
        return replace(
            agent,
            lookahead=whole.get("lookahead", agent.lookahead),
            endgame=whole.get("endgame", agent.endgame),
            name=named,
        )
    if not isinstance(agent, AlphaBetaAgent):
        return RandomAgent(seed=whole["seed"], rules=agent.rules, name=named)
    changed = agent.at(whole.get("depth"), whole.get("endgame")).changed(name=named)
    if "time" in settings:
        return ClockedAgent(changed, settings["time"], whole.get("depth", MAX_DEPTH))
    return changed


def _settings_of(agent: Agent) -> tuple[str, ...]:
    if isinstance(agent, ExternalAgent):
        return ("time", "depth") if agent.protocol == "nboard" else ("time",)
    if isinstance(agent, MctsAgent):
        weight = "c" if agent.selection == "ucb1" else "c_puct"
        return ("simulations", weight, "endgame", "time", "seed", "reuse")
    if isinstance(agent, DqnAgent):
        return ("lookahead", "endgame")
    return ("depth", "endgame", "time") if isinstance(agent, AlphaBetaAgent) else ("seed",)
