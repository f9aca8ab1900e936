"""What every agent offers."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from evolve.engine.board import Board
from evolve.engine.rules import Rules


@runtime_checkable
class Agent(Protocol):
    """Anything that chooses a legal square. Agents are immutable and may be used by threads."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def rules(self) -> Rules | None:
        """The rules it plays by; None when it plays by any."""

    def choose(self, board: Board) -> int:
        """A legal square of `board` (0..63); raises IllegalMoveError when there is none."""

    def with_rules(self, rules: Rules) -> Agent:
        """The agent, playing by `rules`."""

    def for_game(self, seed: int) -> Agent:
        """The agent for one game of many; those that draw at random draw from `seed` there."""


@runtime_checkable
class CountsNodes(Protocol):
    """An agent that knows how many nodes a move has cost."""

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The square that `choose` gives, and the nodes that were searched for it."""


def choose_counted(agent: Agent, board: Board) -> tuple[int, int]:
    """An agent's square and the nodes searched for it: none where it searches none or a program
    does, which does not say."""
    if isinstance(agent, CountsNodes):
        return agent.choose_counted(board)
    return agent.choose(board), 0
