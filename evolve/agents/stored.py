"""Reads agents from their files, and makes reference agents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.agent_file import header_of, read_agent_file, told_of
from evolve.agents.registry import KINDS, REFERENCES
from evolve.errors import AgentError, AgentFileError
from evolve.extras import imported
from evolve.tables.arrays import Arrays


def read_agent(path: Path) -> StoredAgent:
    """The agent of a file; raises AgentFileError with the file's name and the fault."""
    with told_of(path):
        return _agent_of(*read_agent_file(path))


def _agent_of(document: Any, arrays: Arrays) -> StoredAgent:
    """The agent of a parsed agent file and its arrays; raises AgentFileError."""
    header = header_of(document)
    made = stored_kind(header.kind)
    missing = [key for key in made.required if key not in header.parameters]
    unknown = [key for key in header.parameters if key not in (*made.required, *made.optional)]
    if missing or unknown:
        faults = [f"parameter {key} is missing" for key in missing]
        raise AgentFileError("; ".join(faults + [f"parameter {key} is unknown" for key in unknown]))
    common = {"rules": header.rules, "name": header.name, "provenance": header.provenance}
    try:
        return made.from_parts(header.parameters, arrays, common)
    except (AgentError, ValueError, TypeError) as error:
        raise AgentFileError(str(error)) from error


def stored_kind(name: object) -> type[StoredAgent]:
    """The class of this kind of agent; AgentError when there is none."""
    return cast("type[StoredAgent]", imported(listed(KINDS, name, "kind of agent")))


def reference_agent(name: str) -> Agent:
    """The reference agent of that name; AgentError when there is none.

    Tables play at depth 1 without an exact end, champions as they were evolved, patterns as they
    were taught.
    """
    place = listed(REFERENCES, name, "reference agent")
    if place.startswith("champions/"):
        return read_agent(Path(__file__).with_name("champions") / place.removeprefix("champions/"))
    return cast("Agent", imported(place)(name=name))


def listed(places: Mapping[str, str], name: object, what: str) -> str:
    """The place of a name; AgentError, which says what there is, for an unknown one."""
    place = places.get(name) if isinstance(name, str) else None
    if place is None:
        raise AgentError(f"there is no {what} {name!r}; there are {', '.join(places)}")
    return place
