"""Reads agents from their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.files import header_of, read_agent_file, told_of
from evolve.agents.registry import stored_kind
from evolve.errors import AgentError, AgentFileError
from evolve.tables.arrays import Arrays


def read_agent(path: Path) -> StoredAgent:
    """The agent of a file; raises AgentFileError with the file's name and the fault."""
    with told_of(path):
        return agent_of(*read_agent_file(path))


def read_alphabeta(path: Path) -> AlphaBetaAgent:
    """The alpha-beta agent of a file, such as an evolution's champion; raises AgentFileError."""
    try:
        return as_alphabeta(read_agent(path), str(path))
    except AgentFileError:
        raise
    except AgentError as error:
        raise AgentFileError(str(error)) from error


def as_alphabeta(agent: Agent, source: str) -> AlphaBetaAgent:
    """The agent of `source`, if it is an alpha-beta agent; AgentError where it is another."""
    if not isinstance(agent, AlphaBetaAgent):
        raise AgentError(f"{source} is not an alpha-beta agent")
    return agent


def agent_of(document: Any, arrays: Arrays) -> StoredAgent:
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
