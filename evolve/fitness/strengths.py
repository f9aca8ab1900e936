"""Strengths of many players, and whether they add up.

Over a reference, games with that measure what is asked: a player's Elo over it. Games between two
others say it less surely, because strengths do not add up: what beats a strong opponent may fail
against the reference. So each such meeting has a difference of its own, normal about the difference
of the two strengths: Bradley and Terry (1952) with random effects, as network meta-analysis has it
for direct and indirect comparisons. In a prototype a normal prior over the strengths held the truth
in .87 of the intervals, no prior in .95: it draws all to one mean.

What Bradley and Terry leave unexplained is such a difference of each two players. Its standard
deviation is estimated as there: at the true one, the weighted squares that the best strengths leave
follow a chi-square distribution, which gives an estimate (Paule and Mandel 1982) and an interval
(Viechtbauer 2007).

`python -m benchmarks.sweep_strengths` and `benchmarks.cycles` judge both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.fitness import statistics
from evolve.fitness.statistics import ELO_SCALE, LEVEL, Z95, Estimate, Floats, Meeting
from evolve.number_text import elo_text, percent

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


_PRIOR_PAIRS: Final = 20.0
"""Pairs of games with the variance of all, mixed with those of two players: that of a few pairs, or
of pairs that all end the same, is hardly known."""
_WIDEST: Final = 20.0  # natural log odds from which on a deviation has no end, 3474 Elo


class Unexplained(NamedTuple):
    """What ratings leave of the results beyond chance.

    elo: standard deviation of the differences that do not add up. share: of the squares left, 0 to
    1, the part beyond chance. p: how likely chance alone leaves as much. cycles: `agents` of which
    each beats the next, and the last the first, certainly; their `scores` in that; and `p_holm`,
    how likely chance alone has three differ so far from adding up, corrected for all threes.
    """

    elo: Estimate
    share: float
    p: float
    cycles: list[dict[str, Any]]

    @property
    def document(self) -> dict[str, Any]:
        """The figures as in documents."""
        return {**self.elo.columns("elo"), "share": self.share, "p": self.p, "cycles": self.cycles}

    @property
    def words(self) -> list[str]:
        """It in sentences: one on all differences, and one on each cycle."""
        text = "Elo explains the results up to chance"
        if self.elo.low > 0.0:
            text = (
                f"± {elo_text(*self.elo[:3])} Elo of the differences do not add up: "
                f"{percent(self.share)} of what ratings leave is not chance"
            )
        elif self.elo.n > 2:  # fewer degrees of freedom leave the end far away
            text += f": at most ± {elo_text(self.elo.high)} of it does not add up"
        said = [text]
        for cycle in self.cycles:
            first, second, third = cycle["agents"]
            scores = ", ".join(f"{score:.3f}" for score in cycle["scores"])
            said.append(f"a cycle: {first} beats {second} beats {third} beats {first}, {scores}")
        return said


def unexplained_by_ratings(names: Sequence[str], meetings: Sequence[Meeting]) -> Unexplained | None:
    """Compute what ratings leave of the games of these players; None where that cannot be said.

    So it is where nobody met in a circle, or two who met have too few different pairs of games.
    """
    if min(len(scores) for *_, scores in meetings) < statistics.FEWEST_PAIRS:
        return None
    chance = _chances([rating.value for rating in statistics.bradley_terry(len(names), meetings)])
    counts, means, squares = np.zeros((3, *chance.shape))
    for one, other, scores in meetings:
        for pair, own in (((one, other), scores), ((other, one), 1.0 - scores)):
            counts[pair], means[pair] = len(own), own.mean()
            squares[pair] = ((own - chance[pair]) ** 2).sum()
    usual, met = chance * (1.0 - chance) / 2.0, counts > 0
    # The variance of all pairs, with an independent one more of each two players.
    usual *= (squares + usual)[met].sum() / ((counts + 1.0) * usual)[met].sum()
    with np.errstate(divide="ignore"):  # of those who did not meet it is infinite
        variance = (squares + _PRIOR_PAIRS * usual) / (counts + _PRIOR_PAIRS) / counts
    beats = means - 0.5 > statistics.Z95 * np.sqrt(variance)
    differences = _differences(chance, means, variance)
    cycles = [
        {"agents": [names[i] for i, _ in steps], "scores": [*map(means.item, steps)], "p_holm": p}
        for steps, p in _uneven_threes(*differences)
        if all(map(beats.item, steps))
    ]
    return _unexplained(*differences, cycles)


def unexplained_by_strengths(results: Iterable[Met]) -> Unexplained | None:
    """Compute what the joint rating of `strengths` leaves; None where nobody met in a circle.

    How much games vary by chance is seen between the results of the same two.
    """
    met = [*results]
    elos = {REFERENCE: 0.0, **{player: elo.value for player, elo in strengths(met).items()}}
    place, chance = {player: index for index, player in enumerate(elos)}, _chances([*elos.values()])
    parts, games, points, squares = np.zeros((4, *chance.shape))
    for player, other, count, won in met:
        for i, j, own in ((player, other, won), (other, player, count - won)):
            pair = place[i], place[j]
            parts[pair] += 1
            games[pair] += count
            points[pair] += own
            squares[pair] += own**2 / count
    usual, known = chance * (1.0 - chance), games > 0
    means = points / np.maximum(games, 1.0)
    within = (squares - points * means)[known].sum(), (usual * (parts - 1.0))[known].sum()
    usual *= (within[0] + 1.0) / (within[1] + 1.0)  # with four independent games more
    with np.errstate(divide="ignore"):
        return _unexplained(*_differences(chance, means, usual / games))


def _chances(elos: Sequence[float]) -> Floats:
    strength = np.array(elos) / ELO_SCALE
    return 1.0 / (1.0 + np.exp(strength - strength[:, None]))


def _differences(chance: Floats, means: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return the differences of each two in natural log odds, and their variances.

    Scores become log odds along the slope halfway to what is expected: those of 0 and 1, too.
    """
    middle = (chance + means) / 2.0
    slope = middle * (1.0 - middle)
    return np.log(middle / (1.0 - middle)) + (means - middle) / slope, variance / slope**2


