"""Ratings of many players from all their games: the Bradley–Terry model (1952), in Elo.

P(i beats j) = 1 / (1 + 10^((r_j − r_i) / 400)), a draw being half a win. Newton's method finds the
ratings of the largest likelihood. Errors come from the covariance of ratings whose mean is held at
0 (else they would include the error of the mean, which is of no interest), and take two games on
one opening as one sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.fitness.score import Z95

_ELO: Final = 400.0 / math.log(10.0)
_STEPS: Final = 100
_PRECISION: Final = 1e-10
_PRIOR_PAIRS: Final = 4.0
"""Pairs of independent games that are mixed into the variance seen between pairs."""
_VIRTUAL: Final = 0.5
"""Points given to both of two players where one won everything: else a rating would be infinite."""

_WIDEST: Final = 20.0
"""Natural logarithm of odds that no number of games tells from certainty, 3474 Elo."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ratings:
    """Ratings of N players, mean 0.

    elo [N], always finite; error [N], standard errors; comparable: whether every two players are
    linked by points on both sides. Where they are not, some distances are infinite, and `elo`
    holds the least that can be said of them.
    """

    elo: Floats
    error: Floats
    comparable: bool

    @property
    def low(self) -> Floats:
        """Lower ends of the 95 % intervals."""
        return self.elo - Z95 * self.error

    @property
    def high(self) -> Floats:
        """Upper ends of the 95 % intervals."""
        return self.elo + Z95 * self.error


def rate(players: int, meetings: Sequence[tuple[int, int, Floats]]) -> Ratings:
    """Ratings from meetings (i, j, scores of i in each pair of games on one opening, 0..1)."""
    points = np.zeros((players, players))
    for i, j, scores in meetings:
        points[i, j] += 2.0 * scores.sum()
        points[j, i] += 2.0 * (1.0 - scores).sum()
    comparable = _strongly_connected(points > 0)
    if not comparable:
        one_sided = (points > 0) != (points.T > 0)
        points = points + _VIRTUAL * one_sided
    strength = _most_likely(points)
    spread = _covariance(strength, points, meetings)
    error = _ELO * np.sqrt(np.maximum(np.diag(spread), 0.0))
    return Ratings(_ELO * strength, error, comparable)


def rate_one(opponents: Floats, scores: Floats) -> tuple[float, float]:
    """Elo and its standard error of one player, from games with players whose Elo is known.

    opponents [R] in Elo; scores [R, N], the player's scores in N pairs of games with each, 0..1.
    One who won everything, or lost it, is given half a point less, or more: the least that can
    be said.
    """
    known = opponents / _ELO
    count = int(scores.shape[1])
    won = float(scores.sum())
    points = min(max(won, _VIRTUAL / 2), float(scores.size) - _VIRTUAL / 2)

    def excess(at: float) -> float:
        return points - count * float((1.0 / (1.0 + np.exp(known - at))).sum())

    # The excess falls as the rating grows: halve the interval.
    low, high = float(known.min()) - _WIDEST, float(known.max()) + _WIDEST
    while high - low > _PRECISION:
        middle = (low + high) / 2.0
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    expected = 1.0 / (1.0 + np.exp(known - low))
    independent = expected * (1.0 - expected)
    squares = ((scores - expected[:, None]) ** 2).sum(axis=1)
    mixed = squares + _PRIOR_PAIRS * independent / 2.0
    variance = float((mixed / (count + _PRIOR_PAIRS) * count).sum())
    return _ELO * low, _ELO * math.sqrt(variance) / (count * float(independent.sum()))


def _expected(strength: Floats) -> Floats:
    """Expected score of each against each."""
    return 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))


def _information(strength: Floats, points: Floats) -> Floats:
    """Minus the second derivatives of the log likelihood."""
    expected = _expected(strength)
    weight = (points + points.T) * expected * (1.0 - expected)
    np.fill_diagonal(weight, 0.0)
    return np.diag(weight.sum(axis=1)) - weight


def _most_likely(points: Floats) -> Floats:
    """Strengths with mean 0 by Newton's method, steps halved while they do not help."""
    players = len(points)
    games = points + points.T
    strength = np.zeros(players)

    def likelihood(at: Floats) -> float:
        return float((points * np.log(_expected(at))).sum())

    now = likelihood(strength)
    for _ in range(_STEPS):
        slope = (points - games * _expected(strength)).sum(axis=1)
        if np.abs(slope).max() < _PRECISION * max(1.0, games.sum()):
            break
        # The mean is free in the likelihood; adding 1 everywhere holds it.
        step = np.linalg.solve(_information(strength, points) + 1.0, slope)
        size = 1.0
        while likelihood(strength + size * step) < now and size > 1e-9:
            size /= 2.0
        strength = strength + size * step
        strength -= strength.mean()
        now = likelihood(strength)
    return strength


def _covariance(
    strength: Floats, points: Floats, meetings: Sequence[tuple[int, int, Floats]]
) -> Floats:
    """Covariance of the centred strengths, by the variance seen: the sandwich of Huber (1967)."""
    inverse = np.linalg.pinv(_information(strength, points), hermitian=True)
    expected = _expected(strength)
    seen = np.zeros_like(inverse)
    for i, j, scores in meetings:
        chance = expected[i, j]
        independent = 2.0 * chance * (1.0 - chance)
        squares = float(((2.0 * scores - 2.0 * chance) ** 2).sum())
        count = len(scores)
        variance = (squares + _PRIOR_PAIRS * independent) / (count + _PRIOR_PAIRS) * count
        for a, b, sign in ((i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)):
            seen[a, b] += sign * variance
    result: Floats = inverse @ seen @ inverse
    return result


def _strongly_connected(beats: npt.NDArray[np.bool_]) -> bool:
    """Whether everyone reaches everyone along wins and draws."""
    reach = beats | np.eye(len(beats), dtype=bool)
    for _ in range(max(1, len(beats).bit_length())):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return bool(reach.all())
