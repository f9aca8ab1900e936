"""What a sweep has found: its winner beside the defaults, and which parameters matter.

Importances are those of PED-ANOVA (Watanabe, Bansal and Hutter 2023): how the values of the best
tenth of the complete trials differ from those of all. They say little with few trials: with three
to five in the better part, as 60 trials leave them, randomly shuffled scores gave one parameter as
large a share in 11 and 34 of 100 shuffles (docs/evidence/sweeps.md). So each importance comes with
a p value, and below FEWEST none is shown.
"""

from __future__ import annotations

import json
import shlex
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import optuna
from optuna.distributions import BaseDistribution
from optuna.importance import PedAnovaImportanceEvaluator

from evolve.config.base import option_words
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.search.evaluation import CLASS_NAMES
from evolve.errors import EvolveError
from evolve.runs.life_cycle import stored_settings
from evolve.runs.run import Run
from evolve.runs.run_types import tuned_line
from evolve.sweeps.final import DEFAULTS
from evolve.sweeps.plan import Plan, SettingsPlan, plan_of
from evolve.tables.paths import CONFIG_FILE
from evolve.tables.trials import Importances, read_trials, whole_final

_BETTER: Final = 0.1
"""Share of the trials that importances are based on."""
FEWEST: Final = 10
"""Trials in the better part below which no importance is shown."""
_PERMUTATIONS: Final = 199
"""Shuffles of the scores: p values are accurate to 0.03, and it takes seconds."""


def _better_part(scores: npt.NDArray[np.float64]) -> int:
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
    better = _better_part(scores)
    if better < FEWEST:
        return Importances(
            reason=f"no importances: the best tenth of the complete trials, {better} of "
            f"{scores.size} with ties, is too few: what under {FEWEST} share may well be chance"
        )
    if scores.min() == scores.max():
        return Importances(reason="all complete trials have the same score")
    return compute_importances(distributions, values, scores, seed)


def winner_of(folder: Path) -> dict[str, Any]:
    """The winner of a sweep's final, before that its best trial, as JSON.

    trial, score: its number and score, None before a trial is complete. chosen: whether a final has
    chosen it. settings: each with its value, its default and its range, None where unknown. lines:
    what is to be copied, each with what it is.
    """
    run = Run(folder)
    table = read_trials(folder)
    rows = [] if table is None else table.to_pylist()
    final = whole_final(folder)
    complete = [row for row in rows if row["state"] == "COMPLETE"]
    best = max(complete, key=lambda row: row["score"], default=None)
    if final is not None:
        best = next((row for row in rows if row["number"] == final.winner), best)
    if best is None:
        return {"trial": None, "score": None, "chosen": False, "settings": [], "lines": []}
    plan = _plan(run)
    defaults: dict[str, Any] = next((row for row in rows if row["origin"] == DEFAULTS), {})
    return {
        "trial": best["number"],
        "score": best["score"],
        "chosen": final is not None and best["number"] == final.winner,
        "settings": [] if plan is None else _settings(plan, best, defaults),
        "lines": _lines(run, plan, best),
    }


def _plan(run: Run) -> Plan | None:
    """The plan of a sweep; None where it cannot be made any more: a program may be gone."""
    try:
        plan = plan_of(stored_settings(run.kind, run.command, run.path / CONFIG_FILE))
        assert plan.space
    except (EvolveError, OSError):
        return None
    return plan


def _settings(
    plan: Plan, best: Mapping[str, Any], defaults: Mapping[str, Any]
) -> list[dict[str, Any]]:
    return [
        {
            "name": parameter.name,
            **_titled(parameter.name, plan.space.names),
            "about": parameter.about,
            "value": best.get(parameter.name),
            "default": defaults.get(parameter.name),
            "low": None if parameter.kind == "choice" else parameter.low,
            "high": None if parameter.kind == "choice" else parameter.high,
            "log": parameter.log,
        }
        for parameter in plan.space.parameters
    ]


def _titled(name: str, names: Sequence[str]) -> dict[str, Any]:
    """A setting in words, and the phase of the game that it is of; None for all of it."""
    stem, dot, number = name.rpartition(".")
    if not dot or not number.isdecimal():
        return {"title": name.replace("_", " ").capitalize(), "phase": None}
    title, count = stem.replace("_", " ").capitalize(), len(CLASS_NAMES)
    if any(name.startswith(f"{stem}.") and int(name.rpartition(".")[2]) >= count for name in names):
        phase, square = divmod(int(number), count)
        return {"title": f"{title} {CLASS_NAMES[square]}", "phase": phase}
    return {"title": title, "phase": int(number)}


def _lines(run: Run, plan: Plan | None, best: Mapping[str, Any]) -> list[dict[str, str]]:
    """Command lines that use the settings, beside those that use a champion."""
    tuned = tuned_line(run.path)
    lines = [{"about": "Against another program or agent", "line": tuned}] if tuned else []
    command = SWEEP_TARGETS[run.kind.word(run.command)].command
    if command is not None and isinstance(plan, SettingsPlan) and not plan.makes_agents:
        words = ["evolve", *command.split(), *option_words(_options(plan, best), type(plan.base))]
        lines.insert(0, {"about": "Longer, with these settings", "line": shlex.join(words)})
    return lines


def _options(plan: SettingsPlan, best: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a trial that differ from the command's own defaults."""
    values = {name: best[name] for name in plan.space.names if best.get(name) is not None}
    made = json.loads(plan.settings(values, plan.sweep.seed).model_dump_json())
    defaults = json.loads(type(plan.base)(rules=plan.sweep.rules).model_dump_json())
    names = {*plan.space.names, *plan.sweep.fix, plan.composed}
    changed = {name: made[name] for name in made if name in names and made[name] != defaults[name]}
    return {"rules": plan.sweep.rules, **changed}
