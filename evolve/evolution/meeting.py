"""Games of one agent with several others, by which it is judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import StoredAgent
from evolve.engine.rules import Rules
from evolve.fitness.executor import Executor
from evolve.fitness.games import Games, GamesDone, play_games
from evolve.fitness.openings import Openings


def meet(
    player: StoredAgent,
    opponents: Sequence[StoredAgent],
    openings: Openings,
    numbers: npt.NDArray[np.int64],
    rules: Rules,
    *,
    largest_endgame: int,
    executor: Executor,
    progress: GamesDone | None = None,
) -> tuple[npt.NDArray[np.float64], Games]:
    """Both colours against each of R opponents on its openings, numbers [R, N], without a node
    budget.

    The answer is the player's score in every pair of games, [R, N], and the games, in which the
    player is number 0.
    """
    pairings = np.zeros((2 * numbers.size, 3), np.int32)
    met = np.repeat(np.arange(1, len(opponents) + 1), numbers.shape[1])
    pairings[0::2, 1] = pairings[1::2, 0] = met
    pairings[0::2, 2] = pairings[1::2, 2] = numbers.ravel()
    games = play_games(
        [player, *opponents],
        pairings,
        openings,
        rules,
        largest_endgame=largest_endgame,
        executor=executor,
        progress=progress,
    )
    points = (games.winner.astype(np.float64) + 1.0) / 2.0
    points[1::2] = 1.0 - points[1::2]
    return points.reshape(-1, 2).mean(axis=1).reshape(numbers.shape), games
