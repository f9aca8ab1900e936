"""Search spaces as data: parameters, their ranges and their scales.

A place is a number's position in its range, 0 to 1. Steps are low, low + step, low + 2 step, … up
to high.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from pydantic import BaseModel, ConfigDict, ValidationError

from evolve.config.ranges import Requirement, to_unit, value_at
from evolve.errors import SettingsError
from evolve.fitness.statistics import Floats
from evolve.parsing import plain_words

Value = float | int | str | bool
Setting = tuple[Any, ...]
"""The values of a trial, in the order of the space."""
Number = FloatDistribution | IntDistribution
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

    @cached_property
    def distribution(self) -> BaseDistribution:
        """The same as an Optuna distribution, whose highest value is a multiple of the step."""
        if self.kind == "choice":
            return CategoricalDistribution(self.choices)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where the highest value is under `high`
            if self.kind == "float":
                return FloatDistribution(self.low, self.high, log=self.log, step=self.step)
            step = int(self.step or 1)
            return IntDistribution(int(self.low), int(self.high), log=self.log, step=step)

    @property
    def type(self) -> type:
        return type(self.ends[0])

    @property
    def ends(self) -> tuple[Value, ...]:
        """The ends of the range; all values of a choice."""
        number = self.distribution
        return (number.low, number.high) if isinstance(number, Number) else self.choices

    @property
    def count(self) -> int | None:
        """The number of values; None where it is infinite."""
        number = self.distribution
        if not isinstance(number, Number):
            return len(self.choices)
        if number.step is None:
            return 1 if number.single() else None
        return 1 + steps_in(number)

    @property
    def values(self) -> list[Value]:
        """All values, where their number is finite."""
        number = self.distribution
        if not isinstance(number, Number):
            return list(self.choices)
        return [at_step(index, number) for index in range(self.count or 0)]

    @property
    def range_text(self) -> str:
        """The range as text for people."""
        if self.kind == "choice":
            return " | ".join(str(choice) for choice in self.choices)
        notes = [", log"] if self.log else []
        if self.step is not None and (self.kind, self.step) != ("int", 1):
            notes.append(f", in steps of {self.step:g}")
        return f"{self.low:g} to {self.high:g}{''.join(notes)}"

    @property
    def remark(self) -> str | None:
        """A note where the highest value lies under the end of the range."""
        number = self.distribution
        if not isinstance(number, Number) or number.high == self.high:
            return None
        return f"{self.name}: {self.range_text}: the last step is at {number.high:g}"

    def taken(self, value: Any) -> Value | None:
        """Return a value as one of the range, a whole number as a float; None if it is outside."""
        number = self.distribution
        if not isinstance(number, Number):
            alike = (c for c in self.choices if isinstance(c, bool) == isinstance(value, bool))
            return next((choice for choice in alike if choice == value), None)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        close = 1e-6 * (number.step or 0.0)  # floats are not exact
        inside = number.low <= value <= number.high and abs(value - snapped(value, number)) <= close
        return self.type(value) if inside else None

    def narrowed(self, given: Mapping[str, Any], source: str) -> Parameter:
        """Return the parameter with another range, from a table of a space file.

        Raises SettingsError, which says what is wrong in `source`.
        """
        where = f"{source}: {self.name}"
        try:
            table = _Range.model_validate(given)
            changes = table.model_dump(exclude_unset=True)
            if table.choices is not None:
                if len(changes) > 1:
                    raise ValueError("choices stand alone")
                return replace(self, kind="choice", choices=_alike(table.choices, self.choices))
            kind = self.kind
            if kind == "choice":
                if table.low is None or table.high is None:
                    raise ValueError("is a choice: give choices, or both low and high")
                ends = (table.low, table.high, table.step or 1)
                kind = "int" if all(isinstance(end, int) for end in ends) else "float"
            changed = replace(self, kind=kind, choices=(), **changes)
            bounds = (changed.low, changed.high, changed.step or 1)
            if kind == "float":
                changed = replace(changed, low=float(changed.low), high=float(changed.high))
            elif any(bound != int(bound) for bound in bounds):
                raise ValueError(f"is a whole number, {changed.range_text} is not")
            _ = changed.distribution  # ValueError where there is none
        except ValidationError as error:
            fault = error.errors()[0]
            text = f"{fault['loc'][0]} = {fault['input']!r}: {plain_words(fault)}"
            raise SettingsError(f"{where}: {text}") from error
        except ValueError as error:
            raise SettingsError(f"{where}: {error}") from error
        return changed


class _Range(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    low: float | int | None = None
    high: float | int | None = None
    log: bool = False
    step: float | int | None = None
    choices: list[Any] | None = None


def _alike(choices: list[Any], before: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return choices as values of one type; ValueError where that is impossible."""
    if before == NO_YES:  # texts of the command line say true|false
        choices = [{"false": False, "true": True}.get(str(choice), choice) for choice in choices]
    kinds = {type(choice) for choice in choices}
    if kinds == {int, float}:
        choices, kinds = [float(choice) for choice in choices], {float}
    if len(kinds) != 1 or not kinds <= {str, int, float, bool}:
        raise ValueError("choices must be one or more, all numbers, all texts, or true and false")
    return tuple(choices)


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


