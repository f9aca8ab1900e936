"""What matters for a good score in a sweep, and how much of it chance would show as well.

Importances are those of PED-ANOVA (Watanabe, Bansal and Hutter 2023): how the values of the best
tenth of the complete trials differ from those of all. Of few trials they say little: with three to
five in the better part, as 60 trials leave them, scores dealt out at random gave one parameter as
large a share in 11 and 34 of 100 deals (docs/sweeps.md). Hence the p value beside each, and none
at all below FEWEST.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.importance import PedAnovaImportanceEvaluator

from evolve.tables.trials import Importances

BETTER: Final = 0.1
"""Share of the trials that importances rest on."""
FEWEST: Final = 10
"""Trials in the better part without which no importance is shown."""
PERMUTATIONS: Final = 199
"""Deals of the scores: p values are known to within 0.03, in seconds."""


@dataclass(frozen=True)
class Weighing:
    """Shares by parameter, the sum 1, the largest first; p by parameter; trials in the better part.

    p is the share of deals, this one among them, in which the largest share of whichever
    parameter is as large or larger: so it is corrected for the number of parameters (Westfall and
    Young 1993). Samplers that learn propose near good trials, so that a deal is not quite as likely
    as what happened: then p is an approximation.
    """

    shares: Mapping[str, float]
    p: Mapping[str, float]
    better: int


def better_part(scores: npt.NDArray[np.float64]) -> int:
    """How many trials are in the best tenth; those with the score of its last one are."""
    if not scores.size:
        return 0
    last = np.sort(scores)[-int(np.ceil(BETTER * scores.size))]
    return int((scores >= last).sum())


def weigh(
    distributions: Mapping[str, BaseDistribution],
    values: Sequence[Mapping[str, Any]],
    scores: npt.NDArray[np.float64],
    seed: int,
    permutations: int = PERMUTATIONS,
) -> Weighing:
    """Weigh parameters by trials' values and scores; two scores must differ."""
    space = dict(distributions)
    study = optuna.create_study(direction="maximize")
    study.add_trials(
        [
            optuna.trial.create_trial(value=float(score), params=dict(one), distributions=space)
            for one, score in zip(values, scores, strict=True)
        ]
    )
    evaluator = PedAnovaImportanceEvaluator(target_quantile=BETTER)

    def shares(dealt: npt.NDArray[np.float64]) -> dict[str, float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that smaller is better, which the sign is for
            found = evaluator.evaluate(study, target=lambda trial: -float(dealt[trial.number]))
        total = sum(found.values())
        return {name: value / total if total else 0.0 for name, value in found.items()}

    found = shares(scores)
    rng = np.random.default_rng([seed, permutations])
    largest = np.array([max(shares(rng.permutation(scores)).values()) for _ in range(permutations)])
    p = {
        name: float((1 + (largest >= share).sum()) / (1 + permutations))
        for name, share in found.items()
    }
    return Weighing(found, p, better_part(scores))


def importances_in(
    distributions: Mapping[str, BaseDistribution],
    values: Sequence[Mapping[str, Any]],
    scores: npt.NDArray[np.float64],
    seed: int,
) -> Importances:
    """The importances to be shown of a sweep, or why there are none."""
    better = better_part(scores)
    if better < FEWEST:
        return Importances(
            reason=f"no importances: the best tenth of the complete trials, {better} of "
            f"{scores.size}, is too few: what under {FEWEST} have in common may well be chance"
        )
    if scores.min() == scores.max():
        return Importances(reason="all complete trials have the same score")
    weighing = weigh(distributions, values, scores, seed)
    return Importances(weighing.shares, weighing.p)
