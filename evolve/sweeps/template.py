"""Commands with holes for parameters: `./engine --corner {corner:1:50} --style {style:calm|wild}`.

A hole is `{NAME:LOW:HIGH}`, with `:log` for a logarithmic scale or `:STEP` for a grid, or
`{NAME:A|B|C}`; `=VALUE` at its end says what the program's default is. Where both ends are whole,
and the step is, so are the values. `{{` and `}}` are braces.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evolve.errors import OptionsError
from evolve.programs.command import words_of
from evolve.sweeps.scale import on_grid
from evolve.sweeps.space import Parameter, Value

_HOLE: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}")
_WHOLE: Final = re.compile(r"[-+]?[0-9]{1,15}")
_EXAMPLE: Final = (
    "write {corner:1:50}, {weight:0.0:1.0:0.1}, {rate:0.1:5:log=1} or {style:calm|wild}"
)


@dataclass(frozen=True)
class Template:
    """A text with holes.

    parts: plain texts and names of parameters, by turns, the first a text; parameters: what the
    holes say of them; defaults: of those that give one.
    """

    parts: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    defaults: Mapping[str, Value]

    @classmethod
    def of(cls, text: str) -> Template:
        """The template of a text; OptionsError where a hole is none."""
        parts = [""]
        parameters: dict[str, Parameter] = {}
        defaults: dict[str, Value] = {}
        place = 0
        for found in _HOLE.finditer(text):
            parts[-1] += text[place : found.start()]
            place = found.end()
            if found[0] in ("{{", "}}"):
                parts[-1] += found[0][0]
                continue
            if found[1] is None:
                raise OptionsError(
                    f"{found[0]!r} in {text!r} stands alone: {_EXAMPLE}, {{{{ for it"
                )
            name, colon, rest = found[1].partition(":")
            parts += [name, ""]
            if not _NAME.fullmatch(name):
                raise OptionsError(f"{found[0]} in {text!r} is not a parameter: {_EXAMPLE}")
            if not colon:
                continue  # named here, described elsewhere
            parameter, default = _parameter(name, rest, found[0])
            if parameters.setdefault(name, parameter) != parameter:
                raise OptionsError(f"{text!r} gives {name} two ranges")
            if default is not None:
                defaults[name] = default
        parts[-1] += text[place:]
        return cls(tuple(parts), tuple(parameters.values()), defaults)

    @property
    def names(self) -> list[str]:
        """The parameters that it has holes for, in their order."""
        return list(dict.fromkeys(self.parts[1::2]))

    def filled(self, values: Mapping[str, Any]) -> str:
        """The text with values in place of the holes."""
        texts = list(self.parts)
        texts[1::2] = [value_text(values[name]) for name in self.parts[1::2]]
        return "".join(texts)


@dataclass(frozen=True)
class CommandTemplate:
    """A command whose words have holes: a value never becomes more than a part of one word."""

    words: tuple[Template, ...]

    @classmethod
    def of(cls, command: str, folder: Path | None = None) -> CommandTemplate:
        """The template of a command, whose program is looked for in `folder` as well; OptionsError
        where it is none."""
        try:
            words = words_of(command, folder)
        except ValueError as error:
            raise OptionsError(f"{command!r} is not a command: {error}") from error
        return cls(tuple(map(Template.of, words)))

    @property
    def parameters(self) -> dict[str, Parameter]:
        """What its holes say of parameters."""
        found: dict[str, Parameter] = {}
        for word in self.words:
            for parameter in word.parameters:
                if found.setdefault(parameter.name, parameter) != parameter:
                    raise OptionsError(f"the command gives {parameter.name} two ranges")
        return found

    @property
    def defaults(self) -> dict[str, Value]:
        """Of those that give one."""
        return {name: value for word in self.words for name, value in word.defaults.items()}

    @property
    def names(self) -> set[str]:
        """The parameters that it has holes for."""
        return {name for word in self.words for name in word.names}

    def filled(self, values: Mapping[str, Any]) -> str:
        """The command with values in place of the holes."""
        return shlex.join(word.filled(values) for word in self.words)


def value_text(value: Value) -> str:
    """A value as a program is told it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def middle(parameter: Parameter) -> Value:
    """The middle of a range, on its scale and grid; of a choice the first."""
    if parameter.kind == "choice":
        return parameter.choices[0]
    low, high = parameter.low, parameter.high
    value = (low * high) ** 0.5 if parameter.log else (low + high) / 2
    if parameter.grid is None:
        return value
    found = on_grid(value, low, high, parameter.grid)
    return found if parameter.kind == "float" else int(found)


def _parameter(name: str, text: str, hole: str) -> tuple[Parameter, Value | None]:
    """A parameter and its default, of what follows its name in a hole."""
    ranged, equals, given = text.partition("=")
    if "|" in ranged or ":" not in ranged:
        choices = tuple(_typed(part) for part in ranged.split("|"))
        if (
            len(choices) < 2
            or not all(str(one) for one in choices)
            or len({*choices}) < len(choices)
        ):
            raise OptionsError(f"{hole}: is neither a range nor a choice: {_EXAMPLE}")
        if len({type(one) for one in choices}) > 1:
            choices = tuple(ranged.split("|"))
        parameter = Parameter(name, "choice", "", choices=choices)
    else:
        parameter = _range(name, ranged, hole)
    if not equals:
        return parameter, None
    default: Any = _typed(given)
    if parameter.kind == "choice" and parameter.type is str:
        default = given
    elif parameter.type is float and isinstance(default, int):
        default = float(default)
    if not parameter.holds(default):
        raise OptionsError(f"{hole}: {given!r} is not in the range {parameter.range_text}")
    return parameter, default


def _range(name: str, text: str, hole: str) -> Parameter:
    low, high, *more = text.split(":")
    given: dict[str, Any] = {"low": _typed(low), "high": _typed(high)}
    if len(more) > 1 or any(isinstance(end, str) for end in given.values()):
        raise OptionsError(f"{hole}: is not a range: {_EXAMPLE}")
    if [one.strip().lower() for one in more] == ["log"]:
        given["log"] = True
    elif more:
        given["step"] = _typed(more[0])
        if isinstance(given["step"], str):
            raise OptionsError(f"{hole}: {more[0]!r} is neither log nor a step, such as 5 or 0.1")
    return Parameter(name, "choice", "").narrowed(given, hole)


def _typed(text: str) -> Value:
    """A number where the text is one; blanks around it say nothing, and `1_000` is none: Python
    alone reads that."""
    number = text.strip()
    if _WHOLE.fullmatch(number):
        return int(number)
    try:
        return float(number) if re.search("[0-9]", number) and "_" not in number else text
    except ValueError:
        return text
