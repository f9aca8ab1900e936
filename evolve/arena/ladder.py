"""The ladder: opponents from the weakest to ones that no evolved agent beats, and a rating on it.

Its rungs are reference agents at growing depths and champions that come with the package, ever
deeper. How they stand to each other was measured once and is written here, so that an agent's
rating is one unknown, found from its games with the rungs nearest to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.loading import load_alphabeta
from evolve.engine.board import Rules
from evolve.fitness.score import score_of_elo

RATED: Final[dict[Rules, dict[str, int]]] = {
    "standard": {
        "zero?depth=5": -157,  # ± 32
        "swh": 0,  # ± 26
        "swh?depth=3": 202,  # ± 21
        "swh?depth=5": 392,  # ± 17
        "champion-standard?depth=2&endgame=4": 484,  # ± 16
        "published-standard?depth=4&endgame=8": 599,  # ± 15
        "champion-standard?depth=3&endgame=6": 655,  # ± 15
        "champion-standard?depth=4&endgame=8": 816,  # ± 16
        "champion-standard?depth=5&endgame=8": 931,  # ± 17
        "champion-standard?depth=6&endgame=10": 1077,  # ± 19
        "champion-standard?depth=7&endgame=12": 1207,  # ± 21
        "champion-standard?depth=8&endgame=14": 1337,  # ± 25
    },
    "reversed": {
        "zero?depth=5": -309,  # ± 37
        "anti-swh-mobility": 0,  # ± 24
        "anti-swh-mobility?depth=3": 156,  # ± 20
        "anti-swh-mobility?depth=5": 292,  # ± 17
        "champion-reversed?depth=2&endgame=4": 409,  # ± 15
        "published-reversed?depth=4&endgame=8": 520,  # ± 15
        "champion-reversed?depth=3&endgame=6": 574,  # ± 14
        "champion-reversed?depth=4&endgame=8": 763,  # ± 15
        "champion-reversed?depth=5&endgame=8": 869,  # ± 16
        "champion-reversed?depth=6&endgame=10": 1012,  # ± 19
        "champion-reversed?depth=7&endgame=12": 1141,  # ± 21
        "champion-reversed?depth=8&endgame=14": 1263,  # ± 24
    },
}
"""Rungs and their Elo, the weakest first; 0 is the reference table at depth 1. By `python -m
benchmarks.ladder rungs`: 400 games with each of four neighbours on either side, Bradley-Terry; ± is
half a 95 % interval around the mean of all rungs. A run's ratings share these errors, so they
cancel where its generations are compared."""


@dataclass(frozen=True)
class Rung:
    """One opponent, and its Elo."""

    agent: AlphaBetaAgent
    elo: float


def ladder(rules: Rules) -> list[Rung]:
    """The rungs of these rules, the weakest first."""
    rungs = []
    for name, elo in RATED[rules].items():
        rungs.append(Rung(load_alphabeta(name).with_rules(rules), float(elo)))
    return rungs


def nearest(rungs: Sequence[Rung], elo: float, count: int) -> list[Rung]:
    """The `count` rungs whose Elo is nearest, the weakest first: games with them tell most."""
    near = sorted(rungs, key=lambda rung: abs(rung.elo - elo))[:count]
    return sorted(near, key=lambda rung: rung.elo)


def ladder_score(rungs: Sequence[Rung], elo: float) -> float:
    """Mean score against the whole ladder that a rating predicts."""
    return float(np.mean([score_of_elo(elo - rung.elo) for rung in rungs]))
