"""The parameters of a program, and how it gets their values."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from string import Formatter
from typing import Any, Final, cast

from evolve.agents.registry import PROGRAM_FORMS, PROGRAMS, parse_name, words_of
from evolve.config.ranges import EXAMPLE, range_of
from evolve.config.sweep import ProgramSweepSettings
from evolve.errors import EvolveError, OptionsError, SettingsError
from evolve.programs.external import ExternalAgent
from evolve.runs.loading import load_agent
from evolve.sweeps.plan import Plan
from evolve.sweeps.space import Parameter, Space, Value, snapped
from evolve.tables.trials import CENTRE_COLUMNS, TRIALS_COLUMNS

_ONE_THREAD: Final = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS", "GOMAXPROCS",
)  # fmt: skip
"""Environment variables that set a program's number of threads."""


@dataclass(frozen=True)
class ParametersPlan(Plan):
    """The parameters are those of the command's holes, and those of the space.

    Raises SettingsError or OptionsError where they are impossible.
    """

    sweep: ProgramSweepSettings

    @cached_property
    def command(self) -> CommandTemplate:
        """The command, without its protocol and without the settings after the question mark."""
        return CommandTemplate.of(self._named[1])

    @cached_property
    def _named(self) -> tuple[str, str, str]:
        text, query = parse_name(self.sweep.program)
        protocol, colon, command = text.partition(":")
        if not colon or protocol not in PROGRAMS:
            raise OptionsError(f"{self.sweep.program!r} is not {' or '.join(PROGRAM_FORMS)}")
        return protocol, command, "" if query is None else f"?{query}"

    @cached_property
    def space(self) -> Space:
        """The parameters with the ranges that the settings give, without held ones."""
        parameters = {**self.command.parameters}
        for name, given in self.sweep.space.items():
            ranged = {key: value for key, value in given.items() if key != "default"}
            parameter = parameters.get(name) or Parameter(name, "choice", "")
            parameters[name] = parameter.narrowed(ranged, "space")
        self._check_places(parameters)
        chosen = Space(tuple(parameters[name] for name in parameters if name not in self.sweep.fix))
        if not chosen.parameters:
            raise SettingsError("program: it has no parameter to search, such as {corner:1:50}")
        still = [p.name for p in chosen.parameters if p.kind == "choice" or p.count == 1]
        if still and self.sweep.sampler == "spsa":
            raise SettingsError(
                f"sampler: spsa needs ranges of numbers: fix {still[0]}, or take another sampler"
            )
        return chosen.requiring(self.sweep.require, self.sweep.fix)

    def _check_places(self, parameters: Mapping[str, Parameter]) -> None:
        held, holes = self.sweep.fix, self.command.names
        columns = (*TRIALS_COLUMNS.names, *CENTRE_COLUMNS.names)
        taken = [name for name in parameters if name in columns]
        if taken:
            raise SettingsError(
                f"program: the table of trials has a column {taken[0]}: give the parameter another "
                "name"
            )
        nameless = sorted(holes - {*parameters, *held})
        if nameless:
            raise SettingsError(
                f"program: nothing says what {nameless[0]} may be: write {{{nameless[0]}:1:50}}"
            )
        lost = [name for name in (*parameters, *held) if name not in holes]
        if lost and self.sweep.set_by is None:
            raise SettingsError(
                f"program: it has no place for {lost[0]}: write {{{lost[0]}}}, or use --set-by"
            )

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The defaults in the command or the space; otherwise the middle of each range."""
        tables = self.sweep.space.items()
        given = {name: table["default"] for name, table in tables if "default" in table}
        known = {**self.command.defaults, **given}
        values = {p.name: known.get(p.name, _middle(p)) for p in self.space.parameters}
        for parameter in self.space.parameters:
            value = values[parameter.name]
            if parameter.taken(value) is None:
                raise SettingsError(
                    f"space: {parameter.name}: its default {value!r} is not in "
                    f"{parameter.range_text}; all trials are compared with the defaults. To search "
                    "elsewhere begin a new sweep, --start-from this one"
                )
        broken = self.space.broken(values)
        if broken:
            shown = ", ".join(f"{name} = {value}" for name, value in values.items())
            raise SettingsError(
                f"require: the defaults, {shown}, break {broken[0]!r}: give others, as {{a:1:9=5}}"
            )
        return values

    def line(self, values: Mapping[str, Any]) -> str:
        """Return the program with these values as the command line names it."""
        protocol, _, query = self._named
        return f"{protocol}:{self.command.filled({**self.sweep.fix, **values})}{query}"

    def agent(self, values: Mapping[str, Any], name: str) -> ExternalAgent:
        """Return the program with these values; AgentError where it is missing."""
        environment, setup = self._told(values)
        threads = dict.fromkeys(_ONE_THREAD, "1")
        agent, variables = load_agent(self.line(values)), {**threads, **environment}
        assert isinstance(agent, ExternalAgent)
        return replace(agent, name=name, environment=variables, setup=tuple(setup))

    def _told(self, values: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
        """Return the variables and the GTP commands that set what has no place in the command."""
        texts = {
            name: _value_text(value)
            for name, value in {**self.sweep.fix, **values}.items()
            if name not in self.command.names
        }
        if self.sweep.set_by == "env":
            return texts, []
        line, items = self.sweep.set_command, texts.items()
        return {}, [line.replace("{name}", name).replace("{value}", text) for name, text in items]

    def facts(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values for keeping: with the held ones, and the program that has them."""
        environment, commands = self._told(values)
        facts = {"parameters": {**self.sweep.fix, **values}, "program": self.line(values)}
        others = {"environment": environment, "commands": commands}
        return {**facts, **{name: texts for name, texts in others.items() if texts}}


