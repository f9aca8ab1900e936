"""Agents that draw moves at random: all of their moves, or a share of them as mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from evolve.agents.agent import Agent, Description, Limit, Setting, check_play, moves_to_choose
from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules
from evolve.errors import AgentError
from evolve.number_text import percent

MISTAKES: Final = "mistakes"
"""The setting of agents that make mistakes: the share of their moves."""
_MASK = (1 << 64) - 1
_SEED: Final = {"seed": Setting("seed")}


def mix(value: int) -> int:
    """SplitMix64's output function: 64 bits in, 64 well-mixed bits out."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _MASK
    return value ^ value >> 31


def _drawn(seed: int, board: Board) -> int:
    """64 random bits, a function of seed and position."""
    return mix(mix(mix(seed & _MASK) ^ board.own) ^ board.opp)


@dataclass(frozen=True, slots=True)
class RandomAgent(Agent):
    """Plays uniformly at random, as a function of its seed and the position.

    It has no state, so it plays the same game again, whatever other games it plays.
    """

    draws: ClassVar[bool] = True

    seed: int = 0
    rules: Rules | None = None
    name: str = "random"

    def __post_init__(self) -> None:
        check_play(self.rules, 0)

    def choose(self, board: Board) -> int:
        """A legal square; over all seeds each is equally likely."""
        moves = moves_to_choose(board)
        return moves[_drawn(self.seed, board) % len(moves)]

    def for_game(self, seed: int) -> Self:
        """The agent for one game, with a new seed mixed from its own and `seed`."""
        return replace(self, seed=mix(self.seed ^ mix(seed)))

    @property
    def settings(self) -> Mapping[str, Setting]:
        return _SEED


def delegated(field: str, name: str) -> Any:
    """A member of an agent that the agent in its `field` answers."""
    return property(lambda agent: getattr(getattr(agent, field), name))


@dataclass(frozen=True)
class MistakenAgent(Agent):
    """Another agent that plays a share of its moves at random, and so is weaker than that.

    Which moves these are, and what it plays then, are functions of its seed and the position. Its
    values of moves are those of the other agent.
    """

    agent: Agent
    share: float
    name: str
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise AgentError(f"{MISTAKES}={self.share:g} must be 0 to 1, a share of the moves")

    rules = delegated("agent", "rules")
    analyse = delegated("agent", "analyse")
    limit = delegated("agent", "limit")
    prepare = delegated("agent", "prepare")

    def choose(self, board: Board) -> int:
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the nodes searched for it: 0 for a random one."""
        drawn = _drawn(self.seed, board)
        if drawn < self.share * 2.0**64:
            moves = moves_to_choose(board)
            return moves[mix(drawn) % len(moves)], 0
        return self.agent.choose_counted(board)

    def with_rules(self, rules: Rules) -> Self:
        return replace(self, agent=self.agent.with_rules(rules))

    def for_game(self, seed: int) -> Self:
        return replace(self, agent=self.agent.for_game(seed), seed=mix(self.seed ^ mix(seed)))

    @property
    def identity(self) -> Any:
        return [self.share, self.seed, self.agent.identity]

    def paced(self, pace: float) -> Self:
        paced = self.agent.paced(pace)
        return self if paced is self.agent else replace(self, agent=paced)

    def limited(self, limit: Limit) -> Self:
        return replace(self, agent=self.agent.limited(limit))

    @property
    def settings(self) -> Mapping[str, Setting]:
        return {**self.agent.settings, **_SEED}

    def with_settings(self, values: Mapping[str, Any], name: str) -> Self:
        others = {key: value for key, value in values.items() if key not in (MISTAKES, *_SEED)}
        share, seed = values.get(MISTAKES, self.share), values.get("seed", self.seed)
        agent = self.agent.with_settings(others, name) if others else self.agent
        return replace(self, agent=agent, share=share, seed=seed, name=name)

    def describe(self) -> Description:
        about = self.agent.describe()
        return replace(about, facts=(*about.facts, f"{percent(self.share)} of its moves at random"))
