"""Whom the agents of a training meet in its checks, and what comes of it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from evolve.agents.agent import Agent
from evolve.arena.bradleyterry import rate_one
from evolve.arena.ladder import ladder, ladder_score, nearest
from evolve.arena.match import Match
from evolve.arena.panel import Panel
from evolve.config.learning import TrainingSettings
from evolve.engine.rules import rule_set
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.score import Z95, Score
from evolve.tables.metrics import METRICS_SCORES

RUNGS: Final = 4
"""Rungs of the ladder that a check meets."""


@dataclass(frozen=True)
class Judged:
    """What a check found.

    score: against all opponents, 0 to 1, with its standard error; columns: of the metrics; against:
    the opponents in words.
    """

    score: float
    error: float
    columns: Mapping[str, float]
    against: str


class Judge(ABC):
    """Meets agents, always on the same openings."""

    @abstractmethod
    def judged(self, agent: Agent, jobs: int) -> Judged:
        """What it makes of an agent."""


class PanelJudge(Judge):
    """The rules' panel, as many of it as the metrics have columns for."""

    def __init__(self, settings: TrainingSettings) -> None:
        names = rule_set(settings.rules).panel[: len(METRICS_SCORES)]
        games = 2 * settings.panel_openings
        self._panel = Panel(names, games, settings.rules, settings.seed)

    def judged(self, agent: Agent, jobs: int) -> Judged:
        """The mean score."""
        results = self._panel.results(agent, Threads(jobs))
        columns: dict[str, float] = {}
        for key, result in zip(METRICS_SCORES, results, strict=True):
            columns |= _score_columns(key, result)
        return Judged(
            sum(result.score for result in results) / len(results),
            math.sqrt(sum(result.error**2 for result in results)) / len(results),
            columns,
            ", ".join(self._panel.names),
        )


class LadderJudge(Judge):
    """The rungs of the rules' ladder that are nearest to the agent, looked for from the top."""

    def __init__(self, settings: TrainingSettings) -> None:
        self._rules = settings.rules
        self._rungs = ladder(settings.rules)
        self._openings = balanced_openings(
            settings.panel_openings,
            Part.PANEL,
            settings.rules,
            np.random.default_rng(settings.seed),
        )

    def judged(self, agent: Agent, jobs: int) -> Judged:
        """Its Elo on the ladder, and the mean score against all rungs which that predicts.

        Where it proves far from the rungs it met, it meets those that are nearer.
        """
        guess = self._rungs[-1].elo
        while True:
            met = nearest(self._rungs, guess, RUNGS)
            scores = np.stack([self._scores(agent, rung.agent, jobs) for rung in met])
            elo, error = rate_one(np.array([rung.elo for rung in met]), scores)
            if guess - elo < _FAR or met == nearest(self._rungs, elo, RUNGS):
                break
            guess = elo
        low, high = elo - Z95 * error, elo + Z95 * error
        score = ladder_score(self._rungs, elo)
        above, below = ladder_score(self._rungs, high), ladder_score(self._rungs, low)
        return Judged(
            score,
            (above - below) / (2.0 * Z95),
            {"elo": elo, "elo_low": low, "elo_high": high},
            "the ladder",
        )

    def _scores(self, agent: Agent, rung: Agent, jobs: int) -> np.ndarray:
        """Its score in each pair of games."""
        match = Match(agent, rung, self._openings, self._rules, executor=Threads(jobs))
        match.play()
        games = match.games
        points = np.where(games.pairings[:, 0] == 0, games.winner, -games.winner)
        pairs: np.ndarray = ((points + 1.0) / 2.0).reshape(-1, 2).mean(axis=1)
        return pairs


_FAR: Final = 200.0
"""Elo by which an agent may prove weaker than the rungs it met: games with others tell more."""

_JUDGES: Final[Mapping[str, Callable[[TrainingSettings], Judge]]] = {
    "panel": PanelJudge,
    "ladder": LadderJudge,
}


def judge_of(settings: TrainingSettings) -> Judge:
    """The judge that the settings name."""
    return _JUDGES[settings.judge](settings)


def _score_columns(key: str, result: Score) -> dict[str, float]:
    return {key: result.score, f"{key}_low": result.low, f"{key}_high": result.high}
