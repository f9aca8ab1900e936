"""The random agent: it plays any legal move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from evolve.agents.agent import Agent, Setting, moves_to_choose
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules, check_rules

_MASK = (1 << 64) - 1


def mix(value: int) -> int:
    """SplitMix64's output function: 64 bits in, 64 well-mixed bits out."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31


@dataclass(frozen=True, slots=True)
class RandomAgent(Agent):
    """Plays uniformly at random, as a function of its seed and the position.

    It has no state, so it plays the same game again, whatever other games it plays.
    """

    seed: int = 0
    rules: Rules | None = None
    name: str = "random"

    def __post_init__(self) -> None:
        if self.rules is not None:
            check_rules(self.rules)

    def choose(self, board: Board) -> int:
        """A legal square; over all seeds each is equally likely."""
        moves = moves_to_choose(board)
        return moves[mix(mix(mix(self.seed & _MASK) ^ board.own) ^ board.opp) % len(moves)]

    def for_game(self, seed: int) -> Self:
        """The agent for one game, with a new seed mixed from its own and `seed`."""
        return replace(self, seed=mix(self.seed ^ mix(seed)))

    @property
    def settings(self) -> Mapping[str, Setting]:
        """Its seed."""
        return _SETTINGS


_SETTINGS: Final = {"seed": Setting("seed")}
