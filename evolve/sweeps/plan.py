"""The plan of a sweep: its space, and what the values of a trial mean."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from optuna.trial import FrozenTrial

from evolve.agents.agent import Agent
from evolve.agents.reference import read_agent
from evolve.arena.judges import Panel
from evolve.config.sweep import SweepSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import read_toml
from evolve.errors import SettingsError
from evolve.extras import imported, need
from evolve.fitness.executor import ONE_THREAD
from evolve.runs.loading import load_agent
from evolve.sweeps.space import Space
from evolve.sweeps.trials import Objective, Report, Task, TrialResult, agent_file, keep
from evolve.tables.columns import rows_with
from evolve.tables.paths import TRIALS_FILE
from evolve.tables.trials import TRIALS_COLUMNS, read_final, read_trials


@dataclass(frozen=True)
class Plan(ABC):
    """A sweep's space, and the meaning of a trial. Raises SettingsError when it is impossible.

    One class for each way of making an agent; `plan_of` makes the plan of a sweep. A plan has a
    `space` with `defaults`, checks values with `check`, and makes and judges an agent with `run`.
    """

    sweep: SweepSettings

    @property
    @abstractmethod
    def space(self) -> Space:
        """The parameters, with the ranges that the settings give."""

    @property
    @abstractmethod
    def defaults(self) -> dict[str, Any] | None:
        """The values of the defaults; None where the space does not hold them."""

    @abstractmethod
    def check(self, values: Mapping[str, Any]) -> None:
        """Raise an EvolveError for values that no trial can have."""

    @abstractmethod
    def run(self, objective: Objective, task: Task, report: Report) -> TrialResult:
        """Run a trial to its end, or until `report` ends it."""

    def prepare(self, objective: Objective) -> None:
        """Do what no trial should pay for, before the first trial of a process: here nothing."""
        return

    def check_start(self) -> None:
        """Raise an EvolveError where trials cannot begin, beside values that `check` refuses."""
        return

    def trial_context(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> dict[str, Any]:
        """Return a trial's further input as JSON, from the trials so far: here nothing."""
        return {}

    @property
    def identity(self) -> dict[str, Any]:
        """What a trial's score depends on, as JSON; all writers to one study share it."""
        return self.sweep.identity

    def agent_of(self, folder: Path, trial: FrozenTrial) -> Agent | None:
        """Return the agent of a complete trial in a sweep's folder; None where it is not there."""
        file = agent_file(folder, trial)
        return read_agent(file) if file.exists() else None

    def save_champion(self, folder: Path, trial: FrozenTrial, facts: Mapping[str, Any]) -> None:
        """Make a trial's agent the sweep's champion, where its file is here."""
        file = agent_file(folder, trial)
        if file.exists():
            keep(folder, read_agent(file).with_provenance(**facts))

    @property
    def example(self) -> dict[str, Any]:
        """Values of a trial: the defaults where the space holds them."""
        if self.defaults is not None:
            return self.defaults
        return {parameter.name: parameter.example for parameter in self.space.parameters}

    @property
    def bounded(self) -> SweepSettings:
        """The sweep's settings, with no more trials than there are settings to search."""
        count = self.space.count
        if count is None or not self.sweep.searches:
            return self.sweep
        return self.sweep.model_copy(update={"trials": min(self.sweep.trials, count)})

    def seed_of(self, number: int) -> int:
        """Return a trial's own seed, drawn from the sweep's."""
        state = np.random.SeedSequence([self.sweep.seed, number]).generate_state(1)
        return int(state[0])


def plan_of(sweep: SweepSettings) -> Plan:
    """Make the plan of a sweep, of the class that its kind names."""
    return cast("Plan", imported(SWEEP_TARGETS[sweep.kind].plan)(sweep))


def check_settings(sweep: SweepSettings) -> None:
    """Raise SettingsError for settings that no trial can have."""
    plan = plan_of(sweep)
    plan.check(plan.example)


