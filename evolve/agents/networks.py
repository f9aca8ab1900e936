"""Networks in agent files and descriptions, for all kinds of agents that have one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evolve.agents.agent import Description
from evolve.engine.architecture import Architecture
from evolve.engine.network import Network
from evolve.errors import AgentError
from evolve.tables.arrays import Arrays

NETWORK_PARAMETERS: Final = ("input", "layers")


def description_of(network: Network) -> dict[str, Any]:
    """A network in a document: all but its weights."""
    architecture = network.architecture
    return {"input": architecture.input, "layers": list(architecture.layers)}


def checked(parameters: Mapping[str, Any], types: Mapping[str, type]) -> dict[str, Any]:
    """The parameters of a document that `types` names, with their types checked.

    A whole number counts as a float. Raises AgentError.
    """
    found: dict[str, Any] = {}
    for key, value in parameters.items():
        if key not in types:
            continue
        wanted = types[key]
        if wanted is float and type(value) is int:
            found[key] = float(value)
        elif type(value) is wanted:
            found[key] = value
        else:
            raise AgentError(f"{key} must be of type {wanted.__name__}, not {value!r}")
    return found


def network_of(parameters: Mapping[str, Any], arrays: Arrays, prefix: str = "") -> Network:
    """The network that a document describes, with the arrays under `prefix`."""
    layers = parameters.get("layers")
    if not isinstance(layers, list) or not all(isinstance(layer, str) for layer in layers):
        raise AgentError(f"layers must be a list of texts, not {layers!r}")
    architecture = Architecture(str(parameters.get("input")), tuple(layers))
    own = {n.removeprefix(prefix): array for n, array in arrays.items() if n.startswith(prefix)}
    return Network.from_arrays(architecture, own)


def described(facts: Mapping[str, Any], network: Network | None) -> Description:
    """The description of an agent for people: its settings, and its network's layers."""
    lines = [f"{key}: {value}" for key, value in facts.items() if key != "endgame"]
    if network is not None:
        weights = sum(matrix.size + bias.size for matrix, bias in network.weights)
        lines.append(f"network: {network.architecture.input}, {weights} weights")
        lines += [f"  {layer}" for layer in network.architecture.layers]
    return Description((f"exact from {facts['endgame']} empties",), lines)
