"""What the ways of learning share, and who they play against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.dqn import DqnAgent
from evolve.agents.loading import load_agent
from evolve.agents.mcts import MctsAgent
from evolve.agents.protocol import Agent
from evolve.engine.board import Rules
from evolve.errors import SettingsError

Progress = Callable[[int], None]
"""Called with the number of games that were finished since the last call."""


class Learner(Protocol):
    """One way of learning: what a trainer needs of it."""

    kind: str

    @property
    def steps(self) -> int:
        """Steps of learning so far."""

    def iterate(
        self, rng: np.random.Generator, count: int, share: float, progress: Progress
    ) -> float:
        """Play `count` games and learn from them; the mean loss (NaN without a step).

        `share` of the training is done.
        """

    def agent(self) -> MctsAgent | DqnAgent:
        """The agent as it is now."""

    def checked_agent(self) -> Agent:
        """The agent as the panel meets it."""

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that is needed to go on, but for `facts`."""

    def facts(self) -> dict[str, Any]:
        """The same, as JSON."""

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` and `facts` gave."""


def alphabeta_agents(
    names: Iterable[str], others: Sequence[str], rules: Rules
) -> list[AlphaBetaAgent]:
    """The agents of those names that are not in `others`; SettingsError for any other kind."""
    agents = []
    for name in names:
        if name in others:
            continue
        agent = load_agent(name)
        if not isinstance(agent, AlphaBetaAgent):
            raise SettingsError(
                f"opponents: {name} is no alpha-beta agent; there are also {', '.join(others)}"
            )
        agents.append(agent.with_rules(rules))
    return agents


def shares_drawn(shares: Mapping[str, float], count: int, rng: np.random.Generator) -> list[str]:
    """`count` names, each in its share of them, in random order."""
    names = list(shares)
    weights = np.array([shares[name] for name in names])
    # Whole parts first, so that few games have the shares, too.
    bounds = np.cumsum(weights / weights.sum() * count)
    numbers = np.searchsorted(bounds, np.arange(count) + rng.random(), side="right")
    chosen = rng.permutation(np.minimum(numbers, len(names) - 1))
    return [names[number] for number in chosen]
