"""Forms of the commands that jobs run, made from the settings models of the command line."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from pydantic import BaseModel, ValidationError

from evolve.agents.registry import programs_in
from evolve.config.base import FormField, form_of_model, names_of, option_words, with_agents
from evolve.config.base import SettingPath as Where
from evolve.config.evolution import FIRST
from evolve.config.matches import CONTESTS
from evolve.config.toml import merged, resolve_as
from evolve.errors import OptionsError, SettingsError
from evolve.parsing import Fault, faults, json_value
from evolve.runs.run_type import RunType, Variant
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.study_spec import StudySpec, bare, grid_line, study_spec_of
from evolve.service.models.meta import CommandInfo
from evolve.service.responses import ProblemError, faulty

KIND: Final = "kind"
"""The setting that names the second word of a command."""
JOBS: Final = "jobs"
"""The setting that the `threads` of a job replace, in all commands."""
_OF_TARGET: Final = ("fix", "space")
"""Settings of a sweep that hold settings of what it tunes, by their names."""


@dataclass(frozen=True)
class Form:
    """A command: its words, settings model and presets, and the kind of run that it makes."""

    command: str
    about: str
    model: type[BaseModel]
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
            _shown(field, first=field.name in required)
            for field in form_of_model(self.model)
            # A field that can only name a place has no choices, and clients must not set it.
            if field.name not in (KIND, JOBS, *self._own_to_owner, *unused)
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

    def checked(
        self, settings: Mapping[str, Any], source_of: Callable[[Where, str], str]
    ) -> dict[str, Any]:
        """The given settings, checked, with the sources of agents in place of ids.

        `source_of` raises ProblemError for an unknown agent. Raises ProblemError, which names all
        faults.
        """
        wrong: list[Fault] = []
        if KIND in settings and self.second:  # `form_of` removes a right one
            wrong.append(Fault((KIND,), f"kind: it must be {self.second}"))
            settings = {name: value for name, value in settings.items() if name != KIND}
        for field in form_of_model(self.model):
            name, value, words = field.name, settings.get(field.name), [*(field.choices or ())]
            # pydantic takes true for 1, and the command line would get `--seed True`.
            if field.type in ("int", "float") and isinstance(value, bool):
                wrong.append(Fault((name,), f"{name}: it must be a number"))
            if name in self._own_to_owner and value is not None:
                wrong.append(Fault((name,), f"{name}: no service takes it"))
            elif field.type == "place" and value is not None and value not in words:
                detail = f"it must be {' or '.join(words)}" if words else "no service takes it"
                wrong.append(Fault((name,), f"{name}: {detail}"))

        def source(path: Where, text: str) -> str:
            try:
                return source_of(path, text)
            except ProblemError as error:
                wrong.append(Fault(path, f"{path[0]}: {error.detail}"))
                return text

        given = with_agents(self.model, settings, source)
        for name in _OF_TARGET:
            inside = settings.get(name)
            if self.own and isinstance(inside, Mapping):
                wrong += [
                    Fault((name, key), f"{name}.{key}: a service takes no agents there")
                    for key, value in inside.items()
                    if key in _naming_fields() or programs_in({key: value})
                ]
        values = {**given, **self.own}
        try:
            self.model.model_validate(merged(self.presets, values, {}))
        except ValidationError as error:
            for fault in faults(error):
                # Contradictions have no place, but their text begins with the field to change.
                head = fault.text.partition(":")[0]
                named = (head,) if head in self.model.model_fields else ()
                wrong.append(fault._replace(keys=fault.keys or named))
        if wrong:
            raise faulty(wrong, "settings")
        return {key: value for key, value in given.items() if value is not None}

    @property
    def _own_to_owner(self) -> Collection[str]:
        """Fields that say what a program is started with; the owner of the service says that."""
        return getattr(self.model, "OF_OWNER", ())

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
        base = {name: value for name, value in settings.items() if name != "seed"}
        wrong = []
        for key, choices in grid.items():
            field, _, inner = key.partition(".")
            # The whole of either may name agents and places, which stand under its own keys.
            whole = self.own and field in _OF_TARGET and not inner
            names_agents = names_of(self.model, field) is not None or inner in _naming_fields()
            if whole or names_agents or field in self._own_to_owner:
                wrong.append(Fault(("grid", key), f"grid.{key}: no service takes it"))
            elif programs_in({key: choices}):
                wrong.append(Fault(("grid", key), f"grid.{key}: no service takes programs there"))
            elif None in choices:
                wrong.append(Fault(("grid", key), f"grid.{key}: a value is missing"))
            elif choices:
                try:
                    grid_line(key, choices)
                except OptionsError as error:
                    wrong.append(Fault(("grid", key), f"grid.{key}: {error}"))
        if self.kind is None:
            wrong.append(Fault(("seeds",), f"seeds: there are no studies of {self.command}"))
        if wrong:
            raise faulty(wrong)
        first = str(settings.get("seed", 0))
        values = {"command": self.command, "grid": grid, "settings": bare(base)}
        try:
            design = study_spec_of({**values, "seeds": seeds or first}, "the study")
            design.check()
        except SettingsError as error:
            detail = str(error).removeprefix("the study: ")
            field = "seeds" if detail.startswith("seeds") else "grid"
            raise faulty([Fault((field,), detail)]) from error
        return design

    def stem(self, settings: Mapping[str, Any]) -> str:
        """The folder name of a run with these settings, without its number."""
        assert self.kind is not None
        resolved: Any = resolve_as(self.model, self.presets, {**settings, **self.own})
        return self.kind.stem_of(self.command, resolved.rules)


def has_torch() -> bool:
    """Whether networks can be trained here."""
    return importlib.util.find_spec("torch") is not None


def forms() -> dict[str, Form]:
    """All forms, by command."""
    by_command: dict[str, Form] = {}
    for kind in RUN_TYPES:
        for word, variant in kind.variants.items():
            command, model = kind.command(word), variant.model()
            about = variant.about or kind.about
            by_command[command] = Form(command, about, model, variant.all_presets(), kind, variant)
    for name, contest in CONTESTS.items():
        by_command[name] = Form(name, contest.about, contest.model, {})
    return by_command


def form_of(command: str, settings: Mapping[str, Any]) -> tuple[Form, dict[str, Any]]:
    """The form of a command, and its other settings.

    The second word of the command may be among the settings as `kind`. Raises ProblemError where
    there is no such command.
    """
    rest = dict(settings)
    by_command = forms()
    if command not in by_command:
        word = rest.pop(KIND, None)
        words = [form.second for form in by_command.values() if form.first == command]
        if word not in words:
            what = f"kind: it must be {', '.join(words)}"
            raise faulty([Fault((KIND,), what)], "settings")
        command = f"{command} {word}"
    elif KIND in rest and rest[KIND] == by_command[command].second:
        del rest[KIND]
    return by_command[command], rest


def _naming_fields() -> set[str]:
    """Fields of any command that name agents or places."""
    return {
        name
        for form in forms().values()
        for name in form.model.model_fields
        if names_of(form.model, name) is not None
    }


def _shown(field: FormField, *, first: bool) -> FormField:
    """A field as clients get it; first: whether it stands in the first group."""
    names_path, text = field.type == "place", field.help.replace("`", "")
    return replace(
        field,
        type="choice" if names_path else field.type,
        help=text.partition(", or a file")[0] if names_path else text,  # a service takes no files
        group=FIRST if first else field.group or FIRST,
        default=json_value(field.default),
    )


def shown_settings(
    command: str, config: Mapping[str, Any], id_of: Callable[[str], str]
) -> dict[str, Any]:
    """Settings of a run as JSON, with the ids of agents.

    Without those that are private: storages have passwords.
    """
    model = form_of(command, {})[0].model
    shown = {key: value for key, value in config.items() if key not in ("storage", "study")}
    named = with_agents(model, shown, lambda _, name: id_of(name))
    return cast("dict[str, Any]", json_value(named))
