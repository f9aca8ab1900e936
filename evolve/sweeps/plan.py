"""The plan of a sweep: its space, and what the values of a trial mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, cast

import numpy as np
from optuna.trial import FrozenTrial
from pydantic import BaseModel

from evolve.agents.agent import Agent
from evolve.agents.reference import read_agent
from evolve.arena.judges import Panel
from evolve.config.sweep import SweepSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import read_toml, resolve_as
from evolve.errors import SettingsError
from evolve.extras import imported, need
from evolve.programs.kept import Answers
from evolve.runs.loading import keep_champion, load_agent
from evolve.runs.run_type import Variant
from evolve.runs.run_types import kind_of
from evolve.sweeps.space import Parameter, Space
from evolve.sweeps.trial import Report, Trial, TrialResult, trial_file
from evolve.tables.columns import rows_with
from evolve.tables.paths import TRIALS_FILE
from evolve.tables.trials import TRIALS_COLUMNS, FinalDocument, read_final, read_trials


@dataclass(frozen=True)
class Plan(ABC):
    """A sweep's space, and the meaning of a trial. Raises SettingsError when it is impossible.

    One class for each way of making an agent; `plan_of` makes the plan of a sweep. A plan has a
    `space` with `defaults`, checks values with `check`, and makes and judges an agent by `advance`.
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
    def advance(self, trial: Trial) -> Report | TrialResult:
        """Go on with a trial from its state, to its next report or its end.

        PauseError ends it before, once the seconds of the slice are over.
        """

    def prepare(self, answers: Answers | None) -> None:
        """Do what no trial should pay for, before the first slice of a process: here nothing.

        Raises an EvolveError where trials cannot be worked on here. answers: see `Slice`.
        """
        return

    def answers(self) -> Answers | None:
        """Return how a program that is tuned answers here."""
        return None

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
        # By its number: the journal also names its file, but may come from anywhere.
        files = (trial_file(folder, trial.number, suffix) for suffix in (".json", ".npz"))
        return next((read_agent(file) for file in files if file.exists()), None)

    def save_champion(self, folder: Path, trial: FrozenTrial, facts: Mapping[str, Any]) -> None:
        """Make a trial's agent the sweep's champion, where its file is here."""
        agent: Any = self.agent_of(folder, trial)
        if agent is not None:
            keep_champion(folder, agent.with_provenance(**facts))

    @cached_property
    def panel(self) -> Panel:
        """The agents that trials play."""
        sweep = self.sweep
        return Panel(sweep.panel, 2 * sweep.panel_openings, sweep.rules, sweep.seed)

    @property
    def example(self) -> dict[str, Any]:
        """Values of a trial: the defaults where the space holds them."""
        return self.space.example if self.defaults is None else self.defaults

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
    return cast("Plan", imported(f"evolve.sweeps.{SWEEP_TARGETS[sweep.kind].plan}")(sweep))


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


