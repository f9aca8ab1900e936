"""Compute figures with intervals: scores, Elo, means over seeds, ratings.

Games on one opening with colours swapped are not independent, so errors are computed over pairs
of games: for scores near ½ the usual formula per game overstates them, for correlated pairs it
understates them.

Ratings follow Bradley and Terry (1952), a draw being half a win:
P(i beats j) = 1 / (1 + 10^((r_j − r_i) / 400)).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self, get_type_hints

import numpy as np
import numpy.typing as npt

Z95: Final = 1.959963984540054
"""Half of the normal distribution's 95 % interval, in standard errors."""
LEVEL: Final = 0.95
"""Share of intervals that hold the true value."""
ELO_SCALE: Final = 400.0 / math.log(10.0)
"""Elo in one unit of the logarithm of odds."""
FEWEST_PAIRS: Final = 5
"""Pairs of games under which nothing is stated: no interval, and no likelihood."""
_PRECISION: Final = 1e-10
_PRIOR_PAIRS: Final = 4.0
"""Pairs of independent games mixed into the observed variance between pairs: few pairs, or pairs
that all end the same, give little information about it."""
_VIRTUAL: Final = 0.5
"""Points added to both of two players if one won everything: otherwise a rating is infinite."""
_WIDEST: Final = 20.0
"""Natural log odds that no number of games can separate from certainty, 3474 Elo."""

Floats = npt.NDArray[np.float64]
Meeting = tuple[int, int, Floats]
"""Players i and j, and the scores of i in each pair of games on one opening, 0..1."""


class Estimate(NamedTuple):
    """A figure with its 95 % interval.

    low, high: NaN if n is too small for an interval, infinite if the interval has no end.
    n: number of games, seeds or ratings that it is based on.
    """

    value: float
    low: float
    high: float
    n: int

    @classmethod
    def around(cls, value: float, half: float, n: int) -> Self:
        """Return an estimate with a symmetric interval, `half` to each side."""
        return cls(value, value - half, value + half, n)

    @property
    def error(self) -> float:
        """Half the interval's width over 1.96: a standard error, also of scores near 0 and 1."""
        return (self.high - self.low) / 2 / Z95

    def within(self, least: float, most: float) -> Self:
        """Clip the interval to possible values: all of them if an end is unknown."""
        low = least if math.isnan(self.low) else max(least, self.low)
        high = most if math.isnan(self.high) else min(most, self.high)
        return self._replace(low=low, high=high)

    def columns(self, name: str) -> dict[str, float | None]:
        """Return `name`, `name_low`, `name_high` for tables and documents; None if not finite."""
        return {
            name: finite(self.value),
            f"{name}_low": finite(self.low),
            f"{name}_high": finite(self.high),
        }


Estimate.__new__.__annotations__.update(get_type_hints(Estimate))  # its signature reads well


def stated(found: Estimate, pairs: int) -> Estimate:
    """Return the estimate, without its interval where it comes from too few pairs of games."""
    return found if pairs >= FEWEST_PAIRS else found._replace(low=math.nan, high=math.nan)


UNKNOWN: Final = Estimate(math.nan, math.nan, math.nan, 0)
"""An estimate without data; its columns are empty."""


def finite(value: float) -> float | None:
    """Return the value; None if it is infinite or NaN, which JSON does not have."""
    return value if math.isfinite(value) else None


def elo_of(score: float) -> float:
    """Return the Elo difference that predicts `score`; −∞ at 0 and ∞ at 1."""
    if not 0.0 < score < 1.0:
        return -math.inf if score <= 0.0 else math.inf
    return -400.0 * math.log10(1.0 / score - 1.0) + 0.0  # 0 rather than -0


def score_of_elo(elo: float) -> float:
    """Return the score that an Elo difference predicts."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def in_elo(score: Estimate) -> Estimate:
    """Convert a score and its interval to Elo differences."""
    return Estimate(elo_of(score.value), elo_of(score.low), elo_of(score.high), score.n)


def score_of_pairs(pair_scores: Floats) -> Estimate:
    """Compute score and interval from the mean score of each pair of games on one opening, [N].

    A Wilson (1927) interval with the number of trials that would give the observed variance
    between pairs: it stays inside 0..1, and has a width even if all pairs end the same.
    """
    count, score = len(pair_scores), float(pair_scores.mean())
    if count < 2:
        return Estimate(score, 0.0, 1.0, 2 * count)
    binomial = score * (1.0 - score)
    variance = float(pair_scores.var(ddof=1))
    # Variance of a pair's mean relative to that of one game: how many games each pair is worth.
    ratio = (count * variance + _PRIOR_PAIRS * binomial / 2) / (count + _PRIOR_PAIRS)
    trials = count * min(2.0 if ratio <= 0.0 else binomial / ratio, 8.0)
    centre = (score + Z95**2 / (2 * trials)) / (1 + Z95**2 / trials)
    spread = math.sqrt(binomial / trials + Z95**2 / (4 * trials**2)) / (1 + Z95**2 / trials)
    low = 0.0 if score == 0.0 else max(0.0, centre - Z95 * spread)
    high = 1.0 if score == 1.0 else min(1.0, centre + Z95 * spread)
    return Estimate(score, low, high, 2 * count)


def superiority(pair_scores: Floats) -> float:
    """Return the likelihood, 0..1, that the player with these scores is stronger.

    A normal approximation, with a won and a lost pair more (Laplace): pairs that all end the same
    do not show that they always would. NaN for too few pairs.
    """
    if len(pair_scores) < FEWEST_PAIRS:
        return math.nan
    better = pair_scores - 0.5
    deviations = float(better.sum()) / math.sqrt(float((better**2).sum()) + 0.5)
    return 0.5 * (1.0 + math.erf(deviations / math.sqrt(2.0)))


def student(freedom: int, level: float = LEVEL) -> float:
    """Return half of Student's (1908) interval, in standard errors; freedom: degrees of freedom."""
    return float(_special().stdtrit(freedom, (1.0 + level) / 2.0))


