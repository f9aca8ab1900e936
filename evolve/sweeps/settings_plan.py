"""Plans over the settings of a command: a trial runs it with some of them changed."""

from __future__ import annotations

from collections.abc import Mapping
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

    searched: ClassVar[Space] = Space(())
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
    def usual_space(self) -> Space:
        """The default parameters and ranges, with the settings' own descriptions."""
        ranges = SWEEP_TARGETS[self.sweep.kind].ranges.items()
        return Space.of(
            [
                *(
                    replace(
                        parameter,
                        about=parameter.about or self._fields[parameter.name].description or "",
                    )
                    for parameter in self.searched.parameters
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

    def _check_part(self, parameter: Parameter, value: Any, source: str) -> None:
        """Raise SettingsError for a value that cannot make a network."""
        if parameter.kind == "choice":
            if value not in parameter.choices or type(value) is not parameter.type:
                raise SettingsError(
                    f"{source}: {parameter.name} = {value!r}: {parameter.range_text}"
                )
        elif not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise SettingsError(f"{source}: {parameter.name} = {value!r} must be a whole number")

    def _parameter(self, space: Space, name: str) -> Parameter:
        """Return a parameter of the space, or another setting of the kind that gets a range."""
        if name in space.names:
            return space[name]
        field = self._fields.get(name)
        if field is None or name in self.set_by_sweep:
            names = ", ".join(space.names)
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
