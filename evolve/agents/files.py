"""Agent files, readable without running code.

An alpha-beta agent is one JSON document. Agents with networks are `.npz` archives: the same
document under `header`, and the weights as arrays.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.dqn import DqnAgent, Rewards
from evolve.agents.mcts import MctsAgent
from evolve.documents import parse_json, read_document
from evolve.engine.genes import TERM_NAMES
from evolve.engine.network import MOST_WEIGHTS, Architecture, Network
from evolve.engine.rules import RULE_SETS
from evolve.errors import AgentError, AgentFileError
from evolve.tables.arrays import Arrays, read_arrays, write_arrays
from evolve.tables.atomic import write_text

FORMAT: Final = "evolve-agent"
VERSION: Final = 1
HEADER: Final = "header"

Stored = AlphaBetaAgent | MctsAgent | DqnAgent
"""Agents that files hold."""

_KINDS: Final = {AlphaBetaAgent: "alphabeta", MctsAgent: "mcts", DqnAgent: "dqn"}
# What parameters of each kind there must be, and what there may be beside.
_NETWORK: Final = ("input", "layers")
_REQUIRED: Final = {"alphabeta": ("weights", "depths"), "mcts": (), "dqn": _NETWORK}
_OPTIONAL: Final = {
    "alphabeta": (*TERM_NAMES, "boundaries", "endgame"),
    "mcts": ("simulations", "c", "selection", "endgame", "reuse", "order", *_NETWORK),
    "dqn": ("lookahead", "endgame", "networks", "rewards"),
}
_COLOURS: Final = ("black/", "white/")
_ZIP: Final = b"PK\x03\x04"
_LARGEST: Final = 8 * MOST_WEIGHTS
"""Bytes that an archive may unpack to."""


def agent_document(agent: Stored) -> dict[str, Any]:
    """The agent as the JSON document of its file: all but a network's weights."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": _KINDS[type(agent)],
        "rules": agent.rules,
        "name": agent.name,
        "parameters": agent.parameters,
        "provenance": dict(agent.provenance),
    }


def agent_arrays(agent: Stored) -> dict[str, npt.NDArray[np.float32]]:
    """The arrays of the agent's file."""
    if isinstance(agent, MctsAgent):
        return agent.network.arrays() if agent.network else {}
    if isinstance(agent, DqnAgent):
        prefixes = _COLOURS if len(agent.networks) == 2 else ("",)
        return {
            prefix + name: array
            for prefix, network in zip(prefixes, agent.networks, strict=True)
            for name, array in network.arrays().items()
        }
    return {}


def save_agent(agent: Stored, path: Path) -> None:
    """Write an agent file in one step; OSError when it cannot be written.

    Networks need a name that ends in .npz, and others one that does not: AgentError.
    """
    arrays = agent_arrays(agent)
    if bool(arrays) != (path.suffix.lower() == ".npz"):
        raise AgentError(
            f"{path}: the file of an agent with a network must end in .npz"
            if arrays
            else f"{path}: {agent.name} has no network to be kept in an .npz file; take .json"
        )
    text = json.dumps(agent_document(agent), indent=1)
    if not arrays:
        write_text(path, text + "\n")
        return
    write_arrays(path, {HEADER: np.array(text), **arrays})


def read_agent(path: Path) -> Stored:
    """The agent of a file; raises AgentFileError with the file's name and what is wrong."""
    try:
        with path.open("rb") as file:
            packed = file.read(len(_ZIP)) == _ZIP
        document, arrays = _unpacked(path) if packed else (_parsed(path), {})
        return agent_from_document(document, arrays)
    except OSError as error:
        raise AgentFileError(f"{path}: {error.strerror or error}") from error
    except AgentFileError as error:
        raise AgentFileError(f"{path}: {error}") from error


def read_alphabeta(path: Path) -> AlphaBetaAgent:
    """The same for the champion of an evolution, which is an alpha-beta agent."""
    agent = read_agent(path)
    if not isinstance(agent, AlphaBetaAgent):
        raise AgentFileError(f"{path} is no alpha-beta agent")
    return agent


