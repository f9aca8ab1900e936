"""The ladder: opponents from the weakest to ones that no evolved agent beats, and a rating on it.

Its rungs are reference agents at growing depths and champions that come with the package, ever
deeper. Their ratings were measured once and stand in `engine/rules.py`, so that an agent's rating
is one unknown, found from its games with the rungs nearest to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.loading import load_alphabeta
from evolve.engine.rules import Rules, rule_set
from evolve.fitness.statistics import score_of_elo


@dataclass(frozen=True)
class Rung:
    """One opponent, and its Elo."""

    agent: AlphaBetaAgent
    elo: float


def ladder(rules: Rules) -> list[Rung]:
    """The rungs of these rules, the weakest first."""
    rungs = []
    for name, elo in rule_set(rules).ladder.items():
        rungs.append(Rung(load_alphabeta(name).with_rules(rules), float(elo)))
    return rungs


def nearest(rungs: Sequence[Rung], elo: float, count: int) -> list[Rung]:
    """The `count` rungs whose Elo is nearest, the weakest first: games with them tell most."""
    near = sorted(rungs, key=lambda rung: abs(rung.elo - elo))[:count]
    return sorted(near, key=lambda rung: rung.elo)


def ladder_score(rungs: Sequence[Rung], elo: float) -> float:
    """Mean score against the whole ladder that a rating predicts."""
    return float(np.mean([score_of_elo(elo - rung.elo) for rung in rungs]))
