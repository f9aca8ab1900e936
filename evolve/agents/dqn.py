"""The DQN agent, which plays the move that its network values most; networks in agent files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar, Final, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model
from pydantic.dataclasses import dataclass as pydantic_dataclass

from evolve.agents.agent import Description, Setting, StoredAgent, check_play, moves_to_choose
from evolve.agents.agent_file import Arrays, Fields
from evolve.agents.analysis import Analysis
from evolve.agents.memory import thread_context, thread_scratch
from evolve.engine.board.bits import U
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules, rule_set
from evolve.engine.networks import action_search
from evolve.engine.networks.action_search import action_values
from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network
from evolve.engine.search import context as layout
from evolve.engine.search.context import SQUARE_CLASSES
from evolve.engine.search.evaluation import CLASS_OF_SQUARE
from evolve.engine.search.solver import solve_in_order
from evolve.errors import AgentError
from evolve.number_text import whole
from evolve.standalone.render import NetworkPlay, render_network

NETWORK_PARAMETERS: Final = ("input", "layers")
_MOST_LOOKAHEAD: Final = 4
_PARAMETERS: Final = {"lookahead": int, "endgame": int, "networks": int}
"""The parameters in files, beside rewards and networks, with their types."""
_COLOURS: Final = ("black/", "white/")


def description_of(network: Network) -> dict[str, Any]:
    """A network in a document: all but its weights."""
    architecture = network.architecture
    return {"input": architecture.input, "layers": list(architecture.layers)}


def checked(parameters: Mapping[str, Any], types: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a document that `types` names, with their types checked.

    A whole number counts as a float. Raises ValidationError, a ValueError.
    """
    fields: dict[str, Any] = {key: (kind, None) for key, kind in types.items()}
    model: type[BaseModel] = create_model(
        "Parameters", __config__=ConfigDict(strict=True), **fields
    )
    return model.model_validate(parameters).model_dump(exclude_unset=True)


def network_of(parameters: Mapping[str, Any], arrays: Arrays, prefix: str = "") -> Network:
    """The network that a document describes, with the arrays under `prefix`."""
    known = checked(parameters, {"input": str, "layers": list[str]})
    architecture = Architecture(known.get("input", ""), tuple(known.get("layers", ())))
    own = {n.removeprefix(prefix): array for n, array in arrays.items() if n.startswith(prefix)}
    return Network.from_arrays(architecture, own)


def described(facts: Mapping[str, Any], network: Network | None) -> Description:
    """The description of an agent for people: its settings, and its network's layers."""
    apart = ("endgame", *NETWORK_PARAMETERS)
    lines = [f"{key}: {value}" for key, value in facts.items() if key not in apart]
    if network is not None:
        weights = sum(matrix.size + bias.size for matrix, bias in network.weights)
        lines.append(f"network: {network.architecture.input}, {whole(weights)} weights")
        lines += [f"  {layer}" for layer in network.architecture.layers]
    return Description((f"exact from {facts['endgame']} empties",), lines)


