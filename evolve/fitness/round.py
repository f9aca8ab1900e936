"""Fitness functions: they rank individuals by the round robin that these played."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import StoredAgent
from evolve.config.operators import OPERATORS
from evolve.errors import SettingsError
from evolve.fitness.games import Games
from evolve.fitness.roundrobin import Standings


@dataclass(frozen=True)
class Round:
    """A finished round robin.

    agents: N agents; standings: their results; games: all games, with indices into `agents`; rng:
    the only generator that a fitness function may draw from.
    """

    agents: Sequence[StoredAgent]
    standings: Standings
    games: Games
    rng: np.random.Generator


Fitness = Callable[[Round], npt.ArrayLike]
"""fitness(round): a number for each agent [N], higher is better. Disc difference breaks ties."""


def score(played: Round) -> npt.NDArray[np.float64]:
    """Return the score in the round robin."""
    return played.standings.score


FITNESS_FUNCTIONS: Final[Mapping[str, Fitness]] = {"score": score}
"""The function of every name in `config.operators`."""
assert tuple(FITNESS_FUNCTIONS) == tuple(OPERATORS["fitness"])


def fitness_values(fitness: Fitness, played: Round) -> list[float]:
    """Call a fitness function; SettingsError unless it returns a finite number for each agent."""
    given = fitness(played)
    values = np.asarray(given, np.float64)
    if values.shape != (len(played.agents),) or not np.isfinite(values).all():
        raise SettingsError(
            f"fitness: it must give {len(played.agents)} finite numbers, not {given!r}"
        )
    return [float(value) for value in values]
