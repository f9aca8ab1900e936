"""The sequential test of a match: it ends as soon as one of two claims about A is likely enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from evolve.errors import OptionsError
from evolve.fitness.statistics import (
    score_of_elo,
)

PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_UNSEEN: Final = 1e-3
"""Added to every count: an outcome that was never seen is not impossible."""
_HALVINGS: Final = 60
Verdict = Literal["accepted", "rejected", "undecided"]


@dataclass(frozen=True)
class Sprt:
    """Test whether A is stronger than B by `elo1` rather than by `elo0`.

    alpha: share of matches at `elo0` in which `elo1` is accepted; beta: share at `elo1` in which
    it is rejected. Raises OptionsError for values out of range.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -2000 <= self.elo0 < self.elo1 <= 2000:
            raise OptionsError(
                f"SPRT needs ELO0 under ELO1, both -2000 to 2000, not {self.elo0:g} {self.elo1:g}"
            )
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise OptionsError(f"{name} {value:g} must be over 0 and under 0.5")

    @property
    def lower(self) -> float:
        """The log likelihood ratio at which `elo1` is rejected."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log likelihood ratio at which `elo1` is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def ratio(self, pentanomial: Sequence[int]) -> float:
        """Log likelihood ratio of `elo1` to `elo0`, from how many pairs gave 0, ½, 1, 1½, 2."""
        if not any(pentanomial):
            return 0.0
        counts = [count + _UNSEEN for count in pentanomial]
        total = sum(counts)
        shares = [count / total for count in counts]
        slope0, slope1 = (_slope(shares, score_of_elo(elo)) for elo in (self.elo0, self.elo1))
        score0, score1 = score_of_elo(self.elo0), score_of_elo(self.elo1)
        return sum(
            count * math.log((1 + slope0 * (score - score0)) / (1 + slope1 * (score - score1)))
            for count, score in zip(counts, PAIR_SCORES, strict=True)
        )

    def facts(self, pentanomial: Sequence[int]) -> dict[str, Any]:
        """The test and its state, as in documents."""
        state = {"llr": self.ratio(pentanomial), "lower": self.lower, "upper": self.upper}
        return {**asdict(self), **state, "verdict": self.verdict(pentanomial)}

    def verdict(self, pentanomial: Sequence[int]) -> Verdict:
        """Return the decision so far."""
        ratio = self.ratio(pentanomial)
        if ratio >= self.upper:
            return "accepted"
        return "rejected" if ratio <= self.lower else "undecided"


def _slope(shares: Sequence[float], mean: float) -> float:
    """Find the λ for which shares / (1 + λ (score − mean)) have that mean, nearest to `shares`.

    Empirical likelihood (Owen 1988). The condition falls with λ between its poles, so bisection
    finds it.
    """
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        excess = sum(
            share * (score - mean) / (1 + middle * (score - mean))
            for share, score in zip(shares, PAIR_SCORES, strict=True)
        )
        low, high = (middle, high) if excess > 0 else (low, middle)
    return (low + high) / 2