def mean_of(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """Return the mean of one value per seed, with Student's interval; a single value has none.

    There must be at least one value, and all must be finite. Seeds are independent, so this holds
    for any quantity measured once per seed. The games of one seed are not independent, and their
    own interval is far too narrow.
    """
    count, mean = len(values), float(np.mean(values))
    if count < 2:
        return Estimate(mean, math.nan, math.nan, count)
    error = _error_of_mean(values)
    return Estimate.around(mean, student(count - 1, level) * error if error else 0.0, count)


def chance_of(values: Sequence[float], expected: float) -> float:
    """Return the probability of a mean at least this far from the expected one by chance.

    Two-sided, by Student's t-test; NaN for a single value.
    """
    count, mean = len(values), float(np.mean(values))
    if count < 2:
        return math.nan
    error = _error_of_mean(values)
    if error == 0.0:
        return float(mean == expected)
    return 2 * float(_special().stdtr(count - 1, -abs(mean - expected) / error))


def _special() -> Any:
    import scipy.special  # not above: it takes 0.2 s and 28 MB, and few commands need it

    return scipy.special


def _error_of_mean(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def holm(chances: Sequence[float]) -> list[float]:
    """Correct probabilities for the number of tests, after Holm (1979).

    NaN stays NaN and is not counted. If no test has a real effect, the chance that one or more of
    the results are under 0.05 is at most 5 %.
    """
    ranked = sorted((chance, index) for index, chance in enumerate(chances) if chance == chance)
    corrected, largest = list(chances), 0.0
    for rank, (chance, index) in enumerate(ranked):
        largest = max(largest, min(1.0, (len(ranked) - rank) * chance))
        corrected[index] = largest
    return corrected


def holm_levels(chances: Sequence[float]) -> list[float]:
    """Return the levels of intervals that hold no difference just where `holm` exceeds 0.05.

    They are those at which Holm tests each, or would where a smaller one ends the tests.
    """
    tests = sum(chance == chance for chance in chances)
    pairs = zip(chances, holm(chances), strict=True)
    small = sorted(chance for chance, corrected in pairs if corrected <= 1 - LEVEL)
    ranks = [bisect_left(small, chance) if chance == chance else tests - 1 for chance in chances]
    return [1 - (1 - LEVEL) / (tests - rank) for rank in ranks]


def bradley_terry(players: int, meetings: Sequence[Meeting]) -> list[Estimate]:
    """Compute ratings of N players in Elo, mean 0, from all their games.

    Newton's method finds the ratings of maximum likelihood. Errors come from the covariance of
    ratings with their mean fixed at 0 (otherwise they would include the error of the mean, which is
    irrelevant), and treat two games on one opening as one sample. All ratings are finite: if not
    all are `comparable`, they give minimum distances.
    """
    points = _points(players, meetings)
    games = (points + points.T).sum(axis=1)
    if not _strongly_connected(points > 0):
        one_sided = (points > 0) != (points.T > 0)
        points = points + _VIRTUAL * one_sided
    strength = _most_likely(points)
    spread = _covariance(strength, points, meetings)
    elo = ELO_SCALE * strength
    error = ELO_SCALE * np.sqrt(np.maximum(np.diag(spread), 0.0))
    return [
        Estimate.around(float(rating), Z95 * float(deviation), round(float(count)))
        for rating, deviation, count in zip(elo, error, games, strict=True)
    ]


def comparable(players: int, meetings: Sequence[Meeting]) -> bool:
    """Whether every two players are linked by points on both sides.

    Otherwise some distances between their ratings are infinite.
    """
    return _strongly_connected(_points(players, meetings) > 0)


def rate_one(opponents: Floats, scores: Floats | Sequence[Floats]) -> Estimate:
    """Compute the Elo of one player, from games with opponents of known, fixed Elo.

    opponents [R] in Elo; scores [R, N], the player's scores in N pairs of games with each, 0..1;
    or R arrays of different lengths. A player that won or lost everything gets half a point less
    or more, which gives a minimum distance.
    """
    known, counts = opponents / ELO_SCALE, np.array([float(len(row)) for row in scores])
    total, most = int(counts.sum()), float(counts.max())
    won = float(scores.sum()) if isinstance(scores, np.ndarray) else sum(map(np.sum, scores))
    points = min(max(float(won), _VIRTUAL / 2), float(total) - _VIRTUAL / 2)
    strength = strength_among(known, counts, points)
    expected = _logistic(strength - known)
    independent = expected * (1.0 - expected) * (counts / most)
    variance = sum(map(_variance_of_points, expected.tolist(), scores))
    error = ELO_SCALE * math.sqrt(variance) / (2 * most * float(independent.sum()))
    return Estimate.around(ELO_SCALE * strength, Z95 * error, 2 * total)


def rate_games(opponents: Sequence[float], points: float) -> Estimate:
    """Compute the Elo of one player from single games with opponents of known, fixed Elo.

    points: a win is one. The prior is a draw with an opponent of their mean Elo: all is finite.
    """
    known = np.array([*opponents, np.mean(opponents)]) / ELO_SCALE
    strength = strength_among(known, np.ones(len(known)), points + 0.5)
    expected = _logistic(strength - known)
    error = ELO_SCALE / math.sqrt(float((expected * (1.0 - expected)).sum()))
    return Estimate.around(ELO_SCALE * strength, Z95 * error, len(opponents))


def strength_among(known: Floats, games: Floats, points: float) -> float:
    """Return the strength with expected `points` from `games` against each of R known strengths.

    It is the one of maximum likelihood. Strengths are natural log odds: Elo / ELO_SCALE.
    """
    low, high = float(known.min()) - _WIDEST, float(known.max()) + _WIDEST
    most = float(games.max())
    shares = games / most  # 1 if all have equally many: then nothing is rounded here
    # The expected points grow with the strength, so bisect.
    while high - low > _PRECISION:
        middle = (low + high) / 2.0
        more = points - most * float((shares * _logistic(middle - known)).sum()) > 0.0
        low, high = (middle, high) if more else (low, middle)
    return low


def _logistic(difference: Floats) -> Floats:
    """Return the score that a difference in strength predicts."""
    return 1.0 / (1.0 + np.exp(-difference))


def _variance_of_points(chance: float, scores: Floats) -> float:
    """Estimate the variance of a player's points in all pairs of games with an opponent."""
    independent = 2.0 * chance * (1.0 - chance)
    squares = float(((2.0 * scores - 2.0 * chance) ** 2).sum())
    count = len(scores)
    return (squares + _PRIOR_PAIRS * independent) / (count + _PRIOR_PAIRS) * count


def _points(players: int, meetings: Sequence[Meeting]) -> Floats:
    """Return the points of each player against each other one, [N, N]."""
    points = np.zeros((players, players))
    for i, j, scores in meetings:
        points[i, j] += 2.0 * scores.sum()
        points[j, i] += 2.0 * (1.0 - scores).sum()
    return points


def _expected(strength: Floats) -> Floats:
    """Return the expected score of each player against each other one, [N, N]."""
    return _logistic(strength[:, None] - strength[None, :])


def _information(strength: Floats, points: Floats) -> Floats:
    """Return minus the second derivatives of the log likelihood."""
    expected = _expected(strength)
    weight = (points + points.T) * expected * (1.0 - expected)
    np.fill_diagonal(weight, 0.0)
    return np.diag(weight.sum(axis=1)) - weight


def _most_likely(points: Floats) -> Floats:
    """Find strengths with mean 0 by Newton's method; halve steps that lower the likelihood."""
    games = points + points.T
    strength = np.zeros(len(points))

    def likelihood(at: Floats) -> float:
        return float((points * np.log(_expected(at))).sum())

    now = likelihood(strength)
    for _ in range(100):
        slope = (points - games * _expected(strength)).sum(axis=1)
        if np.abs(slope).max() < _PRECISION * max(1.0, games.sum()):
            break
        # The likelihood does not determine the mean; adding 1 everywhere fixes it.
        step = np.linalg.solve(_information(strength, points) + 1.0, slope)
        size = 1.0
        while likelihood(strength + size * step) < now and size > 1e-9:
            size /= 2.0
        strength = strength + size * step
        strength -= strength.mean()
        now = likelihood(strength)
    return strength


def _covariance(strength: Floats, points: Floats, meetings: Sequence[Meeting]) -> Floats:
    """Covariance of the centred strengths from observed variances: Huber's (1967) sandwich."""
    inverse = np.linalg.pinv(_information(strength, points), hermitian=True)
    expected = _expected(strength)
    seen = np.zeros_like(inverse)
    for i, j, scores in meetings:
        variance = _variance_of_points(float(expected[i, j]), scores)
        for a, b, sign in ((i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)):
            seen[a, b] += sign * variance
    return inverse @ seen @ inverse


def _strongly_connected(beats: npt.NDArray[np.bool_]) -> bool:
    """Whether every player reaches every other one through wins and draws."""
    reach = beats | np.eye(len(beats), dtype=bool)
    for _ in range(max(1, len(beats).bit_length())):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return bool(reach.all())
