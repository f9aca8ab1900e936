"""How strong a trial is, by its games with opponents whose strength is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evolve.fitness.statistics import ELO_SCALE, Z95, Estimate, score_of_elo, strength_among


@dataclass(frozen=True)
class Met:
    """Games with an opponent of that many Elo, and the points that they brought."""

    elo: float
    games: int
    points: float


def score_predicted(elo: Estimate) -> tuple[float, float]:
    """The score, 0 to 1, that an Elo predicts against the defaults, who have 0, and its standard
    error."""
    score = score_of_elo(elo.value)
    return score, score * (1.0 - score) / ELO_SCALE * elo.error


def rated(met: Sequence[Met]) -> Estimate:
    """The likeliest Elo, by Bradley and Terry (1952) with the opponents' held fixed.

    A draw with each is added: nobody is infinitely strong after a few games. Games count as
    independent, which for pairs with colours swapped overstates the error.
    """
    known = np.array([one.elo for one in met if one.games]) / ELO_SCALE
    games = np.array([one.games + 1.0 for one in met if one.games])
    strength = strength_among(known, games, sum(one.points + 0.5 for one in met if one.games))
    chance = 1.0 / (1.0 + np.exp(known - strength))
    error = ELO_SCALE / math.sqrt(float((games * chance * (1.0 - chance)).sum()))
    return Estimate.around(ELO_SCALE * strength, Z95 * error, sum(one.games for one in met))


def shares_of(elos: Sequence[float], elo: float) -> list[float]:
    """How games with opponents of these Elo are best shared out for one who may have `elo`: by
    how much a game with each tells, p (1 − p). The sum is 1."""
    told = [(p := score_of_elo(elo - other)) * (1 - p) for other in elos]
    return [one / sum(told) for one in told]
