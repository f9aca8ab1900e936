"""A trial: its input, its end, its attributes in the study, and its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from optuna.trial import FrozenTrial, TrialState

from evolve.errors import RunError
from evolve.files.changes import make_folder
from evolve.tables.paths import TRIALS
from evolve.tables.trials import REPEATED, RETEST

FINISHED: Final = (TrialState.COMPLETE, TrialState.PRUNED)
_ENDS: Final = (*FINISHED, TrialState.FAIL)

# Attributes of a trial in the study.
MIRROR: Final = "mirror"
"""Of a step of SPSA: the values of its opponent, the mirror image."""
SAME: Final = "same_as"
"""Of a trial with the settings of an earlier one: its number."""
PLAYED: Final = "played"
PLAY_SECONDS: Final = "play_seconds"
"""The games that judged it, and the seconds that these games took."""

ALIKE: Final = "alike"
"""Of a trial of a program: whether all games with the defaults were as if these played themselves.
"""
REMARK: Final = "remark"
"""Of a complete trial: what people should know of it."""
MET: Final = "met"
"""Of a trial of a program, part by part: its opponents by number, the games with each, its points,
and the standard error of its score."""
KEPT: Final = (PLAYED, PLAY_SECONDS, "seconds", "games", ALIKE, REMARK, MET)
"""Facts of a trial's state that the study keeps."""


@dataclass(frozen=True)
class Task:
    """A trial to run: its number, its values, and its further input (`Plan.trial_context`).

    result: known from an earlier trial, so that it need not run.
    """

    number: int
    values: Mapping[str, Any]
    context: Mapping[str, Any] = field(default_factory=dict)
    result: TrialResult | None = None


class Report(NamedTuple):
    """A score of a trial on its way, and its standard error."""

    step: int
    score: float
    error: float


@dataclass(frozen=True)
class TrialResult:
    """How a trial ended.

    score: of a complete trial; a pruned one keeps its last report. attributes: what the study
    keeps with it. report: its last one. file: the content and the suffix of its agent's file.
    """

    state: TrialState
    attributes: Mapping[str, Any]
    score: float | None = None
    report: Report | None = None
    file: tuple[bytes, str] | None = None

    @classmethod
    def complete(cls, report: Report, content: bytes, suffix: str) -> Self:
        """Return the end of a complete trial with the file of its agent."""
        facts = {"score_error": report.error}
        return cls(TrialState.COMPLETE, facts, report.score, report, (content, suffix))

    @classmethod
    def pruned(cls, report: Report | None = None) -> Self:
        """Return the end of a trial that is no candidate: it ended early, or was a step of SPSA."""
        return cls(TrialState.PRUNED, {}, report=report)

    @classmethod
    def failed(cls, reason: str) -> Self:
        """Return the end of a trial with impossible values: they are not tried again."""
        return cls(TrialState.FAIL, {"reason": reason})


def is_retest(trial: FrozenTrial) -> bool:
    """Return whether a trial is a training of a retest, by which nothing is chosen."""
    return trial.user_attrs.get("origin") == RETEST


def finished_of(trials: Iterable[FrozenTrial]) -> int:
    """Count the trials that are complete or pruned."""
    return sum(trial.state in FINISHED for trial in trials)


def games_of(trials: Sequence[FrozenTrial], of_each: int) -> int:
    """Count the games that trials have played; those that run count as `of_each`."""
    running = sum(trial.state == TrialState.RUNNING for trial in trials)
    return running * of_each + sum(int(trial.user_attrs.get(PLAYED, 0)) for trial in trials)


def values_of(trial: FrozenTrial) -> dict[str, Any]:
    """Return the values of a trial, also of one that waits or was killed before it had them all."""
    return {**trial.system_attrs.get("fixed_params", {}), **trial.params}


def known_result(trial: FrozenTrial, trials: Iterable[FrozenTrial]) -> TrialResult | None:
    """Return the result of the first ended trial with the same settings; None without one."""
    for twin in trials:
        if twin.params == trial.params and twin.state in _ENDS:
            facts = {SAME: twin.number, "reason": f"{REPEATED} {twin.number}"}
            known = ("score_error", "reason")
            facts |= {key: twin.user_attrs[key] for key in known if key in twin.user_attrs}
            return TrialResult(twin.state, facts, twin.values[0] if twin.values else None)
    return None


def row_of(trial: FrozenTrial, names: Iterable[str]) -> dict[str, Any]:
    """Return a trial as a row of the trials table, with the parameters of these names."""
    stored, reports = trial.user_attrs, trial.intermediate_values
    began, ended = trial.datetime_start, trial.datetime_complete
    took = (ended - began).total_seconds() if began and ended else None
    as_stored = (
        "elo", "elo_low", "elo_high", "defaults_score", "defaults_games", "worker", "games",
        "agent",
    )  # fmt: skip
    return {
        "number": trial.number,
        "state": trial.state.name,
        "score": trial.values[0] if trial.state in FINISHED and trial.values else None,
        "score_error": stored.get("score_error"),
        "reports": [reports[step] for step in sorted(reports)],
        "origin": stored.get("origin", "sampler"),
        **{key: stored.get(key) for key in as_stored},
        "reason": stored.get("reason", stored.get(REMARK)),
        "seconds": stored.get("seconds", took if trial.state in _ENDS else None),
        **{name: trial.params.get(name) for name in names},
    }


def trial_file(folder: Path, number: int, suffix: str) -> Path:
    """Return the path for a trial's output in a sweep's folder; make its folder."""
    make_folder(folder / TRIALS, exist_ok=True)
    return folder / TRIALS / f"trial-{number:04d}{suffix}"


def agent_file(folder: Path, trial: FrozenTrial) -> Path:
    """Return the path of a trial's agent: in the sweep's folder of trials, under its number.

    Raises RunError where the study names another place: a journal may come from anywhere.
    """
    number, file = trial.number, str(trial.user_attrs.get("agent"))
    stem = f"{TRIALS}/trial-{number:04d}"
    if file not in (f"{stem}.json", f"{stem}.npz"):
        raise RunError(
            f"trial {number} of {folder} names {file!r} as its agent, not {stem}.json or {stem}.npz"
        )
    return folder / file