@pydantic_dataclass(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
class Rewards:
    """The immediate rewards that a network was taught to forecast.

    A search that plays moves out adds their rewards: the network's values start after these moves.

    Args:
        squares: V of the ten classes of squares, weight included: a move earns V(p) + V(flips).
        discs: weight of the mover's discs / 64 after a move.
        discount: per step, 0 to 1.
        step: a `ply` of either side, or the `turn` from an own move to the next own one.
    """

    squares: Annotated[
        tuple[float, ...], Field(min_length=SQUARE_CLASSES, max_length=SQUARE_CLASSES)
    ] = (0.0,) * SQUARE_CLASSES
    discs: float = 0.0
    discount: Annotated[float, Field(ge=0.0, le=1.0)] = 1.0
    step: Literal["ply", "turn"] = "ply"

    @cached_property
    def cells(self) -> npt.NDArray[np.float64]:
        """The rewards as kernels read them, [REWARD_CELLS]."""
        cells = np.ones(action_search.REWARD_CELLS, np.float64)
        cells[:64] = np.array(self.squares)[np.array(CLASS_OF_SQUARE)]
        cells[action_search.DISCS] = self.discs
        cells[action_search.DISCOUNT_OWN] = self.discount
        if self.step == "ply":
            cells[action_search.DISCOUNT_OTHER] = self.discount
        else:
            cells[action_search.DISCOUNT_PASS] = self.discount
            # A side's next turn is one step away, however often the other side moves before it.
            cells[action_search.DISCOUNT_PASSED] = 1.0 / self.discount if self.discount else 1.0
        return cells

    def document(self) -> dict[str, Any]:
        """The rewards as JSON."""
        return {**asdict(self), "squares": list(self.squares)}


NO_REWARDS: Final = Rewards()
"""For a network that was taught final results alone."""


@dataclass(frozen=True)
class DqnAgent(StoredAgent):
    """Plays the legal move of the highest value, among equals the lowest square.

    Args:
        networks: one network for both colours, or those of black and of white; their output is
            `actions` or `action`.
        lookahead: plies to play out before the network values a position, 0 to 4: with 0 it values
            the current moves, with 1 the replies to each, and so on. A gain of one side counts as
            a loss of the other, so networks taught by halves, by shares or by shaping misjudge
            lines with a pass.
        rewards: the rewards of the moves on those plies, as far as the network was taught them.
        endgame: exact search from that many empties; in a lost position the network decides.
        rules: the rules to play by; None (any) plays `standard` by default.
    """

    networks: tuple[Network, ...]
    lookahead: int = 0
    endgame: int = 0
    rewards: Rewards = NO_REWARDS
    rules: Rules | None = None
    name: str = "dqn"
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)

    kind: ClassVar[str] = "dqn"
    required: ClassVar[tuple[str, ...]] = NETWORK_PARAMETERS
    optional: ClassVar[tuple[str, ...]] = (*_PARAMETERS, "rewards")
    settings: ClassVar[Mapping[str, Setting]] = {
        "lookahead": Setting("lookahead"),
        "endgame": Setting("endgame"),
    }
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_play(self.rules, self.endgame)
        if len(self.networks) not in (1, 2):
            raise AgentError(f"{len(self.networks)} networks: one for both colours, or one each")
        for network in self.networks:
            if network.architecture.output not in ("actions", "action"):
                raise AgentError(
                    f"choosing needs a network that values moves, not {network.architecture}"
                )
        if not 0 <= self.lookahead <= _MOST_LOOKAHEAD:
            raise AgentError(f"lookahead {self.lookahead} must be 0 to {_MOST_LOOKAHEAD}")

    def choose(self, board: Board) -> int:
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the number of positions entered, exact search included."""
        moves_to_choose(board)
        values, nodes = self._valued(board)
        ranked = list(values)
        if board.empties <= self.endgame:
            context = thread_context(self._rules, layout.table_bits_for(board.empties))
            context[layout.NODES] = context[layout.STOPPED] = 0
            square, score = solve_in_order(
                U(board.own), U(board.opp), np.array(ranked, np.int64), context.ctypes.data
            )
            nodes += int(context[layout.NODES])
            if score >= 0:
                return int(square), nodes
        return ranked[0], nodes

    def analyse(self, board: Board) -> Analysis:
        """The value of every legal move, as the network was taught."""
        values = self._valued(board)[0]
        return Analysis(values, "value", None, (next(iter(values)),))

    @property
    def identity(self) -> Any:
        return [self.name, self.parameters, [network.digest for network in self.networks]]

    def _valued(self, board: Board) -> tuple[dict[int, float], int]:
        """The value of every legal move, the best first, and the number of positions entered."""
        values = np.zeros(64, np.float64)
        side = 1 if board.side == "black" else -1
        scratch = thread_scratch(max(network.scratch_size for network in self.networks))
        entered = action_values(
            U(board.own),
            U(board.opp),
            side,
            self.lookahead,
            np.array([self.networks[0].address, self.networks[-1].address], np.int64),
            self.rewards.cells,
            scratch.ctypes.data,
            rule_set(self._rules).code,
            values,
        )
        ranked = sorted(board.legal_moves(), key=lambda square: -values[square])
        return {square: float(values[square]) for square in ranked}, int(entered)

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "lookahead": self.lookahead,
            "endgame": self.endgame,
            "networks": len(self.networks),
            **description_of(self.networks[0]),
            "rewards": self.rewards.document(),
        }

    @property
    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """The networks' weights; with two networks, each under the name of its colour."""
        prefixes = _COLOURS if len(self.networks) == 2 else ("",)
        return {
            prefix + name: array
            for prefix, network in zip(prefixes, self.networks, strict=True)
            for name, array in network.arrays().items()
        }

    @classmethod
    def from_parts(cls, parameters: Fields, arrays: Arrays, common: Fields) -> Self:
        own = checked(parameters, _PARAMETERS)
        count = own.pop("networks", 1)
        if count not in (1, 2):
            raise AgentError(f"networks {count}: one for both colours, or 2")
        prefixes = _COLOURS if count == 2 else ("",)
        networks = tuple(network_of(parameters, arrays, prefix) for prefix in prefixes)
        # Files from before 0.2 hold no rewards.
        rewards = TypeAdapter(Rewards).validate_python(parameters.get("rewards", {}))
        return cls(networks, rewards=rewards, **own, **common)

    def describe(self) -> Description:
        return described(self.parameters, self.networks[0])

    def python_source(self, numba: bool = False) -> str:
        return render_network(self.networks, self._play, *self._about, numba)

    @property
    def play(self) -> str:
        return self._play.in_words()

    @property
    def _play(self) -> NetworkPlay:
        return NetworkPlay("dqn", self.endgame, self.rewards.cells, lookahead=self.lookahead)
