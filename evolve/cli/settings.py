"""Options made from a settings model, group by group, and the files of --config."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

import click
from pydantic import BaseModel

from evolve.cli.options import complete_agents, input_path, together
from evolve.config.base import FormField, form_of_model
from evolve.config.evolution import FIRST
from evolve.config.toml import read_toml, resolve_as
from evolve.parsing import split_pair

_C = TypeVar("_C", bound=Callable[..., Any])
_M = TypeVar("_M", bound=BaseModel)


class GroupedOption(click.Option):
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


def model_options(
    model: type[BaseModel], *but: str, defaults: Mapping[str, Any] = MappingProxyType({})
) -> Callable[[_C], _C]:
    """Add a click option for every field of a settings model, except those in `but`.

    An option that is not given is None, so that presets and files take effect. A mapping field is
    given as KEY=VALUE, and may be repeated. defaults: to show, where they are not the model's.
    """

    fields = (field for field in form_of_model(model) if field.name not in but)
    shown = (replace(field, default=defaults.get(field.name, field.default)) for field in fields)
    return together(*map(_option_of, shown))


def given_options(model: type[BaseModel], values: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, of those that `model_options` made."""
    given: dict[str, Any] = {}
    for field in form_of_model(model):
        value = values.get(field.name)
        if value is None or value == ():
            continue
        if field.type == "mapping":
            form = f"KEY=VALUE, such as --{field.name} {_EXAMPLES.get(field.name, 'x=1')}"
            value = dict(split_pair(field.name, pair, form, last=True) for pair in value)
        given[field.name] = value
    return given


def _option_of(field: FormField) -> Callable[[_C], _C]:
    option, default, text = field.name.replace("_", "-"), field.default, field.help
    shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
    facts = []
    if shown not in (None, "") and field.type != "mapping":
        facts.append(f"default: {shown}")
    if field.most is not None and field.most < 1e8:  # greater ones are more than anyone asks for
        facts.append(f"{field.least or 0:.9g} to {field.most:.9g}")
    elif field.least:
        facts.append(f"at least {field.least:.9g}")
    if facts:
        text += f"  [{'; '.join(facts)}]"
    words, how = f"--{option}", dict[str, Any]()
    match field.type, field.lists:
        case "choice", _:
            choices = field.choices or {}
            lines = {choice: about for choice, about in choices.items() if about}
            how = {"type": click.Choice([*choices]), "lines": lines}
        case "mapping", _:
            how = {"multiple": True, "metavar": "KEY=VALUE"}
        case "bool", _:
            words, how = f"--{option}/--no-{option}", {"default": None}
        case "int" | "float", _:
            how = {"type": int if field.type == "int" else float}
        case "list" | "agents", ",":
            how = {"metavar": "A,B,…"}
        case _, lists:
            how = {"multiple": lists == "repeated", "metavar": "TEXT"}
            if field.type in ("agent", "agents"):
                how["shell_complete"] = complete_agents
    return click.option(words, cls=GroupedOption, group=field.group, help=text, **how)


_EXAMPLES: Final = {"bounds": "depths=2:6", "fix": "depths=4", "opponents": "self=0.7"}


config_option = click.option(
    "--config",
    metavar="FILE.toml",
    callback=input_path,
    help="Settings; options given here override them.",
)


def file_settings(config: str | None) -> dict[str, Any]:
    """The settings of --config, which options override."""
    return {} if config is None else read_toml(Path(config))


def settings_of(model: type[_M], options: dict[str, Any], config: str | None) -> _M:
    """The settings of games between agents: those of --config, overridden by options."""
    given = given_options(model, options)
    return resolve_as(model, {}, given, file_settings(config), config or "file")
