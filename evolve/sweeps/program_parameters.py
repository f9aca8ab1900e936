"""The parameters of a program, and how it gets their values."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast

from evolve.agents.names import parse_name, words_of
from evolve.agents.registry import PROGRAM_FORMS, PROGRAMS
from evolve.config.program_sweep import ProgramSweepSettings
from evolve.config.ranges import EXAMPLE, range_of
from evolve.errors import OptionsError, SettingsError, reason_of
from evolve.files.atomic import write_text
from evolve.files.changes import make_folder
from evolve.programs.external import ExternalAgent
from evolve.runs.loading import load_agent
from evolve.sweeps.space import Parameter, Space, Value, on_grid
from evolve.tables.paths import TRIALS

_FILE: Final = "file"
"""The command's hole for the file that is made from the template."""
_ONE_THREAD: Final = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS", "GOMAXPROCS",
)  # fmt: skip
"""Environment variables that set a program's number of threads."""


@dataclass(frozen=True)
class Tunable:
    """The program of a sweep.

    Its parameters are those of the command's holes, of the template's holes, and of the sweep's
    space. Raises SettingsError or OptionsError where it is impossible.
    """

    settings: ProgramSweepSettings

    @cached_property
    def command(self) -> CommandTemplate:
        """The command, without its protocol and without the settings after the question mark."""
        return CommandTemplate.of(self._named[1])

    @cached_property
    def _named(self) -> tuple[str, str, str]:
        """Protocol, command, and the settings with their question mark."""
        text, query = parse_name(self.settings.program)
        protocol, colon, command = text.partition(":")
        if not colon or protocol not in PROGRAMS:
            raise OptionsError(f"{self.settings.program!r} is not {' or '.join(PROGRAM_FORMS)}")
        return protocol, command, "" if query is None else f"?{query}"

    @cached_property
    def template(self) -> Template | None:
        """The text of the file that the program reads."""
        if self.settings.template is None:
            return None
        try:
            return Template.of(Path(self.settings.template).read_text(encoding="utf-8"))
        except OSError as error:
            why = reason_of(error, self.settings.template)
            raise SettingsError(f"template: {why}") from error
        except UnicodeDecodeError as error:
            raise SettingsError(f"template: {self.settings.template}: {error}") from error

    @cached_property
    def space(self) -> Space:
        """The parameters with the ranges that the settings give, without held ones."""
        parameters = {**self.command.parameters}
        if self.template is not None:
            parameters |= {parameter.name: parameter for parameter in self.template.parameters}
        for name, given in self.settings.space.items():
            if not isinstance(given, Mapping):
                raise SettingsError(f"space: {name}: a range is a table; a value is held by fix")
            ranged = {key: value for key, value in given.items() if key != "default"}
            parameter = parameters.get(name) or Parameter(name, "choice", "")
            parameters[name] = parameter.narrowed(ranged, "space")
        self._check_places(parameters)
        chosen = Space.of(parameters[name] for name in parameters if name not in self.settings.fix)
        if not chosen.parameters:
            raise SettingsError(
                "program: it has no parameter to search: write {corner:1:50} in it, or name them "
                "in a file for --space"
            )
        if self.settings.sampler == "spsa":
            choices = [
                parameter.name for parameter in chosen.parameters if parameter.kind == "choice"
            ]
            if choices:
                raise SettingsError(
                    f"sampler: spsa moves numbers, and {choices[0]} is a choice: hold it by --fix, "
                    "or take another sampler"
                )
        return chosen.requiring(self.settings.require, self.settings.fix)

    def _check_places(self, parameters: Mapping[str, Parameter]) -> None:
        """Raise SettingsError where a hole has no range, or a parameter has no place."""
        holes = set(self.command.names)
        if self.template is not None:
            if _FILE not in holes or _FILE in parameters:
                raise SettingsError(
                    "program: with --template the command needs {file}, and no parameter may be "
                    "called so"
                )
            holes = (holes - {_FILE}) | set(self.template.names)
        nameless = sorted(holes - set(parameters) - set(self.settings.fix))
        if nameless:
            raise SettingsError(
                f"program: nothing says what {nameless[0]} may be: write "
                f"{{{nameless[0]}:1:50}}, or give its range in --space"
            )
        lost = [name for name in (*parameters, *self.settings.fix) if name not in holes]
        if lost and self.settings.set_by in (None, "file"):
            raise SettingsError(
                f"program: it has no place for {lost[0]}: write {{{lost[0]}}} in it, or say how it "
                "is told by --set-by"
            )

    @cached_property
    def defaults(self) -> dict[str, Any] | None:
        """The defaults in the command or the space; otherwise the middle of each range."""
        defaults: dict[str, Any] = {**self.command.defaults}
        if self.template is not None:
            defaults |= self.template.defaults
        for name, given in self.settings.space.items():
            if isinstance(given, Mapping) and "default" in given:
                defaults[name] = given["default"]
        values = {
            parameter.name: defaults.get(parameter.name, middle(parameter))
            for parameter in self.space.parameters
        }
        for name, value in values.items():
            if not self.space[name].holds(value):
                raise SettingsError(
                    f"space: {name}: its default {value!r} is not in {self.space[name].range_text}"
                    "; all trials are compared with the defaults. To search elsewhere begin a new "
                    "sweep, --start-from this one"
                )
        broken = self.space.broken(values)
        if broken:
            shown = ", ".join(f"{name} = {value}" for name, value in values.items())
            raise SettingsError(
                f"require: the defaults, {shown}, break {broken[0]!r}: give others, as in "
                "{corner:1:50=10}"
            )
        return values

    def line(self, values: Mapping[str, Any], folder: Path | None = None) -> str:
        """Return the program with these values as the command line names it.

        folder: of the files made from a template.
        """
        protocol, _, query = self._named
        return f"{protocol}:{self._command(values, self._file(values, folder))}{query}"

    def agent(self, values: Mapping[str, Any], name: str, folder: Path) -> ExternalAgent:
        """Return the program with these values; write the file made from the template."""
        file = self._file(values, folder)
        if self.template is not None and not file.exists():
            make_folder(file.parent, exist_ok=True)
            write_text(file, self.template.filled(self.values(values)))
        return self._agent(values, name, file)

    def _agent(self, values: Mapping[str, Any], name: str, file: Path) -> ExternalAgent:
        protocol, _, query = self._named
        made = load_agent(f"{protocol}:{self._command(values, file)}{query}")
        environment = dict.fromkeys(_ONE_THREAD, str(self.settings.cores))
        setup = self._setup(values) if self.settings.set_by == "gtp" else []
        if self.settings.set_by == "env":
            environment |= self._values_as_text(values)
        agent: Any = replace(
            cast("ExternalAgent", made), name=name, environment=environment, setup=tuple(setup)
        )
        return cast("ExternalAgent", agent)

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise AgentError for a missing program."""
        self._agent(values, "", Path(self.settings.template or ""))

    @property
    def digest(self) -> str | None:
        """Digest of the template's text, which may change during a sweep.

        None without a template.
        """
        if self.template is None:
            return None
        return hashlib.sha256(repr(self.template.parts).encode()).hexdigest()[:16]

    def _setup(self, values: Mapping[str, Any]) -> list[str]:
        """Return the GTP commands that set the values."""
        line = self.settings.set_command
        return [
            line.replace("{name}", name).replace("{value}", text)
            for name, text in self._values_as_text(values).items()
        ]

    def values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a trial and the held ones."""
        return {**self.settings.fix, **values}

    def _values_as_text(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the values that have no place in the command."""
        return {
            name: value_text(value)
            for name, value in self.values(values).items()
            if name not in self.command.names
        }

    def _command(self, values: Mapping[str, Any], file: Path) -> str:
        filled = self.values(values)
        if self.template is not None:
            filled[_FILE] = file
        command = self.command.filled(filled)
        if self.settings.set_by == "option":
            values_as_text = self._values_as_text(values).items()
            words = [word for name, text in values_as_text for word in (f"--{name}", text)]
            command = f"{command} {shlex.join(words)}".strip()
        return command

    def _file(self, values: Mapping[str, Any], folder: Path | None) -> Path:
        """Return the path of the file with these values.

        Its content gives its name, so that no file changes.
        """
        if self.template is None:
            return Path()
        text = self.template.filled(self.values(values))
        stem = hashlib.sha256(text.encode()).hexdigest()[:16]
        name = f"{stem}{Path(str(self.settings.template)).suffix}"
        return Path(name) if folder is None else folder.resolve() / TRIALS / name

    def facts(self, values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """Return values for keeping: with the held ones, and the program that has them."""
        facts = {"parameters": self.values(values), "program": self.line(values, folder)}
        if self.settings.set_by == "env":
            facts["environment"] = self._values_as_text(values)
        elif self.settings.set_by == "gtp":
            facts["commands"] = self._setup(values)
        return facts


_HOLE: Final = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,59}")


@dataclass(frozen=True)
class Template:
    """A text with holes.

    parts: plain texts and parameter names, in alternation, first a text. parameters: described by
    the holes. defaults: of holes that give one.
    """

    parts: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    defaults: Mapping[str, Value]

    @classmethod
    def of(cls, text: str) -> Template:
        """Parse a text as a template; OptionsError for an invalid hole."""
        parts = [""]
        parameters: dict[str, Parameter] = {}
        defaults: dict[str, Value] = {}
        position = 0
        for hole in _HOLE.finditer(text):
            parts[-1] += text[position : hole.start()]
            position = hole.end()
            if hole[0] in ("{{", "}}"):
                parts[-1] += hole[0][0]
                continue
            if hole[1] is None:
                raise OptionsError(f"{hole[0]!r} in {text!r} stands alone: {EXAMPLE}, {{{{ for it")
            name, colon, rest = hole[1].partition(":")
            parts += [name, ""]
            if not _NAME.fullmatch(name):
                raise OptionsError(f"{hole[0]} in {text!r} is not a parameter: {EXAMPLE}")
            if not colon:
                continue  # only named here, described elsewhere
            parameter, default = _parameter(name, rest, hole[0])
            if parameters.setdefault(name, parameter) != parameter:
                raise OptionsError(f"{text!r} gives {name} two ranges")
            if default is not None:
                defaults[name] = default
        parts[-1] += text[position:]
        return cls(tuple(parts), tuple(parameters.values()), defaults)

    @property
    def names(self) -> list[str]:
        """Names of the parameters with holes, in order."""
        return list(dict.fromkeys(self.parts[1::2]))

    def filled(self, values: Mapping[str, Any]) -> str:
        """Return the text with values in place of the holes."""
        texts = list(self.parts)
        texts[1::2] = [value_text(values[name]) for name in self.parts[1::2]]
        return "".join(texts)


@dataclass(frozen=True)
class CommandTemplate:
    """A command with holes in its words: a value never becomes more than part of one word."""

    words: tuple[Template, ...]

    @classmethod
    def of(cls, command: str) -> CommandTemplate:
        """Parse a command as a template; raises OptionsError where it is invalid."""
        try:
            words = words_of(command)
        except ValueError as error:
            raise OptionsError(f"{command!r} is not a command: {error}") from error
        return cls(tuple(map(Template.of, words)))

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters that its holes describe."""
        parameters: dict[str, Parameter] = {}
        for word in self.words:
            for parameter in word.parameters:
                if parameters.setdefault(parameter.name, parameter) != parameter:
                    raise OptionsError(f"the command gives {parameter.name} two ranges")
        return parameters

    @property
    def defaults(self) -> dict[str, Value]:
        """Defaults of the holes that give one."""
        return {name: value for word in self.words for name, value in word.defaults.items()}

    @property
    def names(self) -> set[str]:
        """Names of the parameters with holes."""
        return {name for word in self.words for name in word.names}

    def filled(self, values: Mapping[str, Any]) -> str:
        """Return the command with values in place of the holes."""
        return shlex.join(word.filled(values) for word in self.words)


def value_text(value: Value) -> str:
    """Return a value as text for a program."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def middle(parameter: Parameter) -> Value:
    """Return the middle of a range, on its scale and grid; of a choice the first value."""
    if parameter.kind == "choice":
        return parameter.choices[0]
    low, high = parameter.low, parameter.high
    value = (low * high) ** 0.5 if parameter.log else (low + high) / 2
    if parameter.grid is None:
        return value
    nearest = on_grid(value, low, high, parameter.grid)
    return nearest if parameter.kind == "float" else int(nearest)


def _parameter(name: str, text: str, hole: str) -> tuple[Parameter, Value | None]:
    """Parse a parameter and its default from the text after its name in a hole."""
    table = range_of(text, hole)
    default: Any = table.pop("default", None)
    if "choices" not in table and not {"low", "high"} <= table.keys():
        raise OptionsError(f"{hole}: is not a range: {EXAMPLE}")
    parameter = Parameter(name, "choice", "").narrowed(table, hole)
    if default is None:
        return parameter, None
    if parameter.type is float and isinstance(default, int):
        default = float(default)
    if not parameter.holds(default):
        given = text.partition("=")[2]
        raise OptionsError(f"{hole}: {given!r} is not in the range {parameter.range_text}")
    return parameter, default
