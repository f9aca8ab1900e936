"""A trial: its input, its end, its attributes in the study, its attempts, and its files.

Optuna numbers attempts: one with a killed process has failed, and its values are tried again under
a further number. A sweep's own number of a trial is its place. Every attempt has the same place,
and seeds, files and tables use it, so that they equal those of a sweep that nobody killed. In a
database that machines share no writer can assign places, so Optuna's numbers serve as ours. Lost
attempts do not count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

import optuna
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import Agent, StoredAgent
from evolve.arena.judges import Panel
from evolve.config.sweep import SweepSettings
from evolve.errors import RunError
from evolve.files.changes import make_folder
from evolve.fitness.executor import ONE_THREAD, Executor
from evolve.sweeps.space import Space
from evolve.tables.paths import CHAMPION_FILE, LEARNED_FILE, TRIALS
from evolve.tables.trials import REPEATED
from evolve.version import __version__

FINISHED: Final = (TrialState.COMPLETE, TrialState.PRUNED)
ENDS: Final = (*FINISHED, TrialState.FAIL)

# Attributes of a trial in the study.
PLACE: Final = "place"
"""Its number in the sweep."""
LOST: Final = "lost"
"""Of a lost attempt: how often its values will have been tried."""
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

SURPLUS: Final = "not wanted any more"
"""Reason of a failed trial that was not tried."""
_KNOWN: Final[tuple[str, ...]] = ("score_error", "reason")
"""Attributes that a trial takes over from an earlier one with the same settings."""

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
    def complete(
        cls, score: float, error: float, agent: str, facts: Mapping[str, Any] | None = None
    ) -> Self:
        """Return the end of a complete trial, with the place of its agent in the sweep's folder."""
        attributes = {"score_error": error, "agent": agent, **(facts or {})}
        return cls(TrialState.COMPLETE, attributes, score)

    @classmethod
    def pruned(cls, facts: Mapping[str, Any] | None = None) -> Self:
        """Return the end of a trial that is no candidate: it ended early, or was a step of SPSA."""
        return cls(TrialState.PRUNED, facts or {})

    @classmethod
    def failed(cls, reason: str, facts: Mapping[str, Any] | None = None) -> Self:
        """Return the end of a trial with impossible values: they are not tried again."""
        return cls(TrialState.FAIL, {**(facts or {}), "reason": reason})


def number_of(trial: FrozenTrial) -> int:
    """Return the sweep's number of a trial; Optuna's in a storage that machines share."""
    return int(trial.user_attrs.get(PLACE, trial.number))


def finished_of(trials: Iterable[FrozenTrial]) -> int:
    """Count the trials that are complete or pruned."""
    return sum(trial.state in FINISHED for trial in trials)


def games_of(trials: Sequence[FrozenTrial], of_each: int) -> int:
    """Count the games that trials have played; those that run count as `of_each`."""
    running = sum(trial.state == TrialState.RUNNING for trial in trials)
    return running * of_each + sum(int(trial.user_attrs.get(PLAYED, 0)) for trial in trials)


def is_lost(trial: FrozenTrial) -> bool:
    """Return whether a trial is a lost attempt, with values that are tried again."""
    # An attempt given up too early may have finished after all.
    return trial.state == TrialState.FAIL and LOST in trial.user_attrs


def free_place(trials: Iterable[FrozenTrial]) -> int:
    """Return the lowest number that no trial has."""
    taken = {number_of(trial) for trial in trials}
    return next(number for number in range(len(taken) + 1) if number not in taken)


def values_of(trial: FrozenTrial, names: Iterable[str]) -> dict[str, Any] | None:
    """Return the values of an attempt; None when it was killed before it had all of them."""
    fixed = trial.system_attrs.get("fixed_params")
    if fixed:
        return dict(fixed)
    return dict(trial.params) if all(name in trial.params for name in names) else None


def known_result(
    trial: FrozenTrial, trials: Iterable[FrozenTrial], space: Space
) -> TrialResult | None:
    """Return the result of the first ended trial with the same settings; None without one.

    Steps of SPSA have none: they play one another.
    """
    for twin in sorted(trials, key=number_of):
        if (
            twin.state in ENDS
            and twin.user_attrs.get("reason") != SURPLUS
            and all(twin.params.get(name) == trial.params[name] for name in space.names)
            and not any(MIRROR in either.user_attrs for either in (twin, trial))
        ):
            same = {SAME: number_of(twin), "reason": f"{REPEATED} {number_of(twin)}"}
            taken = {key: twin.user_attrs[key] for key in _KNOWN if key in twin.user_attrs}
            return TrialResult(
                twin.state, {**same, **taken}, twin.values[0] if twin.values else None
            )
    return None


