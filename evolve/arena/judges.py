"""A panel: measure agents against fixed agents on fixed openings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evolve.agents.agent import Agent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.arena.match import Match
from evolve.engine.rules import Rules, rule_set
from evolve.fitness.executor import Executor
from evolve.fitness.games import GamesDone
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.statistics import Estimate, score_of_elo
from evolve.runs.loading import load_agent, load_alphabeta


class Panel:
    """Fixed agents on fixed openings; the same seed gives the same openings."""

    def __init__(self, names: Sequence[str], games: int, rules: Rules, seed: int) -> None:
        self.names = tuple(names)
        self.rules: Rules = rules
        self.agents = [load_agent(name) for name in names]
        self.openings = balanced_openings(
            (games + 1) // 2, Part.PANEL, rules, np.random.default_rng(seed)
        )

    def results(
        self, agent: Agent, executor: Executor, progress: GamesDone | None = None
    ) -> list[Estimate]:
        """Return the agent's score against each panel agent, with its error."""
        return [self._match(agent, other, executor, progress) for other in self.agents]

    def scores(
        self, agent: Agent, executor: Executor, progress: GamesDone | None = None
    ) -> list[float]:
        """Return the agent's scores without errors."""
        return [result.value for result in self.results(agent, executor, progress)]

    def against(
        self, agent: Agent, other: Agent, executor: Executor, progress: GamesDone | None = None
    ) -> float:
        """Return the agent's score against one that is not in the panel."""
        return self._match(agent, other, executor, progress).value

    def _match(
        self, agent: Agent, other: Agent, executor: Executor, progress: GamesDone | None
    ) -> Estimate:
        return (
            Match(agent, other, self.openings, self.rules, executor=executor).play(progress).score
        )


@dataclass(frozen=True)
class Rung:
    """One opponent with its Elo."""

    agent: AlphaBetaAgent
    elo: float


def ladder(rules: Rules) -> list[Rung]:
    """Return the rungs for these rules, the weakest first."""
    rungs = []
    for name, elo in rule_set(rules).ladder.items():
        rungs.append(Rung(load_alphabeta(name).with_rules(rules), float(elo)))
    return rungs


def nearest(rungs: Sequence[Rung], elo: float, count: int) -> list[Rung]:
    """Return the `count` rungs nearest in Elo, weakest first: their games are most informative."""
    near = sorted(rungs, key=lambda rung: abs(rung.elo - elo))[:count]
    return sorted(near, key=lambda rung: rung.elo)


def ladder_score(rungs: Sequence[Rung], elo: float) -> float:
    """Return the mean score against the whole ladder that a rating predicts."""
    return float(np.mean([score_of_elo(elo - rung.elo) for rung in rungs]))
