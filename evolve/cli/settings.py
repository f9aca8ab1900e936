"""Options made from a settings model, group by group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from evolve.cli.completion import complete_agents
from evolve.config.evolution import FIRST
from evolve.config.forms import choices_of, group_of, is_mapping, names_of, plain_type

C = TypeVar("C", bound=Callable[..., Any])


class Grouped(click.Option):
    """An option made from a field, with the head of its group and a line about each choice."""

    def __init__(
        self,
        *arguments: Any,
        group: str | None = None,
        lines: Mapping[str, str] | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(*arguments, **attributes)
        self.group = group
        self.lines = lines or {}


class GroupedCommand(click.Command):
    """A command of many options: its help shows them group by group.

    Options that name no group belong to the first one.
    """

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, in the order in which they first appear."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(context):
            record = parameter.get_help_record(context)
            if isinstance(parameter, click.Option) and record is not None:
                first = next(iter(groups), FIRST)
                head = getattr(parameter, "group", None) or first
                lines = getattr(parameter, "lines", {}).items()
                rows = [record, *((f"  {choice}", about) for choice, about in lines)]
                groups.setdefault(head, []).extend(rows)
        for head, records in groups.items():
            with formatter.section(head):
                formatter.write_dl(records)


def model_options(model: type[BaseModel], *but: str) -> Callable[[C], C]:
    """Add a click option for every field of a settings model, except those in `but`.

    An option that is not given is None, so that presets and files take effect. A mapping field is
    given as KEY=VALUE, and may be repeated.
    """

    def decorate(command: C) -> C:
        for name, field in reversed(model.model_fields.items()):
            if name in but:
                continue
            declaration = _declaration(name, plain_type(field.annotation))
            attributes = {**_attributes(field), "cls": Grouped, "group": group_of(model, name)}
            if names_of(model, name) == "agent":
                attributes["shell_complete"] = complete_agents
            command = click.option(*declaration, **attributes)(command)
        return command

    return decorate


def given_options(model: type[BaseModel], values: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, of those that `model_options` made."""
    given: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        value = values.get(name)
        if value is None or value == ():
            continue
        given[name] = _pairs(name, value) if is_mapping(field.annotation) else value
    return given


def _declaration(name: str, kind: Any) -> tuple[str, ...]:
    option = name.replace("_", "-")
    return (f"--{option}/--no-{option}" if kind is bool else f"--{option}",)


def _attributes(field: FieldInfo) -> dict[str, Any]:
    default = field.get_default(call_default_factory=False)
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    text = field.description or ""
    if shown not in (None, "") and field.default_factory is None:
        text += f"  [default: {shown}]"
    kind = plain_type(field.annotation)
    choices = choices_of(field)
    if choices is not None:
        return {"help": text, "type": click.Choice(list(choices)), "lines": choices}
    attributes: dict[str, Any] = {"help": text}
    if is_mapping(kind):
        return {**attributes, "multiple": True, "metavar": "KEY=VALUE"}
    if get_origin(kind) is Literal:
        return {**attributes, "type": click.Choice([str(choice) for choice in get_args(kind)])}
    if kind is bool:
        return {**attributes, "default": None}
    if kind in (int, float):
        return {**attributes, "type": kind}
    return {**attributes, "metavar": "A,B,…" if get_origin(kind) is tuple else "TEXT"}


_EXAMPLES: Final = {"bounds": "depths=2:6", "fix": "depths=4", "opponents": "self=0.7"}


def _pairs(name: str, values: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for value in values:
        key, equals, text = value.rpartition("=")  # swh?depth=3=0.5
        if not equals:
            raise click.BadOptionUsage(
                name,
                f"--{name} takes KEY=VALUE, such as --{name} {_EXAMPLES.get(name, 'x=1')}, not "
                f"{value!r}",
            )
        pairs[key.strip()] = text.strip()
    return pairs
