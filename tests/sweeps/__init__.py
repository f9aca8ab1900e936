"""Small studies, and trials for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from optuna.distributions import IntDistribution
from optuna.trial import FrozenTrial, TrialState, create_trial

from evolve.config.sweep import ProgramSweepSettings, SweepSettings
from evolve.runs.progress import Observer
from evolve.sweeps.plan import Plan, plan_of
from evolve.sweeps.study import JournalStorage, Study
from evolve.sweeps.trial import TrialResult, row_of

SEARCHED = ("learning_rate", "noise", "simulations", "network")
HELD = {
    name: value
    for name, value in (plan_of(SweepSettings(kind="mcts")).defaults or {}).items()
    if name not in SEARCHED
}
GENES = {"kind": "alphabeta", "panel": ("random",), "panel_openings": 2, "fix": {"depths": 1}}
"""Trials that need no torch: workers are ready at once."""


class Watching(Observer):
    """An observer that keeps what it gets, and asks to stop as soon as `until` holds of it."""

    def __init__(self, until: Callable[[Watching], bool] = lambda seen: False) -> None:
        self.until = until
        self.rows, self.notes = list[dict[str, Any]](), list[str]()
        self.shares, self.stages = list[float](), list[tuple[float, float]]()

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.rows.append(dict(row))
        self.shares.append(done / total)

    def stage(self, name: str, done: float, total: float) -> None:
        self.stages.append((done, total))

    def note(self, text: str) -> None:
        self.notes.append(text)

    def stop(self) -> bool:
        return self.until(self)


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
    return Study(small_plan(**changes), JournalStorage(path / "journal.log"))


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
    number: int, score: float | None = None, state: TrialState | None = None, **facts: Any
) -> FrozenTrial:
    """A trial without values; with a score it is complete."""
    usual = TrialState.RUNNING if score is None else TrialState.COMPLETE
    trial = create_trial(state=state or usual, value=score, user_attrs=facts)
    trial.number = number
    return trial


def setting(
    number: int, score: float | None, value: int, state: TrialState | None = None, **facts: Any
) -> FrozenTrial:
    """A trial with a value of a parameter x; with a score it is complete."""
    trial = trial_of(number, score, state, **facts)
    trial.params, trial.distributions = {"x": value}, {"x": IntDistribution(0, 9)}
    return trial