def rows_of(trials: Iterable[FrozenTrial], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the trials as rows of the trials table, with the parameters of these names."""
    rows = []
    for trial in sorted(trials, key=number_of):
        stored = trial.user_attrs
        finished = trial.state in FINISHED
        reports = [trial.intermediate_values[s] for s in sorted(trial.intermediate_values)]
        began, ended = trial.datetime_start, trial.datetime_complete
        took = (ended - began).total_seconds() if began and ended else None
        rows.append(
            {
                "number": number_of(trial),
                "state": trial.state.name,
                "score": trial.values[0] if finished and trial.values else None,
                "score_error": stored.get("score_error"),
                "reports": reports,
                "origin": stored.get("origin", "sampler"),
                "worker": stored.get("worker"),
                "games": stored.get("games"),
                "agent": stored.get("agent"),
                "reason": stored.get("reason"),
                "seconds": stored.get("seconds", took if trial.state in ENDS else None),
                **{name: trial.params.get(name) for name in names},
            }
        )
    return rows


class CountedStudy(optuna.Study):
    """A study that hides lost attempts, for pruners would compare with them."""

    def get_trials(
        self, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        """Return all trials except lost attempts."""
        return [trial for trial in super().get_trials(deepcopy, states) if not is_lost(trial)]

    def get_attempts(self) -> list[FrozenTrial]:
        """Return all trials by Optuna's numbers; do not change them."""
        return super().get_trials(deepcopy=False)


def trial_file(folder: Path, number: int, suffix: str) -> Path:
    """Return the path for a trial's output in a sweep's folder; make its folder."""
    make_folder(folder / TRIALS, exist_ok=True)
    return folder / TRIALS / f"trial-{number:04d}{suffix}"


def agent_file(folder: Path, trial: FrozenTrial) -> Path:
    """Return the path of a trial's agent: in the sweep's folder of trials, under its number.

    Raises RunError where the study names another place: a journal may come from anywhere.
    """
    number, file = number_of(trial), str(trial.user_attrs.get("agent"))
    stem = f"{TRIALS}/trial-{number:04d}"
    if file not in (f"{stem}.json", f"{stem}.npz"):
        raise RunError(
            f"trial {number} of {folder} names {file!r} as its agent: it must be "
            f"{stem}.json or {stem}.npz"
        )
    return folder / file


def keep(folder: Path, agent: StoredAgent) -> Path:
    """Make an agent the sweep's champion; return its file."""
    target = folder / (LEARNED_FILE if agent.arrays else CHAMPION_FILE)
    agent.save(target)
    return target


class Objective:
    """Judges and keeps the agents of a sweep's trials, in its folder.

    executor: for games of agents that the kernels play. worker: index of this process, from 0.
    """

    def __init__(
        self,
        sweep: SweepSettings,
        folder: Path,
        executor: Executor = ONE_THREAD,
        worker: int = 0,
    ) -> None:
        self.worker = worker
        self.sweep = sweep
        self.executor = executor
        self.folder = folder
        self.programs: dict[str, Any] = {}
        """Programs that a plan keeps from a trial to the next, by name, with their values."""
        self.begin()

    @cached_property
    def panel(self) -> Panel:
        """The opponents of trials."""
        sweep = self.sweep
        return Panel(sweep.panel, 2 * sweep.panel_openings, sweep.rules, sweep.seed)

    def begin(self) -> None:
        """Count the cost of a trial's games from now on."""
        self._played, self._seconds = 0, 0.0

    @contextmanager
    def timed(self, games: Callable[[], int]) -> Iterator[None]:
        """Count the games that the block plays, and their seconds."""
        begin, before = time.perf_counter(), games()
        try:
            yield
        finally:
            self._seconds += time.perf_counter() - begin
            self._played += games() - before

    @property
    def facts(self) -> dict[str, Any]:
        """Cost of the current trial's games so far."""
        return {PLAYED: self._played, PLAY_SECONDS: self._seconds}

    def judged(self, agent: Agent) -> tuple[float, float]:
        """Return an agent's mean score against the panel, and its standard error over openings."""
        played = 0

        def count(games: int) -> None:
            nonlocal played
            played += games

        with self.timed(lambda: played):
            judged = self.panel.judge(agent, self.executor, count)
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
        against = ", ".join(self.sweep.panel)
        own = {"run": self.folder.resolve().name, "trial": task.number}
        provenance = {
            **own,
            "evolve": __version__,
            **(facts or {}),
            "score": score,
            "error": error,
            "against": against,
            **own,
        }
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
