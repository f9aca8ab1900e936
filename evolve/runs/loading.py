"""Loads an agent by name: a file, a run's folder, a reference agent or a program, with settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.reading import as_alphabeta, read_agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.files import header_of, read_agent_file, told_of
from evolve.agents.registry import (
    PROGRAM_FORMS,
    PROGRAMS,
    REFERENCES,
    program_agent,
    reference_agent,
    stored_kind,
)
from evolve.agents.source import CWD, source_of
from evolve.errors import AgentError, AgentFileError
from evolve.files.folder import FolderPath, inside
from evolve.tables.arrays import Arrays
from evolve.tables.paths import BEST_FILE, CHAMPION_FILE, LEARNED_FILE, STUDY_FILE
from evolve.runs.run_types import champion_of
from evolve.terminal_text import plain


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
            agent, or a program as `gtp:COMMAND`, `nboard:COMMAND` or `python:FILE.py`
            (`python:FILE.py:CLASS` names the class); settings may follow a question mark:
            `best.json?depth=8&endgame=16`, `gtp:gtp-rhino --level=3?time=5&cwd=engines`.
        depth: search depth in every phase; None keeps the agent's own.
        endgame: exact search from that many empties; None keeps the agent's own.
        time: seconds per move, to search as deep as they allow (to `depth` at most, if given);
            None plays to the agent's depths.

    Raises AgentError (AgentFileError for files).
    """
    named = source_of(str(source))
    settings = named.settings
    agent = _load(named.place, settings.get(CWD))
    given = {"depth": depth, "endgame": endgame, "time": time}
    settings.update({key: value for key, value in given.items() if value is not None})
    return _with_settings(agent, settings, named.place)


def with_settings(agent: Agent, source: str) -> Agent:
    """The agent with the settings after the question mark of `source`; raises AgentError."""
    named = source_of(source)
    return _with_settings(agent, named.settings, named.place)


def load_alphabeta(source: str | Path) -> AlphaBetaAgent:
    """The alpha-beta agent that `source` names; AgentError for another kind of agent."""
    return as_alphabeta(load_agent(source), str(source))


def _load(place: str, folder: str | None) -> Agent:
    """The agent of a place, without settings; folder: where a program is searched for and runs."""
    protocol, colon, command = place.partition(":")
    if colon and protocol in PROGRAMS:
        return program_agent(protocol, command, folder)
    path = Path(place)
    if place in REFERENCES:
        return reference_agent(place)
    if path.is_dir():
        champion = champion_of(inside(path))
        if champion is None:
            raise AgentFileError(f"{place} {_without_champion(inside(path))}")
        return read_agent(champion)
    if not path.exists():
        names = ", ".join(REFERENCES)
        raise AgentError(
            f"there is no agent '{plain(place)}': no such file or folder, no reference agent "
            f"({names}), and no program ({', '.join(PROGRAM_FORMS)})"
        )
    if path.suffix.lower() == ".py":
        raise AgentFileError(
            f"{place} is Python code, which plays as a program: python:{place}, or gtp:COMMAND or "
            "nboard:COMMAND where it speaks these"
        )
    return read_agent(path)


def _without_champion(folder: FolderPath) -> str:
    if (folder / STUDY_FILE).exists():
        return "is a study: name one of its runs, such as " + str(folder / "seed-0")
    if (folder / BEST_FILE).exists():
        return f"tuned a program: {folder / BEST_FILE} has the command with its parameters"
    return f"has no champion yet: no {CHAMPION_FILE}, no {LEARNED_FILE}"


def _with_settings(agent: Agent, settings: Mapping[str, Any], place: str) -> Agent:
    if not settings:
        return agent
    known = agent.settings
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in known:
            there = f"it has {', '.join(known)}" if known else "it has none"
            raise AgentError(f"{place} has no setting {key!r}; {there}")
        wanted = known[key].type
        if wanted not in (float, str) and value != int(value):
            raise AgentError(f"{key}={value} of {place} must be a whole number")
        values[key] = wanted(value)
    named = agent.name + "?" + "&".join(f"{key}={value}" for key, value in settings.items())
    return agent.with_settings(values, named)
