"""The plan of a sweep: its space, and what the values of a trial mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final, cast

import numpy as np
from optuna.trial import FrozenTrial
from pydantic import BaseModel

from evolve.agents.agent import Agent
from evolve.agents.reference import read_agent
from evolve.config.sweep import SweepSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import read_toml, resolve_as
from evolve.errors import SettingsError
from evolve.extras import need
from evolve.runs.loading import keep_champion, load_agent
from evolve.runs.run_type import Variant
from evolve.runs.run_types import kind_of
from evolve.sweeps.space import Parameter, Space
from evolve.sweeps.trials import Objective, Report, Task, TrialResult, agent_file
from evolve.tables.columns import rows_with
from evolve.tables.paths import TRIALS_FILE
from evolve.tables.trials import TRIALS_COLUMNS, FinalDocument, read_final, read_trials


@dataclass(frozen=True)
class Plan(ABC):
    """A sweep's space, and the meaning of a trial. Raises SettingsError when it is impossible.

    One class for each way of making an agent; `plan_of` makes the plan of a sweep. A plan has a
    `space` with `defaults`, checks values with `check`, and makes and judges an agent with `run`.
    """

    sweep: SweepSettings
    by_defaults: ClassVar[bool] = False
    """Whether strength is measured by games with the defaults, in the final too."""

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

    def rated(self, trials: list[FrozenTrial]) -> list[FrozenTrial]:
        """Return the trials with the scores that all trials so far give them: here their own."""
        return trials

    def add_final(self, rows: Sequence[dict[str, Any]], final: FinalDocument) -> None:
        """Change the rows of the trials to what a final says of them: here nothing."""
        return

    def agent_of(self, folder: Path, trial: FrozenTrial) -> Agent | None:
        """Return the agent of a complete trial in a sweep's folder; None where it is not there."""
        file = agent_file(folder, trial)
        return read_agent(file) if file.exists() else None

    def save_champion(self, folder: Path, trial: FrozenTrial, facts: Mapping[str, Any]) -> None:
        """Make a trial's agent the sweep's champion, where its file is here."""
        file = agent_file(folder, trial)
        if file.exists():
            keep_champion(folder, read_agent(file).with_provenance(**facts))

    @property
    def example(self) -> dict[str, Any]:
        """Values of a trial: the defaults where the space holds them."""
        if self.defaults is not None:
            return self.defaults
        return {parameter.name: parameter.example for parameter in self.space.parameters}

    @property
    def described(self) -> list[dict[str, Any]]:
        """The parameters for people: `name`, `type`, `range`, `default` and `about` of each."""
        defaults = self.defaults or {}
        return [
            {
                "name": parameter.name,
                "type": parameter.kind,
                "range": parameter.range_text,
                "default": defaults.get(parameter.name),
                "about": parameter.about,
            }
            for parameter in self.space.parameters
        ]

    @property
    def bounded(self) -> SweepSettings:
        """The sweep's settings, with no more trials than there are settings to search."""
        count = self.space.count
        if count is None or not self.sweep.searches:
            return self.sweep
        return self.sweep.model_copy(update={"trials": min(self.sweep.trials, count)})

    def seed_of(self, number: int) -> int:
        """Return a trial's own seed, drawn from the sweep's."""
        return int(np.random.SeedSequence([self.sweep.seed, number]).generate_state(1)[0])


def plan_of(sweep: SweepSettings) -> Plan:
    """Make the plan of a sweep, of its kind's class."""
    module = import_module(f"evolve.sweeps.{SWEEP_TARGETS[sweep.kind].plan}")
    return cast("Plan", module.PLANS[sweep.kind](sweep))


def check_settings(sweep: SweepSettings) -> None:
    """Raise SettingsError for settings that no trial can have."""
    plan = plan_of(sweep)
    plan.check(plan.example)


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


