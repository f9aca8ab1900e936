"""Other ranges for a sweep that has begun: a further study with the trials that still fit.

Optuna has no trial without its ranges, and samplers learn from those of equal ranges alone. So the
trials are added to a new study in the same storage, each under its number.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import optuna
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState, create_trial

from evolve.sweeps.space import Space
from evolve.sweeps.trials import CONTEXT, ENDS, MIRROR, OUTSIDE, PLACE, CountedStudy, values_of

RANGES: Final = ("space", "require")
"""Parts of a sweep's identity that may change."""
KEPT_OF_QUEUED: Final[tuple[str, ...]] = ("origin", PLACE, CONTEXT, MIRROR)
"""Attributes that a trial keeps when its values are queued again."""
_IDENTITY: Final = "evolve"


def newest_name(storage: BaseStorage, name: str) -> str:
    """Return the name of the last study of a sweep: its own, or of the ranges since.

    Drops one that was killed while trials were added to it.
    """
    there = {one.study_name: one for one in storage.get_all_studies()}
    newest = name
    for other in itertools.takewhile(there.__contains__, _further(name)):
        if _IDENTITY not in there[other].user_attrs:
            optuna.delete_study(study_name=other, storage=storage)
            break
        newest = other
    return newest


def _further(name: str) -> Iterator[str]:
    return (f"{name}~{number}" for number in itertools.count(2))


def revised(study: CountedStudy, storage: BaseStorage, space: Space) -> CountedStudy:
    """Return a further study, of another space, with the trials of one.

    Those that do not fit keep their row and their number, but do not count. Until the caller sets
    its identity the study is unfinished.
    """
    base = study.study_name.partition("~")[0]
    names = {one.study_name for one in storage.get_all_studies()}
    name = next(one for one in _further(base) if one not in names)
    optuna.create_study(storage=storage, study_name=name, direction="maximize")
    changed = CountedStudy(name, storage, study.sampler, study.pruner)
    for trial in study.get_placed():
        taken = _taken(trial, space)
        if taken is not None:
            changed.add_trial(taken)
    for key, value in study.user_attrs.items():
        if key != _IDENTITY:
            changed.set_user_attr(key, value)
    return changed


class _Ended(NamedTuple):
    """How a trial ended in its own ranges."""

    state: TrialState
    value: float | None
    reports: dict[int, float]
    reason: str | None

    @classmethod
    def of(cls, trial: FrozenTrial) -> _Ended:
        """Read it from a trial of the present ranges, or from one outside of them."""
        kept = trial.user_attrs.get(OUTSIDE)
        if kept is None:
            value = trial.values[0] if trial.values else None
            reason = trial.user_attrs.get("reason")
            return cls(trial.state, value, dict(trial.intermediate_values), reason)
        state, value, reports, reason = kept
        return cls(TrialState[state], value, {int(step): one for step, one in reports}, reason)

    @property
    def kept(self) -> list[Any]:
        """Its form in the study."""
        return [self.state.name, self.value, list(map(list, self.reports.items())), self.reason]


def _taken(trial: FrozenTrial, space: Space) -> FrozenTrial | None:
    """Return a trial for another space; None where nobody has played any of it, and it is outside.

    One that was being played when everything was killed is queued again.
    """
    given = values_of(trial, space.names)
    values = None if given is None else _fitting(given, space)
    mirror = trial.user_attrs.get(MIRROR)
    if mirror is not None and _fitting(mirror, space) is None:
        values = None
    attributes = {key: value for key, value in trial.user_attrs.items() if key != OUTSIDE}
    ended = _Ended.of(trial)
    if OUTSIDE in trial.user_attrs:
        attributes.pop("reason")
    if trial.state not in ENDS:
        if values is None:
            return None
        kept = {key: attributes[key] for key in KEPT_OF_QUEUED if key in attributes}
        inner = {**trial.system_attrs, "fixed_params": values}
        return create_trial(state=TrialState.WAITING, user_attrs=kept, system_attrs=inner)
    if values is None:
        score = "" if ended.value is None else f", it scored {ended.value:.3f}"
        reason = f"outside of the ranges since they changed{score}"
        return create_trial(
            state=TrialState.FAIL,
            params=trial.params,
            distributions=trial.distributions,
            user_attrs={**attributes, OUTSIDE: ended.kept, "reason": reason},
        )
    inner = {key: value for key, value in trial.system_attrs.items() if key != "fixed_params"}
    facts: dict[str, Any] = {} if ended.value is None else {"value": ended.value}
    if ended.reason is not None:
        attributes["reason"] = ended.reason
    made = create_trial(
        state=ended.state,
        params=values,
        distributions=space.distributions,
        user_attrs=attributes,
        system_attrs=inner,
        intermediate_values=ended.reports,
        **facts,
    )
    made.datetime_start, made.datetime_complete = trial.datetime_start, trial.datetime_complete
    return made


def _fitting(given: dict[str, Any], space: Space) -> dict[str, Any] | None:
    """Return the values as those of a space; None where they do not fit."""
    values = {one.name: one.taken(given.get(one.name)) for one in space.parameters}
    if None in values.values() or not space.allows(values):
        return None
    return values
