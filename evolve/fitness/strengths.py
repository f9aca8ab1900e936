"""Strengths over a reference, from games of many players that met few opponents each.

Games with the reference measure what is asked: a player's Elo over it. Games between two others say
it less surely, because strengths do not add up: what beats a strong opponent may fail against the
reference. So each such meeting has a difference of its own, normal about the difference of the two
strengths: Bradley and Terry (1952) with random effects, as network meta-analysis has it for direct
and indirect comparisons.

`python -m benchmarks.sweep_strengths` judges the numbers below. In a prototype a normal prior over
the strengths held the truth in .87 of the intervals, no prior in .95: it draws all to one mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.fitness.statistics import ELO_SCALE, Z95, Estimate, Floats

REFERENCE: Final = -1
"""The player whose Elo is 0."""
_APART: Final = 43.0
"""Elo by which differences between three players fail to add up: a standard deviation."""
_DRAW: Final = 0.5
"""Points added to both sides of each meeting, a draw: no strength is infinite then, and high ones
are not too high on average (Haldane 1956)."""
_PRECISION: Final = 1e-9


class Met(NamedTuple):
    """A player's games with another one, and its points in them."""

    player: int
    other: int
    games: int
    points: float


class Known(NamedTuple):
    """A player's strength from games that are not given here: Elo and its standard error."""

    elo: float
    error: float


def strengths(
    results: Iterable[Met], known: Mapping[int, Known] | None = None
) -> dict[int, Estimate]:
    """Compute the Elo of all players over the reference, with 95 % intervals, from all games.

    Games count as independent, which overstates errors for pairs with swapped colours. A player
    whose games lead to the reference by no path of opponents must be `known`.
    """
    return _strengths(tuple(results), tuple((known or {}).items()))


@lru_cache(maxsize=8)
def _strengths(
    results: tuple[Met, ...], known: tuple[tuple[int, Known], ...]
) -> dict[int, Estimate]:
    meetings: dict[tuple[int, int], Floats] = {}
    for player, other, games, points in results:
        meeting = meetings.setdefault((player, other), np.array([2 * _DRAW, _DRAW]))
        meeting += games, points
    players = sorted({number for pair in meetings for number in pair} - {REFERENCE})
    if not players:
        return {}
    # The reference comes last. Strengths are in natural log odds.
    place = {player: index for index, player in enumerate(players)} | {REFERENCE: len(players)}
    first, second = np.array([[place[number] for number in pair] for pair in meetings]).T
    games, points = np.array(list(meetings.values())).T
    own = np.array([0.0 if REFERENCE in pair else (_APART / ELO_SCALE) ** 2 for pair in meetings])
    mean, certainty = np.zeros(len(players)), np.zeros(len(players))
    for player, prior in known:
        mean[place[player]] = prior.elo / ELO_SCALE
        certainty[place[player]] = (ELO_SCALE / prior.error) ** 2
    strength, apart = np.zeros(len(place)), np.zeros(len(meetings))
    for _ in range(100):
        chance = 1.0 / (1.0 + np.exp(strength[second] - strength[first] - apart))
        weight = games * chance * (1.0 - chance)
        surplus = points - games * chance
        # A meeting's own difference follows from the strengths, so these alone are solved for.
        damping = 1.0 + weight * own
        free = (own * surplus - apart) / damping
        slope = np.zeros(len(place))
        np.add.at(slope, first, surplus - weight * free)
        np.subtract.at(slope, second, surplus - weight * free)
        information = np.zeros((len(place), len(place)))
        for one, other in ((first, second), (second, first)):
            np.add.at(information, (one, one), weight / damping)
            np.subtract.at(information, (one, other), weight / damping)
        information[np.diag_indices(len(players))] += certainty
        slope[:-1] += certainty * (mean - strength[:-1])
        solved, variances = _solve(information[:-1, :-1], slope[:-1], np.unique(second))
        step = np.append(solved, 0.0)
        shift = free - own * weight / damping * (step[first] - step[second])
        size = max(float(np.abs(step).max()), float(np.abs(shift).max()))
        scale = min(1.0, 2.0 / max(size, _PRECISION))  # no step is longer than 2 log odds
        strength, apart = strength + scale * step, apart + scale * shift
        if size < _PRECISION:
            break
    elo, halves = ELO_SCALE * strength, Z95 * ELO_SCALE * np.sqrt(variances)
    played = np.zeros(len(place))
    np.add.at(played, first, games - 2 * _DRAW)
    return {
        player: Estimate.around(float(elo[index]), float(halves[index]), int(played[index]))
        for index, player in enumerate(players)
    }


def _solve(
    information: Floats, slope: Floats, others: npt.NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Return the solution of `information` · x = `slope`, and the diagonal of the inverse.

    others: the few that players met. All else is diagonal, so a thousand players cost milliseconds.
    """
    few = np.zeros(len(slope), np.bool_)
    few[others[others < len(slope)]] = True
    diagonal, between = np.diag(information)[~few], information[np.ix_(~few, few)]
    shares = between / diagonal[:, None]
    inverse = np.linalg.inv(information[np.ix_(few, few)] - between.T @ shares)
    solution, variances = np.empty(len(slope)), np.empty(len(slope))
    solution[few] = inverse @ (slope[few] - shares.T @ slope[~few])
    solution[~few] = slope[~few] / diagonal - shares @ solution[few]
    variances[few] = np.diag(inverse)
    variances[~few] = 1.0 / diagonal + ((shares @ inverse) * shares).sum(axis=1)
    return solution, variances