@dataclass(frozen=True)
class SettingsPlan(Plan):
    """A sweep over the settings of a command.

    Most parameters are settings themselves, under the same names. The others (`width`, `blocks`,
    `network`, …) are parts, of which `compose` makes the setting `composed`.
    """

    searched: ClassVar[Sequence[Parameter]] = ()
    """The default parameters and ranges; those without a text are settings."""
    composed: ClassVar[str | None] = None
    makes_agents: ClassVar[bool] = False
    """Whether the values of a trial are an agent's own, and no settings of the command."""
    parts: ClassVar[Mapping[str, Any]] = {}
    """The parameters that are no settings, with their defaults."""
    set_by_sweep: ClassVar[tuple[str, ...]] = (
        "seed", "budget", "rules", "check_every", "panel_openings", "patience", "generations",
    )  # fmt: skip
    """Settings of a trial that the sweep itself sets."""

    def compose(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that the values of a trial make, beside those that they are."""
        return {}

    @cached_property
    def _variant(self) -> Variant:
        command = str(SWEEP_TARGETS[self.sweep.kind].command)
        return kind_of(command, "the sweep").commands[command]

    @cached_property
    def base(self) -> BaseModel:
        """The settings that trials start from."""
        return self._resolved(self.compose(self._parts_at_rest))

    @property
    def usual_parameters(self) -> dict[str, Parameter]:
        """The parameters with their default ranges, and with the settings' own descriptions."""
        parameters = {
            parameter.name: replace(
                parameter,
                about=parameter.about or self._fields[parameter.name].description or "",
            )
            for parameter in self.searched
        }
        for name, given in SWEEP_TARGETS[self.sweep.kind].ranges.items():
            parameters[name] = self._parameter({}, name).narrowed(given, name)
        return parameters

    @cached_property
    def space(self) -> Space:
        parameters = self.usual_parameters
        for name, given in self.sweep.space.items():
            changed = self._parameter(parameters, name).narrowed(given, "space")
            if name in self.parts:
                for end in changed.ends:
                    self._check_part(name, end, "space")
            parameters[name] = changed
        held = {*self.sweep.fix, *(self.parts if not self._parts_at_rest else ())}
        searched = tuple(parameters[name] for name in parameters if name not in held)
        if not searched:
            raise SettingsError("space, fix: every parameter is fixed, nothing is left to search")
        return Space(searched).requiring(self.sweep.require, self.sweep.fix)

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
        plain = {name: value for name, value in values.items() if name in self._fields}
        made = self.compose({**self._parts_at_rest, **values})
        made = {name: value for name, value in made.items() if name not in self.sweep.fix}
        return self._resolved({**plain, **made, "seed": seed})

    def check(self, values: Mapping[str, Any]) -> None:
        self.settings(values, 0)

    @property
    def _fields(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", self._variant.model().model_fields)

    @cached_property
    def _parts_at_rest(self) -> dict[str, Any]:
        """Values of these parts where a trial has none.

        Empty where `fix` holds the composed setting or the preset.
        """
        if self.composed in self.sweep.fix or "preset" in self.sweep.fix:
            return {}
        held = {name: value for name, value in self.sweep.fix.items() if name in self.parts}
        for name, value in held.items():
            self._check_part(name, value, "fix")
        return {**self.parts, **held}

    def _check_part(self, name: str, value: Any, source: str) -> None:
        """Raise SettingsError for a value that cannot make a network."""
        parameter = next(p for p in self.searched if p.name == name)
        if parameter.kind == "choice":
            valid, wanted = parameter.holds(value), parameter.range_text
        else:
            valid, wanted = type(value) is int and value >= 0, "a whole number"
        if not valid:
            raise SettingsError(f"{source}: {name} = {value!r} must be {wanted}")

    def _parameter(self, parameters: Mapping[str, Parameter], name: str) -> Parameter:
        """Return one of the parameters, or another setting of the kind that gets a range."""
        if name in parameters:
            return parameters[name]
        field = self._fields.get(name)
        if field is None or name in self.set_by_sweep or self.makes_agents:
            names = ", ".join(parameters)
            raise SettingsError(f"space: there is no parameter {name!r}; there are {names}")
        kinds: Mapping[Any, Any] = {int: "int", float: "float"}
        kind = kinds.get(field.annotation, "choice")
        return Parameter(name, kind, field.description or "")

    def _resolved(self, options: Mapping[str, Any]) -> BaseModel:
        fixed = {name: value for name, value in self.sweep.fix.items() if name not in self.parts}
        for name in fixed:
            self._check_fixed(name)
        own = {"rules": self.sweep.rules, "seed": self.sweep.seed}
        made = {**own, **self._made(fixed), **options}
        model: type[BaseModel] = self._variant.model()
        return resolve_as(model, self._variant.all_presets(), made)

    def _made(self, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of every trial, except rules and seed, from those in `fix`."""
        return dict(fixed)

    def _check_fixed(self, name: str) -> None:
        """Raise SettingsError for a setting that `fix` cannot hold."""
        if name not in self._fields:
            names = ", ".join([*self._fields, *sorted(self.parts)])
            raise SettingsError(f"fix: there is no setting {name!r}; there are {names}")
        if name in self.set_by_sweep:
            raise SettingsError(f"fix: {name} is set by the sweep")
