"""Trials of a study as rows of the trials table."""

from __future__ import annotations

from typing import Any

from optuna.trial import FrozenTrial

from evolve.sweeps.plan import Plan
from evolve.sweeps.quota import ENDS, FINISHED
from evolve.sweeps.trials import number_of


def rows_of(plan: Plan, trials: list[FrozenTrial]) -> list[dict[str, Any]]:
    """The trials as rows of the trials table."""
    rows = []
    for trial in sorted(trials, key=number_of):
        known = trial.user_attrs
        finished = trial.state in FINISHED
        reports = [trial.intermediate_values[s] for s in sorted(trial.intermediate_values)]
        began, ended = trial.datetime_start, trial.datetime_complete
        took = (ended - began).total_seconds() if began and ended else None
        rows.append(
            {
                "number": number_of(trial),
                "state": trial.state.name,
                "score": trial.values[0] if finished and trial.values else None,
                "score_error": known.get("score_error"),
                "reports": reports,
                "origin": known.get("origin", "sampler"),
                "worker": known.get("worker"),
                "games": known.get("games"),
                "agent": known.get("agent"),
                "reason": known.get("reason"),
                "seconds": known.get("seconds", took if trial.state in ENDS else None),
                **{name: trial.params.get(name) for name in plan.space.names},
            }
        )
    return rows
