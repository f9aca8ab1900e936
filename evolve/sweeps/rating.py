"""How strong a trial is, by its games with opponents whose strength is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evolve.fitness.score import score_of_elo

_SLOPE: Final = math.log(10.0) / 400.0
_FAR: Final = 2000.0
"""Elo beyond which nobody is."""


@dataclass(frozen=True)
class Met:
    """Games with an opponent of that many Elo, and the points that they brought."""

    elo: float
    games: int
    points: float


@dataclass(frozen=True)
class Rating:
    """Elo with its standard error, the defaults having 0."""

    elo: float
    error: float

    @property
    def score(self) -> float:
        """The score that it predicts against the defaults, 0 to 1."""
        return score_of_elo(self.elo)

    @property
    def score_error(self) -> float:
        """The standard error of that score."""
        return self.score * (1.0 - self.score) * _SLOPE * self.error


def rated(met: Sequence[Met]) -> Rating:
    """The likeliest Elo, by Bradley and Terry (1952) with the opponents' held fixed.

    A draw with each is added: nobody is infinitely strong after a few games. Games count as
    independent, which for pairs with colours swapped overstates the error.
    """
    shares = [Met(one.elo, one.games + 1, one.points + 0.5) for one in met if one.games]
    low, high = -_FAR, _FAR
    while high - low > 0.01:
        middle = (low + high) / 2
        expected = sum(one.games * score_of_elo(middle - one.elo) for one in shares)
        if expected < sum(one.points for one in shares):
            low = middle
        else:
            high = middle
    elo = (low + high) / 2
    told = [score_of_elo(elo - one.elo) for one in shares]
    weight = sum(one.games * p * (1 - p) for one, p in zip(shares, told, strict=True))
    return Rating(elo, 1.0 / (_SLOPE * math.sqrt(weight)))


def shares_of(elos: Sequence[float], elo: float) -> list[float]:
    """How games with opponents of these Elo are best shared out for one who may have `elo`: by
    how much a game with each tells, p (1 − p). The sum is 1."""
    told = [(p := score_of_elo(elo - other)) * (1 - p) for other in elos]
    return [one / sum(told) for one in told]