@dataclass(frozen=True)
class Space:
    """The parameters that a sweep searches.

    required: what the values of every trial fulfil, together with those of `held` parameters.
    """

    parameters: tuple[Parameter, ...]
    required: tuple[Requirement, ...] = ()
    held: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return [parameter.name for parameter in self.parameters]

    @property
    def example(self) -> dict[str, Value]:
        """The first value of each range, whatever is required."""
        return {parameter.name: parameter.ends[0] for parameter in self.parameters}

    @property
    def types(self) -> dict[str, type]:
        """The type of each parameter's values by its name."""
        return {parameter.name: parameter.type for parameter in self.parameters}

    @cached_property
    def count(self) -> int | None:
        """The number of settings in all; None where it is infinite, or too large to be counted."""
        counts = [parameter.count for parameter in self.parameters]
        finite = [count for count in counts if count is not None]
        if len(finite) < len(counts):
            return None
        if not self.required:
            return math.prod(finite)
        # Those that fulfil all requirements are looked at one by one.
        return sum(1 for _ in self.settings) if math.prod(finite) <= 100_000 else None

    @property
    def settings(self) -> Iterator[Setting]:
        """All settings, where their number is finite."""
        for setting in itertools.product(*(parameter.values for parameter in self.parameters)):
            if not self.broken(dict(zip(self.names, setting, strict=True))):
                yield setting

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether all values lie in their ranges and fulfil all requirements."""
        inside = all(self[name].taken(value) is not None for name, value in values.items())
        return inside and not self.broken(values)

    def broken(self, values: Mapping[str, Any]) -> list[str]:
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
                names = ", ".join([*self.names, *held])
                raise SettingsError(
                    f"require: {requirement.text!r}: there is no parameter {strange[0]!r} (a '-' "
                    f"is a minus here); there are {names}"
                )
        space = replace(self, required=required, held=dict(held))
        try:
            space.broken(space.example)
        except ValueError as error:
            raise SettingsError(f"require: {error}") from error
        if space.count == 0:
            texts = " and ".join(repr(requirement.text) for requirement in required)
            raise SettingsError(f"require: no setting in these ranges fulfils {texts}")
        return space

    @property
    def distributions(self) -> dict[str, BaseDistribution]:
        return {parameter.name: parameter.distribution for parameter in self.parameters}

    def __getitem__(self, name: str) -> Parameter:
        return next(parameter for parameter in self.parameters if parameter.name == name)


def units_of(values: Mapping[str, Any], numbers: Mapping[str, Number]) -> Floats:
    """Return the places of values in their ranges: a point of the unit cube."""
    return np.array([to_unit(values[name], number) for name, number in numbers.items()])


def values_at(units: Floats, numbers: Mapping[str, Number]) -> dict[str, float | int]:
    """Return the values at a point of the unit cube; outside of it, at the nearest end."""
    return {
        name: snapped(value_at(float(unit), number), number)
        for unit, (name, number) in zip(units, numbers.items(), strict=True)
    }


def snapped(value: Any, distribution: BaseDistribution) -> Any:
    """Return the nearest value on the grid; without steps, and for a choice, the value itself.

    It is exact as written: 0.3, and not 0.30000000000000004.
    """
    if not isinstance(distribution, Number) or distribution.step is None:
        return value
    return at_step(round((value - distribution.low) / distribution.step), distribution)


def steps_in(number: Number) -> int:
    """Count the steps of a range that has steps."""
    return round((number.high - number.low) / (number.step or 1))


def at_step(index: int, number: Number) -> float | int:
    """Return the value `index` steps above the lowest; beyond the range, the nearest end."""
    index, low, step = min(max(index, 0), steps_in(number)), number.low, number.step or 1
    if isinstance(number, IntDistribution):
        return int(low + index * step)
    return float(Decimal(repr(low)) + index * Decimal(repr(step)))
