"""What the ways of learning share, and who they play against."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.dqn import DqnAgent
from evolve.agents.loading import load_alphabeta
from evolve.agents.mcts import MctsAgent
from evolve.agents.memory import OutOfTimeError
from evolve.engine.rules import Rules
from evolve.errors import AgentError, SettingsError
from evolve.fitness.games import GamesDone

Share = Callable[[], float]
"""The share of the training that is done by now, 0 to 1."""
Left = Callable[[], float]
"""CPU seconds that are left of the budget; infinity without one."""


@dataclass(frozen=True)
class Iteration:
    """What an iteration was: games played, and the mean loss of its steps, NaN without one."""

    games: int
    loss: float


def left_for_games(left: Left) -> Left:
    """What is left for games: all but a fifth of the time left now, so that they are learned."""
    kept = left() / 5.0
    return lambda: left() - kept if kept < math.inf else math.inf


@contextmanager
def seconds_of_choice(learner: Learner, left: Left) -> Iterator[GamesDone]:
    """Count what choosing between models costs; without time for it there is no choice.

    Yields what is to be called with the games played, and leaves the block when time is out.
    """

    def progress(games: int) -> None:
        if left() <= 0.0:
            raise OutOfTimeError

    begin = time.process_time()
    with suppress(OutOfTimeError):
        yield progress
    learner.accept_seconds += time.process_time() - begin


class Learner(Protocol):
    """One way of learning: what a trainer needs of it."""

    kind: str

    accept_seconds: float
    """CPU seconds that games to choose between models have taken so far."""

    @property
    def steps(self) -> int:
        """Steps of learning so far."""

    def iterate(
        self, rng: np.random.Generator, count: int, share: Share, progress: GamesDone, left: Left
    ) -> Iteration:
        """Play `count` games and learn from them, or what of it can be done in the time left."""

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
        try:
            agents.append(load_alphabeta(name).with_rules(rules))
        except AgentError as error:
            raise SettingsError(
                f"opponents: {error}; there are also {', '.join(others)}"
            ) from error
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