@dataclass(frozen=True)
class CommandTemplate:
    """A command with holes in its words: a value never becomes more than part of one word.

    words: each as plain texts and parameter names, in alternation, first a text. parameters:
    described by the holes. defaults: of holes that give one.
    """

    words: tuple[tuple[str, ...], ...]
    parameters: Mapping[str, Parameter]
    defaults: Mapping[str, Value]

    @classmethod
    def of(cls, command: str) -> CommandTemplate:
        """Parse a command; raises OptionsError where it or one of its holes is invalid."""
        parameters: dict[str, Parameter] = {}
        defaults: dict[str, Value] = {}
        try:
            words = [tuple(_parts(word, parameters, defaults)) for word in words_of(command)]
        except EvolveError:
            raise
        except ValueError as error:
            raise OptionsError(f"{command!r} is not a command: {error}: {EXAMPLE}") from error
        return cls(tuple(words), parameters, defaults)

    @property
    def names(self) -> set[str]:
        return {name for parts in self.words for name in parts[1::2]}

    def filled(self, values: Mapping[str, Any]) -> str:
        texts = [[*parts] for parts in self.words]
        for parts in texts:
            parts[1::2] = [_value_text(values[name]) for name in parts[1::2]]
        return shlex.join(map("".join, texts))


def _parts(text: str, parameters: dict[str, Parameter], defaults: dict[str, Value]) -> list[str]:
    """Return texts and names of holes in alternation; add what the holes describe."""
    parts = [""]
    for literal, name, spec, conversion in Formatter().parse(text):
        parts[-1] += literal
        if name is None:
            continue
        hole = f"{{{name}:{spec}}}"
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}", name) or conversion:
            raise OptionsError(f"{hole} in {text!r} is not a parameter: {EXAMPLE}")
        parts += [name, ""]
        if not spec:
            continue  # only named here, described elsewhere
        parameter, default = _parameter(name, spec, hole)
        if parameters.setdefault(name, parameter) != parameter:
            raise OptionsError(f"the command gives {name} two ranges")
        if default is not None:
            defaults[name] = default
    return parts


def _value_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _middle(parameter: Parameter) -> Value:
    """Return the middle of a range, on its scale and grid; of a choice the first value."""
    if parameter.kind == "choice":
        return parameter.choices[0]
    low, high = parameter.low, parameter.high
    value = (low * high) ** 0.5 if parameter.log else (low + high) / 2
    return cast("Value", parameter.type(snapped(value, parameter.distribution)))


def _parameter(name: str, text: str, hole: str) -> tuple[Parameter, Value | None]:
    table = range_of(text, hole)
    default: Any = table.pop("default", None)
    if "choices" not in table and not {"low", "high"} <= table.keys():
        raise OptionsError(f"{hole}: is not a range: {EXAMPLE}")
    parameter = Parameter(name, "choice", "").narrowed(table, hole)
    if default is not None and (default := parameter.taken(default)) is None:
        given = text.partition("=")[2]
        raise OptionsError(f"{hole}: {given!r} is not in the range {parameter.range_text}")
    return parameter, default
