"""A trial: its input, its end, its attributes in the study, and its files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import Agent, StoredAgent
from evolve.arena.judges import Panel
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.files.changes import make_folder
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.tables.paths import TRIALS
from evolve.tables.trials import REPEATED
from evolve.version import __version__

FINISHED: Final = (TrialState.COMPLETE, TrialState.PRUNED)
ENDS: Final = (*FINISHED, TrialState.FAIL)

# Attributes of a trial in the study.
CONTEXT: Final = "brief"
"""Its input apart from its values, kept so that a retry gets the same."""
MIRROR: Final = "mirror"
"""Of a step of SPSA: the values of its opponent, the mirror image."""
SAME: Final = "same_as"
"""Of a trial with the settings of an earlier one: its number."""
FOLDER: Final = "folder"
"""In a shared study: the sweep's folder on the machine that ran the trial."""
PLAYED: Final = "played"
PLAY_SECONDS: Final = "play_seconds"
"""The games that judged it, and the seconds that these games took."""

MET: Final = "met"
"""Of a trial of a program: its opponents by number, the games with each, and its points in them."""
ALIKE: Final = "alike"
"""Of such a trial: whether all its games with the defaults were as if these played themselves."""
REMARK: Final = "remark"
"""Of a complete trial: what people should know of it."""

SURPLUS: Final = "not wanted any more"
"""Reason of a failed trial that was not tried."""
_KNOWN: Final[tuple[str, ...]] = ("score_error", "reason")
"""Attributes that a trial takes over from an earlier one with the same settings."""
_IN_TABLE: Final = (
    "elo", "elo_low", "elo_high", "defaults_score", "defaults_games", "worker", "games", "agent",
)  # fmt: skip
"""Attributes that are columns of the table as they are."""

Report = Callable[[int, float, float], bool]
"""Called with step, score and standard error; returns True when the trial must end there."""


@dataclass(frozen=True)
class Task:
    """A trial to run: its number, its values, and its further input (`Plan.trial_context`).

    result: known from an earlier trial, so that it need not run.
    """

    number: int
    values: Mapping[str, Any]
    context: Mapping[str, Any] = field(default_factory=dict)
    result: TrialResult | None = None


@dataclass(frozen=True)
class TrialResult:
    """How a trial ended.

    score: of a complete trial; a pruned one keeps its last report. attributes: what the study
    keeps with it.
    """

    state: TrialState
    attributes: Mapping[str, Any]
    score: float | None = None

    @classmethod
    def complete(cls, score: float, error: float, agent: str) -> Self:
        """Return the end of a complete trial, with the place of its agent in the sweep's folder."""
        return cls(TrialState.COMPLETE, {"score_error": error, "agent": agent}, score)

    @classmethod
    def pruned(cls) -> Self:
        """Return the end of a trial that is no candidate: it ended early, or was a step of SPSA."""
        return cls(TrialState.PRUNED, {})

    @classmethod
    def failed(cls, reason: str) -> Self:
        """Return the end of a trial with impossible values: they are not tried again."""
        return cls(TrialState.FAIL, {"reason": reason})


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


def known_result(
    trial: FrozenTrial, trials: Iterable[FrozenTrial], names: Iterable[str]
) -> TrialResult | None:
    """Return the result of the first ended trial with the same settings; None without one."""
    for twin in trials:
        same = all(twin.params.get(name) == trial.params[name] for name in names)
        if same and twin.state in ENDS and twin.user_attrs.get("reason") != SURPLUS:
            facts = {SAME: twin.number, "reason": f"{REPEATED} {twin.number}"}
            facts |= {key: twin.user_attrs[key] for key in _KNOWN if key in twin.user_attrs}
            return TrialResult(twin.state, facts, twin.values[0] if twin.values else None)
    return None


def rows_of(trials: Iterable[FrozenTrial], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the trials as rows of the trials table, with the parameters of these names."""
    rows = []
    for trial in trials:
        stored = trial.user_attrs
        finished = trial.state in FINISHED
        reports = [trial.intermediate_values[s] for s in sorted(trial.intermediate_values)]
        began, ended = trial.datetime_start, trial.datetime_complete
        took = (ended - began).total_seconds() if began and ended else None
        rows.append(
            {
                "number": trial.number,
                "state": trial.state.name,
                "score": trial.values[0] if finished and trial.values else None,
                "score_error": stored.get("score_error"),
                "reports": reports,
                "origin": stored.get("origin", "sampler"),
                **{key: stored.get(key) for key in _IN_TABLE},
                "reason": stored.get("reason", stored.get(REMARK)),
                "seconds": stored.get("seconds", took if trial.state in ENDS else None),
                **{name: trial.params.get(name) for name in names},
            }
        )
    return rows


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


class Objective:
    """Judges and keeps the agents of a sweep's trials, in its folder.

    executor: for games of agents that the kernels play.
    """

    def __init__(self, sweep: SweepSettings, folder: Path, executor: Executor = ONE_THREAD) -> None:
        self.sweep = sweep
        self.executor = executor
        self.folder = folder
        self.programs: dict[str, Any] = {}
        """Programs that a plan keeps from a trial to the next, by name, with their values."""
        self.begin()

    @cached_property
    def panel(self) -> Panel:
        sweep = self.sweep
        return Panel(sweep.panel, 2 * sweep.panel_openings, sweep.rules, sweep.seed)

    def begin(self) -> None:
        """Count the cost of a trial's games from now on, in `facts`."""
        self.facts: dict[str, Any] = {PLAYED: 0, PLAY_SECONDS: 0.0}

    def count(self, games: int, seconds: float) -> None:
        self.facts[PLAYED] += games
        self.facts[PLAY_SECONDS] += seconds

    def judged(self, agent: Agent) -> tuple[float, float]:
        """Return an agent's mean score against the panel, and its standard error over openings."""
        begin = time.perf_counter()
        judged = self.panel.judge(agent, self.executor)
        self.count(sum(score.n for score in judged.scores), time.perf_counter() - begin)
        return judged.score, judged.error

    def complete(
        self,
        task: Task,
        agent: StoredAgent,
        report: Report,
        step: int,
        facts: Mapping[str, Any] | None = None,
        judged: Agent | None = None,
    ) -> TrialResult:
        """Judge the agent of a trial for the last time, as report `step`, and keep it in a file.

        facts: of its provenance. judged: the agent that plays in its place.
        """
        score, error = self.judged(judged or agent)
        report(step, score, error)
        own = {"run": self.folder.resolve().name, "trial": task.number}
        result = {"score": score, "error": error, "against": ", ".join(self.sweep.panel)}
        provenance = {**own, "evolve": __version__, **(facts or {}), **result, **own}
        file = trial_file(self.folder, task.number, ".npz" if agent.arrays else ".json")
        judged_agent: Any = agent
        replace(judged_agent, name=f"trial-{task.number}", provenance=provenance).save(file)
        return TrialResult.complete(score, error, file.relative_to(self.folder).as_posix())


class Marks:
    """When a trial plays the panel: after equal shares of its length; the last time at its end.

    The number of a mark says how much of the trial is done. Trials with long iterations may skip
    marks, so equal numbers compare trials at the same point.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.step = 0

    def due(self, share: float) -> bool:
        """Return whether a new mark before the last is reached; then `step` is its number."""
        reached = min(self.count - 1, int(share * self.count))
        if reached <= self.step:
            return False
        self.step = reached
        return True
