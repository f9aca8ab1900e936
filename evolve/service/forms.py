"""Forms of the commands that jobs run, made from the settings models of the command line."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo as ModelField

from evolve.config.defaults import default_rules, rules_of_defaults
from evolve.config.evolution import FIRST
from evolve.config.forms import (
    Place,
    choices_of,
    group_of,
    is_mapping,
    names_of,
    option_words,
    plain_type,
    with_agents,
    words_of,
)
from evolve.config.matches import CONTESTS
from evolve.config.toml import Fault, faults, merged, resolve_as
from evolve.service.models.forms import CommandInfo, FieldInfo
from evolve.service.problems import ProblemError, wrong_settings
from evolve.tables.run_type import RunType, Variant
from evolve.tables.run_types import RUN_TYPES

KIND: Final = "kind"
"""The setting that names the second word of a command."""
JOBS: Final = "jobs"
"""The setting that the `threads` of a job replace, in all commands."""


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
        """The first word."""
        return self.command.partition(" ")[0]

    @property
    def second(self) -> str:
        """The second word; empty where there is none."""
        return self.command.partition(" ")[2]

    @property
    def own(self) -> dict[str, str]:
        """The setting for the second word, where the settings have one."""
        return {KIND: self.second} if KIND in self.model.model_fields else {}

    @property
    def available(self) -> bool:
        """Whether what it needs is installed."""
        return self.variant is None or not self.variant.learns or has_torch()

    def info(self) -> CommandInfo:
        """The form as clients get it."""
        fields = [
            _field(self.model, name, field)
            for name, field in self.model.model_fields.items()
            if name not in (KIND, JOBS) and not self._hidden(name)
        ]
        if self.kind is None:  # the agents come first
            fields.sort(key=lambda field: field.type not in ("agent", "agents"))
        return CommandInfo(
            command=self.command,
            about=self.about,
            available=self.available,
            groups=list(dict.fromkeys(field.group for field in fields)),
            fields=fields,
            presets={name: _json(values) for name, values in self.presets.items()},
        )

    def _hidden(self, name: str) -> bool:
        """Whether clients must not set it: it can only name a place."""
        return names_of(self.model, name) == "place" and not words_of(self.model, name)

    def checked(
        self, settings: Mapping[str, Any], source_of: Callable[[Place, str], str]
    ) -> dict[str, Any]:
        """The given settings, checked, with the sources of agents in place of ids.

        `source_of` raises ProblemError for an unknown agent. Raises ProblemError, which names all
        faults.
        """
        wrong: list[Fault] = []
        if KIND in settings and self.second:  # `form_of` removes a right one
            wrong.append(Fault((KIND,), f"kind: it must be {self.second}"))
            settings = {name: value for name, value in settings.items() if name != KIND}
        for name, field in self.model.model_fields.items():
            is_number = plain_type(field.annotation) in (int, float)
            # pydantic takes true for 1, and the command line would get `--seed True`.
            if is_number and isinstance(settings.get(name), bool):
                wrong.append(Fault((name,), f"{name}: it must be a number"))
        for name, value in settings.items():
            if names_of(self.model, name) != "place" or value is None:
                continue
            words = words_of(self.model, name)
            if value not in words:
                there = f"it must be {' or '.join(words)}" if words else "no service takes it"
                wrong.append(Fault((name,), f"{name}: {there}"))

        def source(place: Place, text: str) -> str:
            try:
                return source_of(place, text)
            except ProblemError as error:
                wrong.append(Fault(place, f"{place[0]}: {error.detail}"))
                return text

        given = with_agents(self.model, settings, source)
        for name in ("fix", "space"):
            inside = settings.get(name)
            if self.own and isinstance(inside, Mapping):
                wrong += [
                    Fault((name, key), f"{name}.{key}: a service takes no agents there")
                    for key in inside
                    if key in _naming_fields()
                ]
        values = {**given, **self.own}
        below = {} if self.kind is None else rules_of_defaults()
        try:
            self.model.model_validate(merged(self.presets, values, below))
        except ValidationError as error:
            # Contradictions have no place, but their text begins with the field to change.
            wrong += [
                fault._replace(place=fault.place or self._named(fault.text))
                for fault in faults(error, self.model, helps=False)
            ]
        if wrong:
            raise wrong_settings(wrong)
        found = {key: value for key, value in given.items() if value is not None}
        # In matches and ratings, the agents' own rules come first.
        return found if self.kind is None else {**rules_of_defaults(), **found}

    def _named(self, text: str) -> Place:
        """The field that a text begins with; empty where there is none."""
        head = text.partition(":")[0]
        return (head,) if head in self.model.model_fields else ()

    def words(self, settings: Mapping[str, Any]) -> list[str]:
        """The words after `evolve` that give these settings."""
        values = dict(settings)
        agents: list[str] = []
        for name in ("a", "b", "agents") if self.kind is None else ():
            found = values.pop(name, [])
            agents += [found] if isinstance(found, str) else found
        return [*self.command.split(), *agents, *option_words(values)]

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
    found: dict[str, Form] = {}
    for kind in RUN_TYPES:
        for word, variant in kind.variants.items():
            if variant.runs:
                continue
            command, model = kind.command(word), variant.model()
            about = variant.about or kind.about
            found[command] = Form(command, about, model, variant.all_presets(), kind, variant)
    for name, contest in CONTESTS.items():
        found[name] = Form(name, contest.about, contest.model, {})
    return found


def form_of(command: str, settings: Mapping[str, Any]) -> tuple[Form, dict[str, Any]]:
    """The form of a command, and its other settings.

    The second word of the command may be among the settings as `kind`. Raises ProblemError where
    there is no such command.
    """
    rest = dict(settings)
    known = forms()
    if command not in known:
        word = rest.pop(KIND, None)
        words = [form.second for form in known.values() if form.first == command]
        if word not in words:
            what = f"kind: it must be {', '.join(words)}"
            raise wrong_settings([Fault((KIND,), what)])
        command = f"{command} {word}"
    elif KIND in rest and rest[KIND] == known[command].second:
        del rest[KIND]
    return known[command], rest


def _naming_fields() -> set[str]:
    """Fields of any command that name agents or places."""
    return {
        name
        for form in forms().values()
        for name in form.model.model_fields
        if names_of(form.model, name) is not None
    }


def _field(model: type[BaseModel], name: str, field: ModelField) -> FieldInfo:
    kind = plain_type(field.annotation)
    choices = choices_of(field)
    names = names_of(model, name)
    form: str
    if choices is not None:
        form = "choice"
    elif names == "place":
        form, choices = "choice", dict.fromkeys(words_of(model, name), "")
    elif get_origin(kind) is Literal:
        form, choices = "choice", {str(choice): "" for choice in get_args(kind)}
    elif names in ("agent", "agents"):
        form = names
    elif is_mapping(field.annotation):
        form = "mapping"
    elif get_origin(kind) is tuple:
        form = "list"
    else:
        form = {bool: "bool", int: "int", float: "float"}.get(kind, "text")
    limits = {type(one).__name__: one for one in field.metadata}
    least = getattr(limits.get("Ge"), "ge", getattr(limits.get("Gt"), "gt", None))
    most = getattr(limits.get("Le"), "le", getattr(limits.get("Lt"), "lt", None))
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if name == "rules" and default is not None:
        default = default_rules() or default
    return FieldInfo(
        name=name,
        type=form,  # type: ignore[arg-type]
        help=_without_files(field.description or "", names == "place").replace("`", ""),
        group=group_of(model, name) or FIRST,
        default=_json(default),
        choices=None if choices is None else dict(choices),
        least=least,
        most=most,
    )


def _without_files(text: str, place: bool) -> str:
    """The help of a field, without the part about files, which the service does not take."""
    return text.partition(", or a file")[0] if place else text


def _json(value: Any) -> Any:
    """The value with lists in place of tuples."""
    if isinstance(value, Mapping):
        return {key: _json(one) for key, one in value.items()}
    return [_json(one) for one in value] if isinstance(value, list | tuple) else value
