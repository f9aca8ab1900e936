"""Small studies, and trials for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from optuna.distributions import IntDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from evolve.config.sweep import ProgramSweepSettings, SweepSettings
from evolve.sweeps.plan import Plan, plan_of
from evolve.sweeps.study import Study
from evolve.sweeps.trial import TrialResult, row_of

SEARCHED = ("learning_rate", "noise", "simulations", "network")
HELD = {
    name: value
    for name, value in (plan_of(SweepSettings(kind="mcts")).defaults or {}).items()
    if name not in SEARCHED
}
GENES = {"kind": "alphabeta", "panel": ("random",), "panel_openings": 2, "fix": {"depths": 1}}
"""Trials that need no torch: workers are ready at once."""


def completed(score: float, facts: Mapping[str, Any] | None = None) -> TrialResult:
    facts = {"score_error": 0.1, "agent": "x", **(facts or {})}
    return TrialResult(TrialState.COMPLETE, facts, score)


def plan(kind: str, **changes: Any) -> Plan:
    model: Any = ProgramSweepSettings if kind == "program" else SweepSettings
    return plan_of(model(kind=kind, **changes))


def small_plan(trials: int = 4, **changes: Any) -> Plan:
    """Few parameters."""
    return plan_of(
        SweepSettings(kind="mcts", trials=trials, **{"startup": 2, "fix": HELD, **changes})
    )


def local(path: Path, **changes: Any) -> Study:
    return Study(small_plan(**changes), path / "journal.log")


def states(study: Study) -> Counter[str]:
    return Counter(trial.state.name for trial in study.trials())


def table_of(study: Study) -> list[dict[str, Any]]:
    """The rows of a study's trials."""
    return [row_of(trial, study.plan.space.names) for trial in study.trials()]


def run_one(study: Study, score: float) -> int:
    taken = study.take()
    study.end(taken.number, completed(score, {"seconds": 1.0}))
    return taken.number


def trial_of(
    number: int,
    score: float | None = None,
    state: TrialState | None = None,
    x: int | None = None,
    **facts: Any,
) -> FrozenTrial:
    """A trial, with a value of a parameter x or without; with a score it is complete."""
    usual = TrialState.RUNNING if score is None else TrialState.COMPLETE
    params: dict[str, Any] = {} if x is None else {"x": x}
    space = dict.fromkeys(params, IntDistribution(0, 9999))
    kept: dict[str, Any] = {"params": params, "distributions": space, "user_attrs": facts}
    trial = create_trial(state=state or usual, value=score, **kept)
    trial.number = number
    return trial