def settings_to_try(
    source: str, space: Space, defaults: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Return at most ten settings of a TOML file or an earlier sweep that fit a space, best first.

    Parameters that they do not name have their defaults; parameters that the space does not have
    are left out, and so are settings outside of its ranges and those that break a requirement.
    Raises SettingsError where none is left, and says why.
    """
    path, fitting, why = Path(source), list[dict[str, Any]](), "it has no settings"
    for given in _of_sweep(path) if path.is_dir() else [read_toml(path, ())]:
        whole = {**(defaults or {}), **given}
        values = {p.name: p.taken(whole.get(p.name)) for p in space.parameters}
        outside = [p for p in space.parameters if values[p.name] is None]
        if given.keys().isdisjoint(space.names):
            why = f"it names none of the parameters {', '.join(space.names)}"
        elif outside:
            name, range_text = outside[0].name, outside[0].range_text
            why = f"{name} = {whole.get(name)!r} is not in {range_text}"
        elif broken := space.broken(values):
            why = f"they break {broken[0]!r}"
        elif values == defaults:
            why = "it has only the defaults"
        elif values not in fitting:
            fitting.append(values)
    if not fitting:
        raise SettingsError(f"start_from: nothing in {source} can be tried here: {why}")
    return fitting[:10]


def _of_sweep(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The settings of a sweep's complete trials: the final's winner first, then by their scores."""
    table, winner = read_trials(folder), read_final(folder).winner
    if not len(table):
        raise SettingsError(
            f"start_from: {folder} is not a sweep with trials: it lacks {TRIALS_FILE}"
        )
    rows = rows_with(table, "state", "COMPLETE").to_pylist()
    rows.sort(key=lambda row: (row["number"] != winner, -(row["score"] or 0.0), row["number"]))
    for row in rows:
        yield {name: value for name, value in row.items() if name not in TRIALS_COLUMNS.names}


def searched_space(
    sweep: SweepSettings,
    parameters: Mapping[str, Parameter],
    other: Callable[[str], Parameter | None] = lambda name: None,
    held: Iterable[str] = (),
) -> Space:
    """Return these parameters with the ranges that a sweep gives, without held ones.

    other: makes a parameter of another name. held: as those that `fix` holds. Raises SettingsError
    where the space is impossible.
    """
    found = dict(parameters)
    for name, given in sweep.space.items():
        parameter = found.get(name) or other(name)
        if parameter is None:
            names = ", ".join(found)
            raise SettingsError(f"space: there is no parameter {name!r}; there are {names}")
        found[name] = parameter.narrowed(given, "space")
    without = {*sweep.fix, *held}
    searched = tuple(parameter for name, parameter in found.items() if name not in without)
    if not searched:
        raise SettingsError("space, fix: every parameter is fixed, nothing is left to search")
    return Space(searched).requiring(sweep.require, sweep.fix)


SET_BY_SWEEP: Final = (
    "seed", "budget", "rules", "check_every", "panel_openings", "patience", "generations",
)  # fmt: skip
"""Settings of a trial that `fix` and `space` cannot hold."""


def _command_of(sweep: SweepSettings) -> Variant:
    command = str(SWEEP_TARGETS[sweep.kind].command)
    return kind_of(command, "the sweep").commands[command]


def resolved(
    sweep: SweepSettings,
    fixed: Mapping[str, Any],
    others: Mapping[str, Any],
    set_by_sweep: Sequence[str] = SET_BY_SWEEP,
    parts: Iterable[str] = (),
) -> Any:
    """Return a trial's settings: those that `fix` holds, and others before them.

    Raises SettingsError for what `fix` cannot hold; parts: what else it could.
    """
    command = _command_of(sweep)
    model: type[BaseModel] = command.model()
    for name in fixed:
        if name not in model.model_fields:
            names = ", ".join([*model.model_fields, *sorted(parts)])
            raise SettingsError(f"fix: there is no setting {name!r}; there are {names}")
        if name in set_by_sweep:
            raise SettingsError(f"fix: {name} is set by the sweep")
    made = {"rules": sweep.rules, "seed": sweep.seed, **fixed, **others}
    return resolve_as(model, command.all_presets(), made)


@dataclass(frozen=True)
class SettingsPlan(Plan):
    """A sweep over the settings of a command.

    Most parameters are settings themselves, under the same names. The others (`width`, `blocks`,
    `network`, …) are parts, of which `compose` makes a setting.
    """

    searched: ClassVar[Sequence[Parameter]] = ()
    """The default parameters and ranges; those without a text are settings."""
    parts: ClassVar[Mapping[str, Any]] = {}
    """The parameters that are no settings, with their defaults."""
    set_by_sweep: ClassVar[Sequence[str]] = SET_BY_SWEEP

    def compose(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that the values of a trial make, beside those that they are."""
        return {}

    @property
    def usual(self) -> dict[str, Any]:
        """Settings of every trial, where `fix` gives no others."""
        return {}

    def settings_of(self, values: Mapping[str, Any], seed: int) -> Any:
        """Return the settings of a trial with these values; without values, those of the base."""
        fix = self.sweep.fix
        fixed = {name: value for name, value in fix.items() if name not in self.parts}
        plain = {name: value for name, value in values.items() if name in self._fields}
        usual = {name: value for name, value in self.usual.items() if name not in fix}
        others = {**usual, **plain, **self.composed(values), "seed": seed}
        return resolved(self.sweep, fixed, others, self.set_by_sweep, self.parts)

    def composed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what parts make, those of a trial and the others at rest, without fixed ones."""
        made = self.compose({**self._parts_at_rest, **values})
        return {name: value for name, value in made.items() if name not in self.sweep.fix}

    def check(self, values: Mapping[str, Any]) -> None:
        self.settings_of(values, 0)

    @cached_property
    def base(self) -> Any:
        """The settings that trials start from."""
        return self.settings_of({}, self.sweep.seed)

    @cached_property
    def space(self) -> Space:
        parameters = {parameter.name: parameter for parameter in self.searched}
        for name, parameter in parameters.items():
            about = parameter.about or self._fields[name].description or ""
            parameters[name] = replace(parameter, about=about)
        for name, given in SWEEP_TARGETS[self.sweep.kind].ranges.items():
            parameters[name] = cast("Parameter", self._other(name)).narrowed(given, name)
        held = () if self._parts_at_rest else self.parts
        space = searched_space(self.sweep, parameters, self._other, held)
        for parameter in space.parameters:
            for end in parameter.ends if parameter.name in self.parts else ():
                self._check_part(parameter.name, end, "space")
        return space

    @cached_property
    def defaults(self) -> dict[str, Any] | None:
        """The values that give `base`; None where the space does not hold them."""
        values: dict[str, Any] = {}
        for name in self.space.names:
            value = self._parts_at_rest.get(name, getattr(self.base, name, None))
            if isinstance(value, Mapping):
                value = ",".join(f"{key}={share:g}" for key, share in value.items())
            values[name] = value
        return values if self.space.holds(values) else None

    @cached_property
    def _fields(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", _command_of(self.sweep).model().model_fields)

    @cached_property
    def _parts_at_rest(self) -> dict[str, Any]:
        """Values of the parts where a trial has none.

        Empty where `fix` holds the setting that they make, or the preset.
        """
        fix = self.sweep.fix
        if not fix.keys().isdisjoint(["preset", *self.compose(self.parts)]):
            return {}
        held = {name: value for name, value in fix.items() if name in self.parts}
        for name, value in held.items():
            self._check_part(name, value, "fix")
        return {**self.parts, **held}

    def _check_part(self, name: str, value: Any, source: str) -> None:
        parameter = next(p for p in self.searched if p.name == name)
        if parameter.kind == "choice":
            valid, wanted = parameter.taken(value) is not None, parameter.range_text
        else:
            valid, wanted = type(value) is int and value >= 0, "a whole number"
        if not valid:
            raise SettingsError(f"{source}: {name} = {value!r} must be {wanted}")

    def _other(self, name: str) -> Parameter | None:
        """Return another setting of the command as a parameter that gets a range."""
        field = self._fields.get(name)
        if field is None or name in self.set_by_sweep:
            return None
        kinds: Mapping[Any, Any] = {int: "int", float: "float"}
        return Parameter(name, kinds.get(field.annotation, "choice"), field.description or "")
