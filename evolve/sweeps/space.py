"""Search spaces as data: parameters, their ranges and their scales.

A place is a number's position in its range, 0 to 1. Steps are low, low + step, low + 2 step, … up
to high.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, Literal, cast

import numpy as np
import numpy.typing as npt
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from evolve.config.ranges import Requirement, to_unit, value_at
from evolve.errors import SettingsError

Value = float | int | str | bool
Setting = tuple[Any, ...]
"""The values of a trial, in the order of the space."""
Number = FloatDistribution | IntDistribution
_SEPARATOR: Final = " | "
"""Separator of the choices in a range's text."""
_EXACT: Final = 1e-9
"""Possible error of a division of floats, as a share of a range's steps."""
_CLOSE: Final = 1e-6
"""Tolerance of a value's distance to the grid, as a share of a step: floats are not exact."""
_COUNTED: Final = 100_000
"""Most settings that are looked at one by one to count those that fulfil all requirements."""
_MOST_STEPS: Final = 1e9
"""Most steps in a range: up to here places on the grid are told apart reliably."""

NO_YES: Final = (False, True)


@dataclass(frozen=True)
class Parameter:
    """One dimension of a space.

    kind: `float` and `int` from low to high, on a logarithmic scale with `log`, otherwise in steps
    of `step` from low. Without a step an int takes steps of 1, and a float any value. `choice` is
    one of `choices`. `about` describes its effect.
    """

    name: str
    kind: Literal["float", "int", "choice"]
    about: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    step: float | None = None
    choices: tuple[Value, ...] = ()

    @property
    def distribution(self) -> BaseDistribution:
        """The same as an Optuna distribution."""
        if self.kind == "choice":
            return CategoricalDistribution(self.choices)
        if self.kind == "float":
            return FloatDistribution(self.low, self.last, log=self.log, step=self.step)
        step = int(self.step or 1)
        return IntDistribution(int(self.low), int(self.last), log=self.log, step=step)

    @property
    def type(self) -> type:
        """The Python type of its values."""
        if self.kind == "choice":
            return float if isinstance(self.choices[0], float) else type(self.choices[0])
        return float if self.kind == "float" else int

    @property
    def example(self) -> Value:
        """A value in the range."""
        if self.kind == "choice":
            return self.choices[0]
        return self.low if self.kind == "float" else int(self.low)

    @property
    def ends(self) -> tuple[Value, ...]:
        """The ends of the range; all values of a choice."""
        if self.kind == "choice":
            return self.choices
        return (self.low, self.last) if self.kind == "float" else (int(self.low), int(self.last))

    @property
    def grid(self) -> float | None:
        """The step; None for a choice, and where any value is possible."""
        if self.kind == "choice":
            return None
        return self.step or (1 if self.kind == "int" else None)

    @property
    def last(self) -> float:
        """The highest value: below `high` where the range is not a multiple of the step."""
        return self.high if self.grid is None else self._at(self._steps(self.grid), self.grid)

    @property
    def count(self) -> int | None:
        """The number of values; None where it is infinite."""
        if self.kind == "choice":
            return len(self.choices)
        if self.grid is None:
            return 1 if self.low == self.high else None
        return 1 + self._steps(self.grid)

    @property
    def values(self) -> list[Value]:
        """All values, where their number is finite."""
        if self.kind == "choice":
            return list(self.choices)
        return [self._at(index, self.grid or 1) for index in range(self.count or 0)]

    def _steps(self, grid: float) -> int:
        return steps_in(self.low, self.high, grid)

    def _at(self, index: int, grid: float) -> float:
        value = at_step(index, self.low, self.high, grid)
        return value if self.kind == "float" else int(value)

    @property
    def range_text(self) -> str:
        """The range as text for people."""
        if self.kind == "choice":
            return _SEPARATOR.join(str(choice) for choice in self.choices)
        notes = [", log"] if self.log else []
        if self.step is not None and (self.kind, self.step) != ("int", 1):
            notes.append(f", in steps of {self.step:g}")
        return f"{self.low:g} to {self.high:g}{''.join(notes)}"

    def holds(self, value: Any) -> bool:
        """Return whether a value lies in the range."""
        if self.kind == "choice":
            return value in self.choices
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if self.grid is None:
            return self.low <= value <= self.high
        nearest = on_grid(value, self.low, self.high, self.grid)
        return abs(value - nearest) <= _CLOSE * self.grid

    def taken(self, value: Any) -> Value | None:
        """Return a value as one of the range, a whole number as a float; None if it is outside."""
        if self.kind != "choice":
            return self.type(value) if self.holds(value) else None
        return next(
            (choice for choice in self.choices if choice == value and _alike(choice, value)), None
        )

    def narrowed(self, given: Mapping[str, Any], source: str) -> Parameter:
        """Return the parameter with another range, from a table of a space file.

        Raises SettingsError, which says what is wrong in `source`.
        """
        where = f"{source}: {self.name}"
        if "choices" in given:
            if set(given) != {"choices"}:
                others = ", ".join(sorted({*given} - {"choices"}))
                raise SettingsError(f"{where}: choices stand alone, not with {others}")
            choices = given["choices"]
            if not isinstance(choices, list) or not choices:
                raise SettingsError(f"{where}: choices must be a list of one or more values")
            if self.choices == NO_YES:  # texts of the command line say true|false
                choices = [
                    {"false": False, "true": True}.get(str(choice), choice) for choice in choices
                ]
            kinds = {type(choice) for choice in choices}
            if kinds == {int, float}:
                choices, kinds = [float(choice) for choice in choices], {float}
            if len(kinds) > 1 or not kinds <= {str, int, float, bool}:
                raise SettingsError(
                    f"{where}: choices must all be numbers, all texts, or true and false"
                )
            return replace(self, kind="choice", choices=tuple(choices))
        if unknown := [key for key in given if key not in ("low", "high", "log", "step")]:
            raise SettingsError(
                f"{where}: there is no {unknown[0]!r}; there are low, high, log, step and choices"
            )
        if self.kind == "choice" and not {"low", "high"} <= set(given):
            raise SettingsError(f"{where}: is a choice: give choices, or both low and high")
        for key in ("low", "high", "step"):
            if key in given and (
                isinstance(given[key], bool)
                or not isinstance(given[key], int | float)
                or not math.isfinite(given[key])
            ):
                raise SettingsError(f"{where}.{key}: {given[key]!r} is not a number")
        if not isinstance(given.get("log", False), bool):
            raise SettingsError(f"{where}.log: {given['log']!r} must be true or false")
        kind = self.kind
        if kind == "choice":
            ends = [given[key] for key in ("low", "high", "step") if key in given]
            kind = "int" if all(isinstance(end, int) for end in ends) else "float"
        changed = replace(self, kind=kind, choices=(), **given)
        if kind == "float":
            changed = replace(changed, low=float(changed.low), high=float(changed.high))
        return changed.checked(where)

    def checked(self, where: str) -> Parameter:
        """Return the parameter itself; SettingsError for an impossible range."""
        bounds = (self.low, self.high, self.step or 1)
        if self.kind == "int" and any(float(bound) != int(bound) for bound in bounds):
            raise SettingsError(f"{where}: is a whole number, {self.range_text} is not")
        if self.low > self.high:
            raise SettingsError(f"{where}: low {self.low:g} is above high {self.high:g}")
        if self.log and self.low <= 0:
            raise SettingsError(f"{where}: a logarithmic scale needs a low over 0")
        if self.step is not None:
            self._check_step(self.step, where)
        return self

    def _check_step(self, step: float, where: str) -> None:
        """Raise SettingsError for an unusable step."""
        if step <= 0:
            raise SettingsError(f"{where}: step {step:g} must be over 0, such as 1 or 0.1")
        if self.log and step != 1:
            raise SettingsError(f"{where}: step {step:g} does not go with a logarithmic scale")
        width = self.high - self.low
        if 0 < width < step * (1 - _CLOSE):
            raise SettingsError(
                f"{where}: step {step:g} is larger than the range, {self.low:g} to {self.high:g}: "
                f"there would be one value; give a step of {width:g} at most"
            )
        if width / step > _MOST_STEPS:
            raise SettingsError(
                f"{where}: step {step:g} divides {self.low:g} to {self.high:g} into more than "
                f"{_MOST_STEPS:.0e} parts: leave it out for any value between"
            )


