"""Agent files: one JSON document an agent, readable without running code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.context import TERM_NAMES
from evolve.errors import AgentError, AgentFileError
from evolve.tables.atomic import write_text

FORMAT: Final = "evolve-agent"
VERSION: Final = 1
KIND: Final = "alphabeta"

_PARAMETERS: Final = ("weights", *TERM_NAMES, "depths", "boundaries", "endgame")
_REQUIRED: Final = ("weights", "depths")


def agent_document(agent: AlphaBetaAgent) -> dict[str, Any]:
    """The agent as the JSON document of its file."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": KIND,
        "rules": agent.rules,
        "name": agent.name,
        "parameters": agent.parameters,
        "provenance": dict(agent.provenance),
    }


def save_agent(agent: AlphaBetaAgent, path: Path) -> None:
    """Write an agent file in one step; OSError when it cannot be written."""
    write_text(path, json.dumps(agent_document(agent), indent=1) + "\n")


def read_agent(path: Path) -> AlphaBetaAgent:
    """The agent of a file; raises AgentFileError with the file's name and what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise AgentFileError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise AgentFileError(f"{path} is no agent file: it is not text") from error
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: no JSON, or an endless number
        raise AgentFileError(f"{path} is no agent file: {error}") from error
    try:
        return agent_from_document(document)
    except AgentFileError as error:
        raise AgentFileError(f"{path}: {error}") from error


def agent_from_document(document: Any) -> AlphaBetaAgent:
    """The agent of a parsed agent file; raises AgentFileError."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise AgentFileError(f'this is no agent file: it has no "format": "{FORMAT}"')
    version, kind = document.get("version"), document.get("kind")
    if version != VERSION:
        raise AgentFileError(f"version {version!r} is unknown; this evolve reads {VERSION}")
    if kind != KIND:
        raise AgentFileError(f"agents of kind {kind!r} are unknown; this evolve reads {KIND}")
    parameters = document.get("parameters")
    if not isinstance(parameters, dict):
        raise AgentFileError("parameters are missing")
    missing = [key for key in _REQUIRED if key not in parameters]
    unknown = [key for key in parameters if key not in _PARAMETERS]
    if missing or unknown:
        faults = [f"parameter {key} is missing" for key in missing]
        raise AgentFileError("; ".join(faults + [f"parameter {key} is unknown" for key in unknown]))
    name, provenance = document.get("name", KIND), document.get("provenance", {})
    if not isinstance(name, str) or not isinstance(provenance, dict):
        raise AgentFileError("name must be text and provenance an object")
    try:
        return AlphaBetaAgent(
            **parameters, rules=document.get("rules"), name=name, provenance=provenance
        )
    except (AgentError, ValueError, TypeError) as error:
        raise AgentFileError(str(error)) from error