def _parsed(source: Path | str) -> Any:
    """The document in a file, or in a text."""
    try:
        return parse_json(read_document(source) if isinstance(source, Path) else source)
    except UnicodeDecodeError as error:
        raise AgentFileError("this is no agent file: it is neither text nor .npz") from error
    except ValueError as error:
        raise AgentFileError(f"this is no agent file: {error}") from error


def _unpacked(path: Path) -> tuple[Any, dict[str, npt.NDArray[Any]]]:
    """Header and arrays of an archive; nothing is unpacked that is too large to be one."""
    try:
        arrays = read_arrays(path, _LARGEST, HEADER)
    except ValueError as error:
        raise AgentFileError(f"this is no agent file: {error}") from error
    header = arrays.pop(HEADER)
    if header.dtype.kind != "U" or header.ndim != 0:
        raise AgentFileError(f"this is no agent file: its {HEADER} is no text")
    return _parsed(str(header)), arrays


def agent_from_document(document: Any, arrays: Arrays | None = None) -> Stored:
    """The agent of a parsed agent file and its arrays; raises AgentFileError."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise AgentFileError(f'this is no agent file: it has no "format": "{FORMAT}"')
    version, kind = document.get("version"), document.get("kind")
    if version != VERSION:
        raise AgentFileError(f"version {version!r} is unknown; this evolve reads {VERSION}")
    if not isinstance(kind, str) or kind not in _REQUIRED:
        known = ", ".join(_REQUIRED)
        raise AgentFileError(f"agents of kind {kind!r} are unknown; this evolve reads {known}")
    parameters = document.get("parameters")
    if not isinstance(parameters, dict):
        raise AgentFileError("parameters are missing")
    required, optional = _REQUIRED[kind], _OPTIONAL[kind]
    missing = [key for key in required if key not in parameters]
    unknown = [key for key in parameters if key not in (*required, *optional)]
    if missing or unknown:
        faults = [f"parameter {key} is missing" for key in missing]
        raise AgentFileError("; ".join(faults + [f"parameter {key} is unknown" for key in unknown]))
    name, provenance = document.get("name", kind), document.get("provenance", {})
    if not isinstance(name, str) or not isinstance(provenance, dict):
        raise AgentFileError("name must be text and provenance an object")
    common = {"rules": document.get("rules"), "name": name, "provenance": provenance}
    try:
        return _made(kind, parameters, arrays or {}, common)
    except (AgentError, ValueError, TypeError) as error:
        raise AgentFileError(str(error)) from error


def _made(kind: str, parameters: dict[str, Any], arrays: Arrays, common: dict[str, Any]) -> Stored:
    if common["rules"] not in (None, *RULE_SETS):
        raise AgentError(f"there are no rules {common['rules']!r}")
    if kind == "alphabeta":
        return AlphaBetaAgent(**parameters, **common)
    own = dict(parameters)
    rewards = own.pop("rewards", {})  # files of before 0.2 do not tell
    description: dict[str, Any] = {key: own.pop(key) for key in _NETWORK if key in own}
    for key, value in own.items():
        wanted = {"selection": str, "order": str, "c": float, "reuse": bool}.get(key, int)
        if wanted is float and type(value) is int:
            own[key] = float(value)
        elif type(value) is not wanted:
            raise AgentError(f"{key} must be of type {wanted.__name__}, not {value!r}")
    if kind == "mcts":
        network = _networks(description, arrays, ("",))[0] if description else None
        return MctsAgent(**own, network=network, **common)
    count = own.pop("networks", 1)
    if count not in (1, 2):
        raise AgentError(f"networks {count}: one for both colours, or 2")
    prefixes = _COLOURS if count == 2 else ("",)
    networks = _networks(description, arrays, prefixes)
    return DqnAgent(networks, rewards=Rewards.of(rewards), **own, **common)


def _networks(
    description: dict[str, Any], arrays: Arrays, prefixes: tuple[str, ...]
) -> tuple[Network, ...]:
    layers = description.get("layers")
    if not isinstance(layers, list) or not all(isinstance(layer, str) for layer in layers):
        raise AgentError(f"layers must be a list of texts, not {layers!r}")
    architecture = Architecture(str(description.get("input")), tuple(layers))
    return tuple(
        Network.from_arrays(
            architecture,
            {n.removeprefix(prefix): array for n, array in arrays.items() if n.startswith(prefix)},
        )
        for prefix in prefixes
    )