def real(name: str, low: float, high: float, *, log: bool = False) -> Parameter:
    """Return a parameter of real numbers, which is a setting."""
    return Parameter(name, "float", "", low, high, log)


def whole(
    name: str, low: int, high: int, about: str = "", *, log: bool = False, step: int = 1
) -> Parameter:
    """Return a parameter of whole numbers; without `about` it is a setting."""
    return Parameter(name, "int", about, low, high, log, step)


def choice(name: str, choices: tuple[Value, ...], about: str = "") -> Parameter:
    """Return a parameter with these choices; without `about` it is a setting."""
    return Parameter(name, "choice", about, choices=choices)


def _alike(first: Any, other: Any) -> bool:
    """Return whether both are truth values, or neither is: 1 equals True."""
    return isinstance(first, bool) == isinstance(other, bool)


@dataclass(frozen=True)
class Space:
    """The parameters that a sweep searches.

    required: what the values of every trial fulfil, together with those of `held` parameters.
    """

    parameters: tuple[Parameter, ...]
    required: tuple[Requirement, ...] = ()
    held: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, parameters: Iterable[Parameter]) -> Space:
        """Make a space of these parameters."""
        return cls(tuple(parameters))

    @property
    def names(self) -> list[str]:
        """Names of the parameters, in order."""
        return [parameter.name for parameter in self.parameters]

    @cached_property
    def count(self) -> int | None:
        """The number of settings in all; None where it is infinite, or too large to be counted."""
        counts = [parameter.count for parameter in self.parameters]
        finite = [count for count in counts if count is not None]
        if len(finite) < len(counts):
            return None
        if not self.required:
            return math.prod(finite)
        return sum(1 for _ in self.settings) if math.prod(finite) <= _COUNTED else None

    @property
    def settings(self) -> Iterator[Setting]:
        """All settings, where their number is finite."""
        for setting in itertools.product(*(parameter.values for parameter in self.parameters)):
            if self.allows(dict(zip(self.names, setting, strict=True))):
                yield setting

    def allows(self, values: Mapping[str, Any]) -> bool:
        """Return whether values fulfil all requirements."""
        return not self.broken(values)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether all values lie in their ranges and fulfil all requirements."""
        return all(self[name].holds(value) for name, value in values.items()) and self.allows(
            values
        )

    def broken(self, values: Mapping[str, Any]) -> list[str]:
        """Return the requirements that values break."""
        return [
            requirement.text
            for requirement in self.required
            if not requirement.holds({**self.held, **values})
        ]

    def requiring(self, texts: Iterable[str], held: Mapping[str, Any]) -> Space:
        """Return the space with requirements on its parameters and on held ones.

        Raises SettingsError for a requirement on anything else, and where no setting fulfils them.
        """
        required = tuple(map(Requirement, texts))
        if not required:
            return self
        for requirement in required:
            strange = [name for name in requirement.names if name not in (*self.names, *held)]
            if strange:
                why = f"there is no parameter {strange[0]!r}; there are "
                why += ", ".join([*self.names, *held])
                for name in self.names:
                    if "-" in name and name in requirement.text:
                        why = f"'-' is a minus here, so give {name!r} another name"
                raise SettingsError(f"require: {requirement.text!r}: {why}")
        space = replace(self, required=required, held=dict(held))
        try:
            space.allows({parameter.name: parameter.example for parameter in self.parameters})
        except ValueError as error:
            raise SettingsError(f"require: {error}") from error
        if space.count == 0:
            texts = " and ".join(repr(requirement.text) for requirement in required)
            raise SettingsError(f"require: no setting in these ranges fulfils {texts}")
        return space

    @property
    def remarks(self) -> list[str]:
        """Notes on ranges that are not a multiple of their steps."""
        return [
            f"{parameter.name}: {parameter.range_text}: the last step is at {parameter.last:g}"
            for parameter in self.parameters
            if parameter.grid is not None
            and parameter.high - parameter.last > _CLOSE * parameter.grid
        ]

    @property
    def distributions(self) -> dict[str, BaseDistribution]:
        """The space for Optuna."""
        return {parameter.name: parameter.distribution for parameter in self.parameters}

    def setting_of(self, values: Mapping[str, Any]) -> Setting:
        """Return values in the order of the space."""
        return tuple(values[name] for name in self.names)

    def without(self, names: Iterable[str]) -> Space:
        """Return the space without some parameters."""
        dropped = set(names)
        return Space(tuple(p for p in self.parameters if p.name not in dropped))

    def changed(self, parameter: Parameter) -> Space:
        """Return the space with a parameter that replaces the one of its name, or is added."""
        if parameter.name not in self.names:
            return Space((*self.parameters, parameter))
        return Space(tuple(parameter if p.name == parameter.name else p for p in self.parameters))

    def __getitem__(self, name: str) -> Parameter:
        return next(parameter for parameter in self.parameters if parameter.name == name)


def units_of(values: Mapping[str, Any], numbers: Mapping[str, Number]) -> npt.NDArray[np.float64]:
    """Return the places of values in their ranges: a point of the unit cube."""
    return np.array([to_unit(values[name], number) for name, number in numbers.items()])


def values_at(
    units: npt.NDArray[np.float64], numbers: Mapping[str, Number]
) -> dict[str, float | int]:
    """Return the values at a point of the unit cube."""
    pairs = zip(units, numbers.items(), strict=True)
    return {name: _from_unit(float(unit), number) for unit, (name, number) in pairs}


def _from_unit(unit: float, distribution: Number) -> float | int:
    """Return the value at a place, on the grid if there is one; outside 0 to 1 the nearest end."""
    return cast("float | int", snapped(value_at(unit, distribution), distribution))


def snapped(value: Any, distribution: BaseDistribution) -> Any:
    """Return the nearest value on the grid; without steps, and for a choice, the value itself."""
    if not isinstance(distribution, Number) or distribution.step is None:
        return value
    return on_grid(value, distribution.low, distribution.high, distribution.step)


def steps_in(low: float, high: float, step: float) -> int:
    """Count the whole steps that fit into a range."""
    count = (high - low) / step
    return math.floor(count + _EXACT * max(1.0, count))


def on_grid(value: float, low: float, high: float, step: float) -> float:
    """Return the nearest value on the grid within the range.

    It is exact as written: 0.3, and not 0.30000000000000004.
    """
    return at_step(round((value - low) / step), low, high, step)


def at_step(number: int, low: float, high: float, step: float) -> float:
    """Return the value `number` steps above low; beyond the range, the nearest end."""
    number = min(max(number, 0), steps_in(low, high, step))
    if all(isinstance(end, int) for end in (low, step)):
        return low + number * step
    return float(Decimal(repr(low)) + number * Decimal(repr(step)))
