"""The agent that plays the move its network values most: what a DQN has learned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from evolve.agents.alphabeta import thread_context
from evolve.agents.memory import thread_scratch
from evolve.engine import context as layout
from evolve.engine.bits import U
from evolve.engine.board import Board, Rules
from evolve.engine.context import SQUARE_CLASSES
from evolve.engine.evaluation import CLASS_OF_SQUARE
from evolve.engine.greedy import action_values
from evolve.engine.network import Network
from evolve.engine.rewards import (
    DISCOUNT_OTHER,
    DISCOUNT_OWN,
    DISCOUNT_PASS,
    DISCOUNT_PASSED,
    DISCS,
    REWARD_CELLS,
)
from evolve.engine.solver import solve_in_order
from evolve.errors import AgentError, IllegalMoveError

MOST_LOOKAHEAD: Final = 4


@dataclass(frozen=True)
class Rewards:
    """What moves earn at once, of what a network was taught to forecast.

    A search that plays moves out counts what they earn, as the network's values begin after them.

    Args:
        squares: V of the ten classes of squares, weight included: a move earns V(p) + V(flips).
        discs: weight of the mover's discs / 64 after a move.
        discount: of a step, 0 to 1.
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
        """All of it as the kernels read it, [REWARD_CELLS]."""
        cells = np.ones(REWARD_CELLS, np.float64)
        cells[:64] = np.array(self.squares)[np.array(CLASS_OF_SQUARE)]
        cells[DISCS] = self.discs
        cells[DISCOUNT_OWN] = self.discount
        if self.step == "ply":
            cells[DISCOUNT_OTHER] = self.discount
        else:
            cells[DISCOUNT_PASS] = self.discount
            # The own next turn is one step away, however often the other side moves before it.
            cells[DISCOUNT_PASSED] = 1.0 / self.discount if self.discount else 1.0
        return cells

    def document(self) -> dict[str, Any]:
        """The same as JSON."""
        return {**asdict(self), "squares": list(self.squares)}

    @classmethod
    def of(cls, document: Any) -> Rewards:
        """What `document` gave; AgentError when it is none."""
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


@dataclass(frozen=True)
class DqnAgent:
    """Plays the legal move of the highest value, of equals the lowest square.

    Args:
        networks: the one that plays both colours, or those of black and of white; their output
            is `actions` or `action`.
        lookahead: plies that are played out before the network is asked, 0 to 4: 0 asks it
            about the moves at hand, 1 about the replies to each, and so on. What is good for one
            side counts as bad for the other, so networks taught by halves, by shares or by
            shaping judge lines with a pass askew.
        rewards: what the moves on those plies earn, as far as the network was taught to count it.
        endgame: exact search from that many empties; a lost position is left to the network.
        rules: the rules to play by; None (any) plays `standard` until told otherwise.
    """

    networks: tuple[Network, ...]
    lookahead: int = 0
    endgame: int = 0
    rewards: Rewards = Rewards()
    rules: Rules | None = None
    name: str = "dqn"
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if len(self.networks) not in (1, 2):
            raise AgentError(f"{len(self.networks)} networks: one for both colours, or one each")
        for network in self.networks:
            if network.architecture.output not in ("actions", "action"):
                raise AgentError(
                    f"choosing needs a network that values moves, not {network.architecture}"
                )
        if not 0 <= self.lookahead <= MOST_LOOKAHEAD:
            raise AgentError(f"lookahead {self.lookahead} must be 0 to {MOST_LOOKAHEAD}")
        if not 0 <= self.endgame <= 60:
            raise AgentError(f"endgame {self.endgame} must be 0 to 60 empties")

    def with_rules(self, rules: Rules) -> DqnAgent:
        """The agent, playing by `rules`."""
        return replace(self, rules=rules)

    def for_game(self, seed: int) -> DqnAgent:
        """The agent itself: it draws nothing at random."""
        return self

    def choose(self, board: Board) -> int:
        """The best square; raises IllegalMoveError when there is none."""
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the positions that were looked at for it, exact search included."""
        if not board.legal_moves():
            raise IllegalMoveError(f"there is no move to choose\n{board}")
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

    def chances(self, board: Board) -> dict[int, float]:
        """The value of every legal move for the side to move, as the network was taught.

        The best comes first.
        """
        return self._valued(board)[0]

    def _valued(self, board: Board) -> tuple[dict[int, float], int]:
        """The same, and how many positions were looked at."""
        values = np.zeros(64, np.float64)
        side = 1 if board.side == "black" else -1
        scratch = thread_scratch(max(network.scratch_size for network in self.networks))
        entered = action_values(
            U(board.own),
            U(board.opp),
            side,
            self.lookahead,
            self._addresses,
            self.rewards.cells,
            scratch.ctypes.data,
            layout.RULES_CODE[self._rules],
            values,
        )
        ranked = sorted(board.legal_moves(), key=lambda square: -values[square])
        return {square: float(values[square]) for square in ranked}, int(entered)

    @property
    def parameters(self) -> dict[str, Any]:
        """What an agent file holds of it, but for the networks' weights."""
        architecture = self.networks[0].architecture
        return {
            "lookahead": self.lookahead,
            "endgame": self.endgame,
            "networks": len(self.networks),
            "input": architecture.input,
            "layers": list(architecture.layers),
            "rewards": self.rewards.document(),
        }

    def save(self, path: str | Path) -> None:
        """Write an agent file; the folder must exist."""
        from evolve.agents.files import save_agent

        save_agent(self, Path(path))

    @property
    def _rules(self) -> Rules:
        return self.rules or "standard"

    @property
    def _addresses(self) -> npt.NDArray[np.int64]:
        return np.array([self.networks[0].address, self.networks[-1].address], np.int64)