def _unexplained(
    seen: Floats, variance: Floats, cycles: Sequence[dict[str, Any]] = ()
) -> Unexplained | None:
    """Compute it from the differences of each two; their variance is infinite without games."""
    freedom = int(np.isfinite(variance).sum()) // 2 - len(seen) + 1
    if freedom < 1:
        return None
    import scipy.special  # not above: it takes 0.2 s and 28 MB, and needs games in a circle

    def left(spread: float) -> float:
        """The weighted squares that the best strengths leave; spread: the deviation on top."""
        weight = 1.0 / (variance + spread**2)
        # Strengths may have any mean; a constant on top makes it 0.
        information = np.diag(weight.sum(axis=1)) - weight + weight.mean()
        strength = np.linalg.solve(information, (weight * seen).sum(axis=1))
        return float((weight * (seen - strength[:, None] + strength) ** 2).sum()) / 2.0

    def spread_of(expected: float) -> float:
        if whole <= expected:
            return 0.0
        low, high = 0.0, _WIDEST
        while high - low > 1e-6:
            middle = (low + high) / 2.0
            low, high = (middle, high) if left(middle) > expected else (low, middle)
        return low * ELO_SCALE if high < _WIDEST else math.inf

    whole = left(0.0)
    low, high = map(spread_of, scipy.special.chdtri(freedom, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    elo = Estimate(spread_of(freedom), low, high, freedom)
    share = 1.0 - freedom / max(whole, freedom)
    return Unexplained(elo, share, float(scipy.special.chdtrc(freedom, whole)), [*cycles])


def _uneven_threes(seen: Floats, variance: Floats) -> Iterator[tuple[list[tuple[int, int]], float]]:
    """Yield the steps round each three who certainly do not add up, both ways, and Holm's p."""
    import scipy.special

    threes = np.array([*combinations(range(len(seen)), 3)], np.int64).reshape(-1, 3).T
    steps = threes, np.roll(threes, -1, axis=0)
    errors = np.sqrt(2.0 * variance[steps].sum(axis=0))
    chances = scipy.special.erfc(np.abs(seen[steps].sum(axis=0)) / errors)
    chances[np.isinf(errors)] = math.nan
    for three, p in zip(threes.T.tolist(), statistics.holm(chances.tolist()), strict=True):
        if p <= 1.0 - LEVEL:
            for a, b, c in (three, three[::-1]):
                yield [(a, b), (b, c), (c, a)], p
