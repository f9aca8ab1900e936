"""Importance of parameters for a good score in a sweep, and how much of it could be chance.

Importances are those of PED-ANOVA (Watanabe, Bansal and Hutter 2023): how the values of the best
tenth of the complete trials differ from those of all. They say little with few trials: with three
to five in the better part, as 60 trials leave them, randomly shuffled scores gave one parameter as
large a share in 11 and 34 of 100 shuffles (docs/evidence/sweeps.md). So each importance comes with
a p value, and below FEWEST none is shown.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.importance import PedAnovaImportanceEvaluator

from evolve.tables.trials import Importances

_BETTER: Final = 0.1
"""Share of the trials that importances are based on."""
FEWEST: Final = 10
"""Trials in the better part below which no importance is shown."""
_PERMUTATIONS: Final = 199
"""Shuffles of the scores: p values are accurate to 0.03, and it takes seconds."""


def better_part(scores: npt.NDArray[np.float64]) -> int:
    """Count the trials in the best tenth, with all that tie with its last one."""
    if not scores.size:
        return 0
    last = np.sort(scores)[-int(np.ceil(_BETTER * scores.size))]
    return int((scores >= last).sum())


def compute_importances(
    distributions: Mapping[str, BaseDistribution],
    values: Sequence[Mapping[str, Any]],
    scores: npt.NDArray[np.float64],
    seed: int,
    permutations: int = _PERMUTATIONS,
) -> Importances:
    """Compute importances from trials' values and scores; at least two scores must differ.

    p is the share of shuffles, the real order included, in which the largest share of any parameter
    is at least as large. So it is corrected for the number of parameters (Westfall and Young 1993).
    Samplers that learn propose values near good trials, so a shuffle is slightly less likely than
    the real order: then p is an approximation.
    """
    space = dict(distributions)
    study = optuna.create_study(direction="maximize")
    study.add_trials(
        [
            optuna.trial.create_trial(value=float(score), params=dict(params), distributions=space)
            for params, score in zip(values, scores, strict=True)
        ]
    )
    evaluator = PedAnovaImportanceEvaluator(target_quantile=_BETTER)

    def shares(dealt: npt.NDArray[np.float64]) -> dict[str, float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "smaller is better": hence the sign below
            raw = evaluator.evaluate(study, target=lambda trial: -float(dealt[trial.number]))
        total = sum(raw.values())
        return {name: value / total if total else 0.0 for name, value in raw.items()}

    importances = shares(scores)
    rng = np.random.default_rng([seed, permutations])
    largest = np.array([max(shares(rng.permutation(scores)).values()) for _ in range(permutations)])
    p = {
        name: float((1 + (largest >= share).sum()) / (1 + permutations))
        for name, share in importances.items()
    }
    return Importances(importances, p)


def importances_in(
    distributions: Mapping[str, BaseDistribution],
    values: Sequence[Mapping[str, Any]],
    scores: npt.NDArray[np.float64],
    seed: int,
) -> Importances:
    """Return the importances to show for a sweep, or why there are none."""
    better = better_part(scores)
    if better < FEWEST:
        return Importances(
            reason=f"no importances: the best tenth of the complete trials, {better} of "
            f"{scores.size}, is too few: what under {FEWEST} have in common may well be chance"
        )
    if scores.min() == scores.max():
        return Importances(reason="all complete trials have the same score")
    return compute_importances(distributions, values, scores, seed)