def cost(sweep: SweepSettings, threads: int) -> tuple[float | None, float | None, None]:
    """The seconds of a sweep at best and at most, see `run_type.Cost`; None for programs.

    Where trials have no budget, the strongest of the panel plays some games to see how long one
    takes.
    """
    jobs = sweep.jobs or threads
    if sweep.budget is not None:
        seconds = sweep.work * sweep.budget / jobs
        return seconds, 1.5 * seconds, None  # games against the panel do not count as training
    if SWEEP_TARGETS[sweep.kind].command is None:
        return None, None, None
    panel = Panel(sweep.panel, 2 * _SAMPLE, sweep.rules, sweep.seed)
    panel.judge(load_agent(sweep.panel[-1]), ONE_THREAD)  # loads compiled code
    begin = time.perf_counter()
    games = sum(score.n for score in panel.judge(load_agent(sweep.panel[-1]), ONE_THREAD).scores)
    each = (time.perf_counter() - begin) / games
    return (
        (sweep.games_of_all / 2 + sweep.final_games) * each / jobs,  # many trials end early
        (sweep.games_of_all + sweep.final_games) * each / jobs,
        None,
    )


_SAMPLE: Final = 2
"""Openings with each of the panel in a sample of games."""


def checked_plan(settings: SweepSettings) -> Plan:
    """Make the plan of a sweep, and check that it is possible before hours are spent on it.

    Raises SettingsError, AgentError, ExtraError or EngineError.
    """
    for package in ("torch", "scipy") if settings.sampler == "gp" else ():
        need(package, "sampler gp")
    plan = plan_of(settings)
    for name in settings.panel:
        load_agent(name).prepare()
    plan.check(plan.example)
    for parameter in plan.space.parameters:
        for end in parameter.ends:
            plan.check({**plan.example, parameter.name: end})
    plan.check_start()
    return plan


START: Final = "start"
"""Origin of the trials with settings of `start_from`."""
_MOST: Final = 10
"""Most settings of an earlier sweep."""


def settings_to_try(
    source: str, space: Space, defaults: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Return the settings of a TOML file or an earlier sweep that fit a space, best first.

    Parameters that they do not name have their defaults; parameters that the space does not have
    are left out, and so are settings outside of its ranges and those that break a requirement.
    Raises SettingsError where none is left, and says why.
    """
    path = Path(source)
    fitting: list[dict[str, Any]] = []
    why = "it has no settings"
    for given in _of_sweep(path) if path.is_dir() else [read_toml(path, ())]:
        values, fault = _fitted(given, space, defaults)
        if fault is not None:
            why = fault
        elif values == defaults:
            why = "it has only the defaults"
        elif values not in fitting:
            fitting.append(values)
    if not fitting:
        raise SettingsError(f"start_from: nothing in {source} can be tried here: {why}")
    return fitting[:_MOST]


def _fitted(
    given: Mapping[str, Any], space: Space, defaults: Mapping[str, Any] | None
) -> tuple[dict[str, Any], str | None]:
    """Return settings of the space, or why these do not fit."""
    if not any(name in given for name in space.names):
        return {}, f"it names none of the parameters {', '.join(space.names)}"
    values: dict[str, Any] = {}
    for parameter in space.parameters:
        value = given.get(parameter.name, (defaults or {}).get(parameter.name))
        taken = parameter.taken(value)
        if taken is None:
            return {}, f"{parameter.name} = {value!r} is not in {parameter.range_text}"
        values[parameter.name] = taken
    broken = space.broken(values)
    return values, f"they break {broken[0]!r}" if broken else None


def _of_sweep(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The settings of a sweep's complete trials: the final's winner first, then by their scores."""
    table = read_trials(folder)
    if table is None:
        raise SettingsError(
            f"start_from: {folder} is not a sweep with trials: it lacks {TRIALS_FILE}"
        )
    final = read_final(folder)
    winner = None if final is None else final.winner
    rows = rows_with(table, "state", "COMPLETE").to_pylist()
    rows.sort(key=lambda row: (row["number"] != winner, -(row["score"] or 0.0), row["number"]))
    for row in rows:
        yield {name: value for name, value in row.items() if name not in TRIALS_COLUMNS.names}
