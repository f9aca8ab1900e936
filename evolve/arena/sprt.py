"""A sequential test of a match: which of two strengths is likelier, and how long it still takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt

from evolve.config.matches import EloUnit
from evolve.fitness.statistics import Floats, score_of_elo

_SCORES: Final = np.arange(5) / 4
_UNSEEN: Final = 1e-3  # added to every count: an outcome that was never seen is not impossible
_HALVINGS: Final = 45
_ROUNDS: Final = 60
_PRECISION: Final = 1e-8
_NORMALIZED: Final = math.sqrt(2.0) * math.log(10.0) / 800.0
"""A normalized Elo, in standard deviations of a pair's score, which are a game's / √2."""
_OVERSHOOT: Final = 0.583
"""How far a random walk is past a bound when it is seen there, in steps (Siegmund 1985)."""
_UNDRAWN: Final = 1 / 8  # variance of a pair's score if its games are independent and none is drawn
_PRIOR_PAIRS: Final = 4.0
"""Pairs of that variance mixed into the counts: few pairs tell little about it."""


@dataclass(frozen=True)
class Sprt:
    """Test whether A is stronger than B by `elo1` rather than by `elo0`.

    A generalized sequential probability ratio test of pairs of games. alpha: share of matches at
    `elo0` in which `elo1` is accepted; beta: share at `elo1` in which it is rejected; both under ½.
    unit: of both; normalized Elo is the score over ½ in standard deviations of a game, times
    800 / ln 10, so that it takes equally many games to see for any share of draws (Van den Bergh,
    Comments on Normalized Elo); it must lie within ±200.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    unit: EloUnit = "logistic"
    ROUND: ClassVar[int] = 16
    """Pairs between two looks at a test, which must not depend on the executor."""

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which `elo1` is rejected."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which `elo1` is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, pentanomial: Sequence[int]) -> float:
        """Log-likelihood ratio of `elo1` to `elo0`, from how many pairs gave 0, ½, 1, 1½, 2."""
        return float(self.ratios(np.asarray(pentanomial))) if any(pentanomial) else 0.0

    def ratios(self, pentanomials: npt.NDArray[Any]) -> Floats:
        """The ratios of many matches that have begun, [..., 5] → [...]."""
        counts = pentanomials + _UNSEEN
        shares = (counts / counts.sum(-1, keepdims=True))[..., None, :]
        if self.unit == "logistic":
            means = score_of_elo(self.elo0), score_of_elo(self.elo1)
            likeliest = _nearest(shares, _SCORES - np.array(means)[:, None])
        else:
            likeliest = _normalized(shares, _NORMALIZED * np.array([[self.elo0], [self.elo1]]))
        logs: Floats = np.log(likeliest)
        return np.asarray((counts * (logs[..., 1, :] - logs[..., 0, :])).sum(-1))

    def verdict(self, pentanomial: Sequence[int]) -> Literal["accepted", "rejected", "undecided"]:
        ratio = self.ratio(pentanomial)
        if ratio >= self.upper:
            return "accepted"
        return "rejected" if ratio <= self.lower else "undecided"

    @property
    def expected(self) -> tuple[int, ...]:
        """Games that a test takes on average: at `elo0`, half way, and at `elo1`.

        In logistic Elo as if no game were drawn and those of a pair were independent: more draws
        and split pairs make it shorter.
        """
        step = self._step(_UNDRAWN)
        pairs = (self._pairs(0.0, sign * step**2 / 2, step) for sign in (-1, 0, 1))
        return tuple(round(2 * max(self.ROUND, one)) for one in pairs)

    def document(self, pentanomial: Sequence[int], rest: int | None = None) -> dict[str, Any]:
        """The test and its state, as in documents; rest: games that the match still has."""
        ratio = self.ratio(pentanomial)
        state = {"llr": ratio, "lower": self.lower, "upper": self.upper}
        left = self._games_left(ratio, np.asarray(pentanomial))
        games = {"games_expected": self.expected, "games_left": left, "games_rest": rest}
        return {**asdict(self), **state, "verdict": self.verdict(pentanomial), **games}

    def _games_left(self, ratio: float, counts: npt.NDArray[Any]) -> int:
        """Games that the test still takes on average, if A goes on as it began.

        Its strength is taken to be half way, give or take the distance of the bounds, or more where
        the pairs are further off than chance allows (two standard errors).
        """
        if not self.lower < ratio < self.upper:
            return 0
        pairs = max(1.0, float(counts.sum()))
        spread = counts @ (_SCORES - counts @ _SCORES / pairs) ** 2 + _PRIOR_PAIRS * _UNDRAWN
        step = self._step(float(spread) / (pairs + _PRIOR_PAIRS))
        prior = max(step**2, (ratio / pairs / step) ** 2 - 4 / pairs)
        return round(2 * self._pairs(ratio, ratio / (pairs + 1 / prior), step))

    def _step(self, variance: float) -> float:
        """Standard deviation of the ratio's change by a pair; variance: of a pair's score."""
        if self.unit == "normalized":
            return _NORMALIZED * (self.elo1 - self.elo0)
        return (score_of_elo(self.elo1) - score_of_elo(self.elo0)) / math.sqrt(variance)

    def _pairs(self, ratio: float, drift: float, step: float) -> float:
        """Pairs until a ratio leaves its bounds that moves by drift ± step a pair (Wald 1945)."""
        over = _OVERSHOOT * step * math.sqrt(self.ROUND)
        behind, ahead = ratio - self.lower + over, self.upper + over - ratio
        if drift < 0:
            behind, ahead = ahead, behind
        drift = max(abs(drift), 1e-6 * step**2)  # without any, the formula is 0 / 0
        pull = -2 * drift / step**2
        reached = math.expm1(pull * behind) / math.expm1(pull * (behind + ahead))
        return (reached * ahead - (1 - reached) * behind) / drift


def _nearest(shares: Floats, values: Floats) -> Floats:
    """The distribution under which `values` have mean 0 that makes `shares` likeliest, [..., 5].

    It is shares / (1 + λ values) (empirical likelihood, Owen 1988). Their mean falls with λ between
    its poles, so bisection finds it.
    """
    low, high = (-1 / values.max(-1, keepdims=True), -1 / values.min(-1, keepdims=True))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        over = (shares * values / (1 + middle * values)).sum(-1, keepdims=True) > 0
        low, high = np.where(over, middle, low), np.where(over, high, middle)
    return np.asarray(shares / (1 + middle * values))


def _normalized(shares: Floats, targets: Floats) -> Floats:
    """The likeliest distribution whose mean − ½ is `targets` times its standard deviation.

    Near a distribution that is a condition on a mean: repeated from the even one, which converges
    for |targets| < 1 (Van den Bergh, section 4.1).
    """
    found = np.full(np.broadcast_shapes(shares.shape, targets.shape[:-1] + _SCORES.shape), 0.2)
    for _ in range(_ROUNDS):
        mean = found @ _SCORES[:, None]
        spread = np.sqrt((found * (_SCORES - mean) ** 2).sum(-1, keepdims=True))
        values = _SCORES - 0.5 - targets * (spread + (_SCORES - mean) ** 2 / spread) / 2
        before, found = found, _nearest(shares, values)
        if np.abs(found - before).max() < _PRECISION:
            break
    return found
