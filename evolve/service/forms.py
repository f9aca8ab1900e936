"""Forms of the commands that jobs run, made from the settings models of the command line."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from evolve.config.agent_fields import Place, names_of, with_agents
from evolve.config.defaults import default_rules, rules_of_defaults
from evolve.config.evolution import FIRST
from evolve.config.forms import FormField, form_of_model, option_words
from evolve.config.matches import CONTESTS
from evolve.config.toml import merged, resolve_as
from evolve.parsing import Fault, faults, json_value
from evolve.runs.run_type import RunType, Variant
from evolve.runs.run_types import RUN_TYPES
from evolve.service.models.meta import CommandInfo, FieldInfo
from evolve.service.problems import ProblemError, wrong_settings

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
            _shown(field)
            for field in form_of_model(self.model)
            # A field that can only name a place has no choices, and clients must not set it.
            if field.name not in (KIND, JOBS) and (field.type != "place" or field.choices)
        ]
        if self.kind is None:  # the agents come first
            fields.sort(key=lambda field: field.type not in ("agent", "agents"))
        return CommandInfo(
            command=self.command,
            about=self.about,
            available=self.available,
            groups=list(dict.fromkeys(field.group for field in fields)),
            fields=fields,
            presets={name: json_value(values) for name, values in self.presets.items()},
        )

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
        for field in form_of_model(self.model):
            name, value, words = field.name, settings.get(field.name), [*(field.choices or ())]
            # pydantic takes true for 1, and the command line would get `--seed True`.
            if field.type in ("int", "float") and isinstance(value, bool):
                wrong.append(Fault((name,), f"{name}: it must be a number"))
            if field.type == "place" and value is not None and value not in words:
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
                for fault in faults(error)
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


def _shown(field: FormField) -> FieldInfo:
    """A field as clients get it."""
    place, default, text = field.type == "place", field.default, field.help.replace("`", "")
    if field.name == "rules" and default is not None:
        default = default_rules() or default
    return FieldInfo(
        name=field.name,
        type="choice" if place else field.type,  # type: ignore[arg-type]
        help=text.partition(", or a file")[0] if place else text,  # a service takes no files
        group=field.group or FIRST,
        default=json_value(default),
        choices=None if field.choices is None else dict(field.choices),
        least=field.least,
        most=field.most,
    )
