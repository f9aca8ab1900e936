"""Plans over the settings of a command: a trial runs it with some of them changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

from pydantic import BaseModel

from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import resolve_as
from evolve.errors import SettingsError
from evolve.runs.run_type import Variant
from evolve.runs.run_types import kind_of
from evolve.sweeps.plan import Plan
from evolve.sweeps.space import Parameter, Space


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
        """The parameters, with the ranges that the settings give."""
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
            raise SettingsError("space, fix: every parameter is held, nothing is left to search")
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
        if field is None or name in self.set_by_sweep:
            names = ", ".join(parameters)
            raise SettingsError(f"space: there is no parameter {name!r}; there are {names}")
        kind: Any = "int" if field.annotation is int else "float"
        if field.annotation not in (int, float):
            kind = "choice"
        return Parameter(name, kind, field.description or "")

    def _resolved(self, options: Mapping[str, Any]) -> BaseModel:
        fixed = {name: value for name, value in self.sweep.fix.items() if name not in self.parts}
        for name in fixed:
            self._check_fixed(name)
        own = {"rules": self.sweep.rules, "seed": self.sweep.seed}
        made = {**own, **self._made(fixed), **options}
        return resolve_as(self._model, self._variant.all_presets(), made)

    def _made(self, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of every trial, except rules and seed, from those in `fix`."""
        return dict(fixed)

    def _check_fixed(self, name: str) -> None:
        """Raise SettingsError for a setting that `fix` cannot hold."""
        if name not in self._fields:
            names = ", ".join([*self._fields, *sorted(self.parts)])
            raise SettingsError(f"fix: there is no setting {name!r}; there are {names}")
        if name in self.set_by_sweep:
            raise SettingsError(f"fix: {name} is the sweep's own to set")
