"""A trial's strength from games against opponents of known strength, and who meets it when."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evolve.fitness.statistics import ELO_SCALE, Z95, Estimate, score_of_elo, strength_among


@dataclass(frozen=True)
class Met:
    """Games against an opponent of this Elo, and the points scored in them."""

    elo: float
    games: int
    points: float


def score_predicted(elo: Estimate) -> tuple[float, float]:
    """Return the score that an Elo predicts against the defaults, and its standard error.

    The score is from 0 to 1; the defaults have 0 Elo.
    """
    score = score_of_elo(elo.value)
    return score, score * (1.0 - score) / ELO_SCALE * elo.error


def rated(met: Sequence[Met]) -> Estimate:
    """Return the likeliest Elo by Bradley and Terry (1952), with the opponents' Elo held fixed.

    Adds a draw with each opponent, so that no rating is infinite after a few games. Games count as
    independent, which overstates the error for pairs with swapped colours.
    """
    known = np.array([one.elo for one in met if one.games]) / ELO_SCALE
    games = np.array([one.games + 1.0 for one in met if one.games])
    strength = strength_among(known, games, sum(one.points + 0.5 for one in met if one.games))
    chance = 1.0 / (1.0 + np.exp(known - strength))
    error = ELO_SCALE / math.sqrt(float((games * chance * (1.0 - chance)).sum()))
    return Estimate.around(ELO_SCALE * strength, Z95 * error, sum(one.games for one in met))


def shares_of(elos: Sequence[float], elo: float) -> list[float]:
    """Return the best shares of games against opponents of these Elo, for a player of about `elo`.

    A share is in proportion to the information of a game, p (1 − p). The sum is 1.
    """
    told = [(p := score_of_elo(elo - other)) * (1 - p) for other in elos]
    return [one / sum(told) for one in told]


def parts_of(count: int, parts: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of `count` things cut into that many parts, none of them empty."""
    ends = sorted({round(count * part / parts) for part in range(parts + 1)})
    return pairwise(ends)


def shared(start: int, stop: int, shares: Sequence[float]) -> list[list[int]]:
    """Share out the numbers from start to stop; whichever has the largest deficit comes first."""
    found: list[list[int]] = [[] for _ in shares]
    debts = [share * start - int(share * start) for share in shares]
    for number in range(start, stop):
        debts = [debt + share for debt, share in zip(debts, shares, strict=True)]
        most = debts.index(max(debts))
        debts[most] -= 1.0
        found[most].append(number)
    return found
