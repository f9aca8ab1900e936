"""The plan of a sweep: its space, and what the values of a trial mean.

Plans over the settings of a command share `SettingsPlan`.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, cast

import numpy as np
from optuna.trial import FrozenTrial, TrialState
from pydantic import BaseModel

from evolve.agents.agent import Agent
from evolve.agents.chance import RandomAgent
from evolve.agents.mcts import MctsAgent
from evolve.agents.reference import read_agent
from evolve.arena.judges import Panel
from evolve.arena.match import Sprt
from evolve.config.sweep import SweepSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import resolve_as
from evolve.errors import SettingsError
from evolve.extras import imported, need
from evolve.fitness.executor import ONE_THREAD
from evolve.runs.loading import load_agent
from evolve.runs.run_type import Variant
from evolve.runs.run_types import kind_of
from evolve.sweeps.first_trials import settings_to_try
from evolve.sweeps.space import Parameter, Space
from evolve.sweeps.trials import Objective, Outcome, Report, Task, agent_file, keep


@dataclass(frozen=True)
class Plan(ABC):
    """A sweep's space, and the meaning of a trial. Raises SettingsError when it is impossible.

    Each way of making an agent has its own class: `plan_of` makes the plan of a sweep.
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

    @property
    def example(self) -> dict[str, Any]:
        """Values of a trial: the defaults where the space holds them."""
        if self.defaults is not None:
            return self.defaults
        return {parameter.name: parameter.example for parameter in self.space.parameters}

    @abstractmethod
    def check(self, values: Mapping[str, Any]) -> None:
        """Raise an EvolveError for values that no trial can have."""

    @abstractmethod
    def run(self, objective: Objective, task: Task, report: Report) -> Outcome:
        """Run a trial to its end, or until `report` ends it."""

    def try_out(self) -> None:
        """Check that trials can begin, apart from the settings: here nothing."""
        return

    def trial_context(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> dict[str, Any]:
        """Return a trial's further input as JSON, from the trials so far: here nothing."""
        return {}

    def agent_of(self, folder: Path, trial: FrozenTrial) -> Agent | None:
        """Return the agent of a complete trial in a sweep's folder; None where it is not here."""
        file = agent_file(folder, trial)
        return read_agent(file) if file.exists() else None

    def save_champion(
        self, folder: Path, trial: FrozenTrial, facts: Mapping[str, Any]
    ) -> Path | None:
        """Make a trial's agent the sweep's champion; return its file, None where it is not here."""
        file = agent_file(folder, trial)
        return keep(folder, read_agent(file).with_provenance(**facts)) if file.exists() else None

    @property
    def test(self) -> Sprt | None:
        """The test that ends the winner's match with the defaults; None without one."""
        return None

    def pin_cores(self, place: int) -> None:
        """Pin a worker process, the `place`-th from 0, to its cores: here nothing."""
        return

    def games_of(self, trials: Sequence[FrozenTrial]) -> int:
        """Count the games that trials have played, or may still play while they run."""
        games = 2 * self.sweep.panel_openings * len(self.sweep.panel)
        running = sum(trial.state == TrialState.RUNNING for trial in trials)
        ended = [one for one in trials if one.state != TrialState.RUNNING]
        return running * self.games_of_one + games * sum(len(t.intermediate_values) for t in ended)

    @property
    def games(self) -> int | None:
        """Games that all trials together may play; None for any."""
        return None

    @property
    def games_of_one(self) -> int:
        """Games of a trial that runs to its end."""
        return self.sweep.trial_games

    def openings_of_final(self, trials: Sequence[FrozenTrial], matches: int) -> int:
        """Return the openings of each match of a final with `matches` matches, after these trials.

        The number is in proportion to their games, and at most what was planned.
        """
        openings = self.sweep.openings_after(self.games_of(trials), matches)
        if self.games is None or self.sweep.final_openings is not None:
            return openings
        return min(openings, self.sweep.final_games // (2 * max(1, matches)))

    @property
    def bounded(self) -> SweepSettings:
        """The sweep's settings, with no more trials than there are settings to search."""
        count = self.space.count
        if count is None or not self.searches:
            return self.sweep
        return self.sweep.model_copy(update={"trials": min(self.sweep.trials, count)})

    def repeats(self, trials: Sequence[FrozenTrial]) -> bool | None:
        """Return whether a setting that is tried again gets the same score.

        Here False, because each trial has its own seed. None: the trials so far do not show it yet.
        """
        return False

    def check_new(self) -> None:
        """Raise SettingsError for what a new sweep cannot begin with, such as its `start_from`.

        An existing sweep may still be resumed with it.
        """
        if self.sweep.start_from is not None:
            settings_to_try(self.sweep.start_from, self.space, self.defaults)

    def remark(self, trials: Sequence[FrozenTrial]) -> str | None:
        """Return what the user should know from the trials so far; None for nothing."""
        return None

    @property
    def identity(self) -> dict[str, Any]:
        """What a trial's score depends on, as JSON; all writers to one study share it."""
        return self.sweep.identity

    @property
    def searches(self) -> bool:
        """Whether trials try settings one after another, each of which counts.

        False for steps of SPSA, which play one another.
        """
        return self.sweep.sampler != "spsa"

    @property
    def tolerates_failures(self) -> bool:
        """Whether trials may fail in a row once one is complete; failed ones count as trials."""
        return False

    def prepare(self, objective: Objective) -> None:
        """Do work that no trial should pay for, before a process's first trial: here nothing."""
        return

    def seed_of(self, number: int) -> int:
        """Return a trial's own seed, drawn from the sweep's."""
        state = np.random.SeedSequence([self.sweep.seed, number]).generate_state(1)
        return int(state[0])


def plays_again(agent: Agent) -> bool:
    """Return whether an agent's games come out the same when they are played again.

    Agents that draw at random do so from the number of the game. Programs, and agents that play by
    the clock, may not repeat.
    """
    drawn = isinstance(agent, RandomAgent | MctsAgent) and agent.limit.seconds is None
    return agent.repeats or drawn


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
    games = sum(one.n for one in panel.judge(load_agent(sweep.panel[-1]), ONE_THREAD).scores)
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

    Raises SettingsError, AgentError, ExtraError or EngineError. Changes nothing.
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
    plan.try_out()
    return plan


@dataclass(frozen=True)
class SettingsPlan(Plan):
    """A sweep over the settings of a command.

    Most parameters are settings themselves, under the same names. The others (`width`, `blocks`,
    `network`, …) are parts, of which `compose` makes the setting `composed`.
    """

    searched: ClassVar[Space] = Space(())
    """The default parameters and ranges; those without a text are settings."""
    composed: ClassVar[str | None] = None
    makes_agents: ClassVar[bool] = False
    """Whether the values of a trial are an agent's own, and no settings of the command."""
    parts: ClassVar[Mapping[str, Any]] = {}
    """The parameters that are no settings, with their defaults."""
    ours: ClassVar[tuple[str, ...]] = (
        "seed", "budget", "rules", "check_every", "panel_openings", "patience", "generations",
    )  # fmt: skip
    """Settings of a trial that the sweep itself sets."""

    def compose(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that the values of a trial make, beside those that they are."""
        return {}

    @cached_property
    def _variant(self) -> Variant:
        """The command whose settings a trial has."""
        command = str(SWEEP_TARGETS[self.sweep.kind].command)
        return kind_of(command, "the sweep").commands[command]

    @property
    def _model(self) -> type[BaseModel]:
        """The class of a trial's settings."""
        return cast("type[BaseModel]", self._variant.model())

    @cached_property
    def base(self) -> BaseModel:
        """The settings that trials start from."""
        return self._resolved(self.compose(self._parts_at_rest))

    @property
    def usual_space(self) -> Space:
        """The default parameters and ranges, with the settings' own descriptions."""
        ranges = SWEEP_TARGETS[self.sweep.kind].ranges.items()
        return Space.of(
            [
                *(
                    replace(one, about=one.about or self._fields[one.name].description or "")
                    for one in self.searched.parameters
                ),
                *(self._parameter(Space(()), name).narrowed(given, name) for name, given in ranges),
            ]
        )

    @cached_property
    def space(self) -> Space:
        """The parameters, with the ranges that the settings give."""
        space = self.usual_space
        held = set(self.sweep.fix)
        if not self._parts_at_rest:
            held |= set(self.parts)
        for name, given in self.sweep.space.items():
            parameter = self._parameter(space, name)
            if not isinstance(given, Mapping):
                raise SettingsError(
                    f"space: {name}: a range is a table, such as {{low = 1, high = 2}}; a value "
                    "is held by fix"
                )
            changed = parameter.narrowed(given, "space")
            if name in self.parts:
                for end in changed.ends:
                    self._check_part(self.searched[name], end, "space")
            space = space.changed(changed)
        space = space.without(held)
        if not space.parameters:
            raise SettingsError("space, fix: every parameter is held, nothing is left to search")
        return space.requiring(self.sweep.require, self.sweep.fix)

    @cached_property
    def defaults(self) -> dict[str, Any] | None:
        """The values that give `base`; None where the space does not hold them."""
        values: dict[str, Any] = {}
        for parameter in self.space.parameters:
            value = self._parts_at_rest.get(
                parameter.name, getattr(self.base, parameter.name, None)
            )
            if isinstance(value, Mapping):
                value = ",".join(f"{key}={share:g}" for key, share in value.items())
            values[parameter.name] = value
        return values if self.space.holds(values) else None

    def settings(self, values: Mapping[str, Any], seed: int) -> BaseModel:
        """The settings of a trial with these values."""
        plain = {name: value for name, value in values.items() if name in self._fields}
        made = self.compose({**self._parts_at_rest, **values})
        made = {name: value for name, value in made.items() if name not in self.sweep.fix}
        return self._resolved({**plain, **made, "seed": seed})

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise SettingsError for values that no trial can have."""
        self.settings(values, 0)

    @property
    def _fields(self) -> Mapping[str, Any]:
        return self._model.model_fields

    @cached_property
    def _parts_at_rest(self) -> dict[str, Any]:
        """Values of these parts where a trial has none.

        Empty where `fix` holds the composed setting or the preset.
        """
        if self.composed in self.sweep.fix or "preset" in self.sweep.fix:
            return {}
        held = {name: value for name, value in self.sweep.fix.items() if name in self.parts}
        for name, value in held.items():
            self._check_part(self.searched[name], value, "fix")
        return {**self.parts, **held}

    def _check_part(self, usual: Parameter, value: Any, source: str) -> None:
        """Raise SettingsError for a value that cannot make a network."""
        if usual.kind == "choice":
            if value not in usual.choices or type(value) is not usual.type:
                raise SettingsError(f"{source}: {usual.name} = {value!r}: {usual.range_text}")
        elif not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise SettingsError(f"{source}: {usual.name} = {value!r} must be a whole number")

    def _parameter(self, space: Space, name: str) -> Parameter:
        """Return a parameter of the space, or another setting of the kind that gets a range."""
        if name in space.names:
            return space[name]
        field = self._fields.get(name)
        if field is None or name in self.ours:
            known = ", ".join(space.names)
            raise SettingsError(f"space: there is no parameter {name!r}; there are {known}")
        kind: Any = "int" if field.annotation is int else "float"
        if field.annotation not in (int, float):
            kind = "choice"
        return Parameter(name, kind, field.description or "")

    def _resolved(self, options: Mapping[str, Any]) -> BaseModel:
        fixed = {name: value for name, value in self.sweep.fix.items() if name not in self.parts}
        for name in fixed:
            self._check_fixed(name)
        ours = {"rules": self.sweep.rules, "seed": self.sweep.seed}
        made = {**ours, **self._made(fixed), **options}
        return resolve_as(self._model, self._variant.all_presets(), made)

    def _made(self, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of every trial, except rules and seed, from those in `fix`."""
        return dict(fixed)

    def _check_fixed(self, name: str) -> None:
        """Raise SettingsError for a setting that `fix` cannot hold."""
        if name not in self._fields:
            known = ", ".join([*self._fields, *sorted(self.parts)])
            raise SettingsError(f"fix: there is no setting {name!r}; there are {known}")
        if name in self.ours:
            raise SettingsError(f"fix: {name} is the sweep's own to set")
