"""Networks in agent files and descriptions, and the immediate rewards beside their forecasts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Description
from evolve.engine.networks.action_search import (
    DISCOUNT_OTHER,
    DISCOUNT_OWN,
    DISCOUNT_PASS,
    DISCOUNT_PASSED,
    DISCS,
    REWARD_CELLS,
)
from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network
from evolve.engine.search.context import SQUARE_CLASSES
from evolve.engine.search.evaluation import CLASS_OF_SQUARE
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


@dataclass(frozen=True)
class Rewards:
    """The immediate rewards that a network was taught to forecast.

    A search that plays moves out adds their rewards: the network's values start after these moves.

    Args:
        squares: V of the ten classes of squares, weight included: a move earns V(p) + V(flips).
        discs: weight of the mover's discs / 64 after a move.
        discount: per step, 0 to 1.
        step: a `ply` of either side, or the `turn` from an own move to the next own one.
    """

    squares: tuple[float, ...] = (0.0,) * SQUARE_CLASSES
    discs: float = 0.0
    discount: float = 1.0
    step: Literal["ply", "turn"] = "ply"

    def __post_init__(self) -> None:
        if (
            len(self.squares) != SQUARE_CLASSES
            or not np.isfinite([*self.squares, self.discs]).all()
        ):
            raise AgentError(
                f"rewards of squares must be {SQUARE_CLASSES} numbers, and of discs one, not "
                f"{list(self.squares)} and {self.discs}"
            )
        if not 0.0 <= self.discount <= 1.0:
            raise AgentError(f"the discount {self.discount} of rewards must be 0 to 1")
        if self.step not in ("ply", "turn"):
            raise AgentError(f"the step {self.step!r} of rewards must be ply or turn")

    @cached_property
    def cells(self) -> npt.NDArray[np.float64]:
        """The rewards as kernels read them, [REWARD_CELLS]."""
        cells = np.ones(REWARD_CELLS, np.float64)
        cells[:64] = np.array(self.squares)[np.array(CLASS_OF_SQUARE)]
        cells[DISCS] = self.discs
        cells[DISCOUNT_OWN] = self.discount
        if self.step == "ply":
            cells[DISCOUNT_OTHER] = self.discount
        else:
            cells[DISCOUNT_PASS] = self.discount
            # A side's next turn is one step away, however often the other side moves before it.
            cells[DISCOUNT_PASSED] = 1.0 / self.discount if self.discount else 1.0
        return cells

    def document(self) -> dict[str, Any]:
        """The rewards as JSON."""
        return {**asdict(self), "squares": list(self.squares)}

    @classmethod
    def of(cls, document: Any) -> Rewards:
        """The inverse of `document`; AgentError for anything else."""
        known = [field.name for field in fields(cls)]
        if not isinstance(document, dict) or not set(document) <= set(known):
            raise AgentError(f"rewards must be an object of {', '.join(known)}, not {document!r}")
        found = dict(document)
        squares = found.pop("squares", list(cls.squares))
        step = found.pop("step", cls.step)
        if not isinstance(squares, list) or any(
            type(number) not in (int, float) for number in (*squares, *found.values())
        ):
            raise AgentError(f"rewards must hold numbers, not {document!r}")
        return cls(tuple(map(float, squares)), step=step, **found)


NO_REWARDS: Final = Rewards()
"""For a network that was taught final results alone."""
