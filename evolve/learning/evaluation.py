"""The checks of a training: the opponents of its agents, and the scores."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from evolve.agents.agent import Agent
from evolve.arena.judges import Panel, ladder, ladder_score, nearest
from evolve.arena.match import Match
from evolve.config.learning import TrainingSettings
from evolve.engine.rules import rule_set
from evolve.fitness.executor import Threads
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.roundrobin import pair_scores
from evolve.fitness.statistics import Estimate, rate_one
from evolve.tables.metrics import METRICS_SCORES

RUNGS: Final = 4
"""Rungs of the ladder that a check plays."""


@dataclass(frozen=True)
class Judged:
    """The result of a check.

    score: against all opponents, 0 to 1, with its standard error. columns: of the metrics. against:
    the opponents in words.
    """

    score: float
    error: float
    columns: Mapping[str, float | None]
    against: str


class Judge(ABC):
    """Plays against agents, always on the same openings."""

    @abstractmethod
    def judged(self, agent: Agent, jobs: int) -> Judged:
        """Judge an agent."""


class PanelJudge(Judge):
    """The rules' panel, with as many members as the metrics have columns."""

    def __init__(self, settings: TrainingSettings) -> None:
        names = rule_set(settings.rules).panel[: len(METRICS_SCORES)]
        games = 2 * settings.panel_openings
        self._panel = Panel(names, games, settings.rules, settings.seed)

    def judged(self, agent: Agent, jobs: int) -> Judged:
        """Return the mean score."""
        results = self._panel.results(agent, Threads(jobs))
        columns: dict[str, float | None] = {}
        for key, result in zip(METRICS_SCORES, results, strict=True):
            columns |= result.columns(key)
        return Judged(
            sum(result.value for result in results) / len(results),
            math.sqrt(sum(result.error**2 for result in results)) / len(results),
            columns,
            ", ".join(self._panel.names),
        )


class LadderJudge(Judge):
    """The rungs of the rules' ladder nearest to the agent, searched from the top."""

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
        """Return its Elo on the ladder, and the mean score that this predicts against all rungs.

        Where the Elo is far from the rungs that it played, the agent plays nearer ones.
        """
        guess = self._rungs[-1].elo
        while True:
            met = nearest(self._rungs, guess, RUNGS)
            scores = np.stack([self._scores(agent, rung.agent, jobs) for rung in met])
            elo = rate_one(np.array([rung.elo for rung in met]), scores)
            if guess - elo.value < _FAR or met == nearest(self._rungs, elo.value, RUNGS):
                break
            guess = elo.value
        score, low, high = (ladder_score(self._rungs, one) for one in elo[:3])
        error = Estimate(score, low, high, elo.n).error
        return Judged(score, error, elo.columns("elo"), "the ladder")

    def _scores(self, agent: Agent, rung: Agent, jobs: int) -> np.ndarray:
        """Return its score in each pair of games."""
        match = Match(agent, rung, self._openings, self._rules, executor=Threads(jobs))
        match.play()
        return pair_scores(match.games)


_FAR: Final = 200.0
"""Elo by which an agent may be weaker than its rungs before it plays nearer ones.

Games against nearer rungs give more information.
"""

_JUDGES: Final[Mapping[str, Callable[[TrainingSettings], Judge]]] = {
    "panel": PanelJudge,
    "ladder": LadderJudge,
}


def judge_of(settings: TrainingSettings) -> Judge:
    """Return the judge that the settings name."""
    return _JUDGES[settings.judge](settings)
