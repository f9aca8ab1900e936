"""Forms of the commands that jobs run, and requests made with them, checked.

Forms are made from the settings models of the command line.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError

from evolve.agents.registry import programs_in
from evolve.config.base import Face, FormField, Settings, form_of_model, named_in, option_words
from evolve.config.evolution import FIRST
from evolve.config.matches import CONTESTS
from evolve.config.toml import merged
from evolve.errors import OptionsError, SettingsError
from evolve.parsing import Fault, faults, json_value
from evolve.runs.run_type import RunType, Variant
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.study_spec import StudySpec, bare, grid_line, study_spec_of
from evolve.service.agents import Agents
from evolve.service.responses import Given, faulty

KIND: Final = "kind"
"""The setting that names the second word of a command."""
_OF_TARGET: Final = ("fix", "space")
"""Settings of a sweep that hold settings of what it tunes, by their names."""


class CommandInfo(BaseModel):
    """A form: what a command takes, and its presets."""

    command: str = Field(description="such as `run` or `train patterns`")
    about: str
    needs: str | None = Field(description="what is missing here for it")
    groups: list[str]
    fields: list[FormField]
    presets: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Form:
    """A command: its words, settings model and presets, and the kind of run that it makes."""

    command: str
    about: str
    model: type[Settings]
    presets: Mapping[str, Mapping[str, Any]]
    kind: RunType | None = None
    variant: Variant | None = None

    @property
    def first(self) -> str:
        return self.command.partition(" ")[0]

    @property
    def second(self) -> str:
        """The second word; empty where there is none."""
        return self.command.partition(" ")[2]

    @property
    def own(self) -> dict[str, str]:
        """The setting for the second word, where the settings have one."""
        return {KIND: self.second} if KIND in self.model.model_fields else {}

    def needs(self, programs: Collection[str]) -> str | None:
        """What is missing here for it; None for nothing. programs: those that may be tuned."""
        if self.variant is not None and self.variant.learns and not has_torch():
            return "PyTorch"
        if self.variant is not None and self.variant.runs and not programs:
            return "a program"
        return None

    def info(self, programs: Collection[str]) -> CommandInfo:
        """The form as clients get it; see `needs`."""
        required = [name for name, field in self.model.model_fields.items() if field.is_required()]
        unused = () if self.variant is None else self.variant.unused
        fields = [
            replace(
                field,
                type="choice" if field.type == "place" else field.type,
                # A service takes no files.
                help=field.help.replace("`", "").partition(", or a file")[0],
                group=FIRST if field.name in required else field.group or FIRST,
                default=json_value(field.default),
            )
            for field in form_of_model(self.model)
            # A field that can only name a place has no choices, and clients must not set it; the
            # `threads` of a job replace `jobs`.
            if field.name not in (KIND, "jobs", *self.model.OF_OWNER, *unused)
            and (field.type != "place" or field.choices)
        ]
        fields.sort(key=lambda field: field.name not in required)
        return CommandInfo(
            command=self.command,
            about=self.about,
            needs=self.needs(programs),
            groups=list(dict.fromkeys(field.group or FIRST for field in fields)),
            fields=fields,
            presets={name: json_value(values) for name, values in self.presets.items()},
        )

    def checked(self, settings: Mapping[str, Any], face: Face) -> tuple[dict[str, Any], Any]:
        """The given settings, with what the face makes of names, and the model of all settings.

        Raises ProblemError, which names all faults.
        """
        wrong = [
            Fault((name, key), f"{name}.{key}: {why}")
            for name in _OF_TARGET
            if name not in self.model.OF_OWNER
            if self.own and isinstance(inside := settings.get(name), Mapping)
            for key, value in inside.items()
            if (why := self._why_not(f"{name}.{key}", value)) is not None
        ]
        fields, found = self.model.model_fields, None
        try:
            values = merged(self.presets, {**settings, **self.own}, {})
            found = self.model.model_validate(values, context=face)
        except ValidationError as error:
            for fault in faults(error):
                # Contradictions have no place, but their text begins with the field to change.
                head = fault.text.partition(":")[0]
                wrong.append(fault._replace(keys=fault.keys or (head,) * (head in fields)))
        if found is None or wrong:
            raise faulty(wrong, "settings")
        names = {name for name, field in fields.items() if named_in(field)}
        named = found.model_dump(mode="json", include=names)
        given = {key: named.get(key, value) for key, value in settings.items() if value is not None}
        return given, found

    def _why_not(self, key: str, values: Any) -> str | None:
        """Why no client may set a field, or FIELD.KEY in one, which no type checks; else None."""
        field, _, inner = key.partition(".")
        # The whole of either may name agents and places, which stand under keys of their own.
        whole = self.own and field in _OF_TARGET and not inner
        named = named_in(self.model.model_fields.get(field)) or inner in _naming_fields()
        if whole or named or field in self.model.OF_OWNER:
            return "no service takes it"
        return "no service takes programs there" if programs_in({key: values}) else None

    def words(
        self,
        settings: Mapping[str, Any],
        seeds: str | None = None,
        grid: Mapping[str, list[Any]] | None = None,
    ) -> list[str]:
        """The words after `evolve` that give these settings, of a study with seeds or a grid."""
        values = dict(settings)
        study: list[str] = []
        if seeds is not None or grid:
            first = str(values.pop("seed", 0))
            study = ["--seeds", seeds or first]
            for name, choices in (grid or {}).items():
                study += ["--grid", grid_line(name, choices)]
        agents: list[str] = []
        for name in ("a", "b", "agents") if self.kind is None else ("program",):
            ids = values.pop(name, [])
            agents += [ids] if isinstance(ids, str) else ids
        return [*self.command.split(), *agents, *option_words(values, self.model), *study]

    def design(
        self, settings: Mapping[str, Any], seeds: str | None, grid: Mapping[str, list[Any]]
    ) -> StudySpec:
        """The study of the command with checked settings; ProblemError where there is none."""
        wrong = []
        for key, choices in grid.items():
            why = self._why_not(key, choices)
            try:
                if None in choices:
                    raise OptionsError("a value is missing")
                if choices:
                    grid_line(key, choices)
            except OptionsError as error:
                why = why or str(error)
            if why is not None:
                wrong.append(Fault(("grid", key), f"grid.{key}: {why}"))
        if self.kind is None:
            wrong.append(Fault(("seeds",), f"seeds: there are no studies of {self.command}"))
        if wrong:
            raise faulty(wrong)
        base = {name: value for name, value in settings.items() if name != "seed"}
        first = str(settings.get("seed", 0))
        values = {"command": self.command, "grid": grid, "settings": bare(base)}
        try:
            design = study_spec_of({**values, "seeds": seeds or first}, "the study")
            design.checked()
        except SettingsError as error:
            detail = str(error).removeprefix("the study: ")
            field = "seeds" if detail.startswith("seeds") else "grid"
            raise faulty([Fault((field,), detail)]) from error
        return design


def has_torch() -> bool:
    """Whether networks can be trained here."""
    return importlib.util.find_spec("torch") is not None


@cache
def forms() -> Mapping[str, Form]:
    """All forms, by command."""
    by_command: dict[str, Form] = {}
    for kind in RUN_TYPES:
        for command, variant in kind.commands.items():
            about, presets = variant.about or kind.about, variant.all_presets()
            by_command[command] = Form(command, about, variant.model(), presets, kind, variant)
    for name, contest in CONTESTS.items():
        by_command[name] = Form(name, contest.ABOUT, contest, {})
    return by_command


def form_of(command: str, settings: Mapping[str, Any]) -> tuple[Form, dict[str, Any]]:
    """The form of a command, and its other settings.

    The second word of the command may be among the settings as `kind`. Raises ProblemError where
    there is no such command.
    """
    rest = dict(settings)
    first, _, second = command.partition(" ")
    word = rest.pop(KIND, second)
    form = forms().get(f"{first} {word}".rstrip()) if word == second or not second else None
    if form is None:
        words = ", ".join(form.second for form in forms().values() if form.first == first)
        what = f"it must be {words}" if words else "there is no such setting"
        raise faulty([Fault((KIND,), f"kind: {what}")], "settings")
    return form, rest


class Design(Given):
    """The settings of a run; of a study where `seeds` or `grid` are given."""

    settings: dict[str, Any] = Field(default={}, description="see GET /commands")
    seeds: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="a run for each of these: 0-9 or 1,4,7-9",
    )
    grid: dict[str, list[Any]] = Field(
        default={}, description="a run for each of these values of a setting, in all combinations"
    )


@dataclass(frozen=True)
class Asked:
    """A request for work, checked.

    settings: those given, with agents by their names on the command line. names: ids of the agents,
    keyed by these names. resolved: the model of all settings. study: its design, if it is one.
    words: the command line, after `evolve`.
    """

    form: Form
    settings: dict[str, Any]
    names: dict[str, str]
    resolved: Any
    study: StudySpec | None
    words: list[str]


def asked(
    agents: Agents,
    command: str,
    settings: Mapping[str, Any],
    seeds: str | None,
    grid: Mapping[str, list[Any]],
) -> Asked:
    """A client's request, checked; ProblemError, which names all faults, where it is wrong."""
    form, rest = form_of(command, settings)
    names: dict[str, str] = {}
    given, resolved = form.checked(rest, agents.face(names))
    study = None
    if seeds is not None or grid:
        study = form.design(given, seeds, grid)
    words = form.words(given, seeds, grid)
    return Asked(form, given, names, resolved, study, words)


@cache
def _naming_fields() -> frozenset[str]:
    """Fields of any command that name agents or places: what a sweep tunes may have them."""
    return frozenset(
        name
        for form in forms().values()
        for name, field in form.model.model_fields.items()
        if named_in(field)
    )
