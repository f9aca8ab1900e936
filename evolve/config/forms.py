"""The fields of a settings model as a form: options and the page's forms are made from it."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

FieldType = Literal[
    "int", "float", "bool", "text", "list", "mapping", "choice", "agent", "agents", "place"
]


class FormField(NamedTuple):
    """A field of a form, and what it takes.

    group: the heading that it stands under; None before the first. choices: each with what it
    means. least, most: the bounds of a number.
    """

    name: str
    type: FieldType
    help: str
    group: str | None
    default: Any
    choices: Mapping[str, str] | None
    least: float | None
    most: float | None


def form_of_model(model: type[BaseModel]) -> Iterator[FormField]:
    """The fields of a settings model, in its order."""
    heads: Mapping[str, str] = getattr(model, "GROUPS", {})
    group = None
    for name, field in model.model_fields.items():
        group = heads.get(name, group)
        kind, choices = _taken(field)
        limits = {type(one).__name__: one for one in field.metadata}
        yield FormField(
            name=name,
            type=kind,
            help=field.description or "",
            group=group,
            default=None if field.is_required() else field.get_default(call_default_factory=True),
            choices=choices,
            least=getattr(limits.get("Ge"), "ge", getattr(limits.get("Gt"), "gt", None)),
            most=getattr(limits.get("Le"), "le", getattr(limits.get("Lt"), "lt", None)),
        )


def _taken(field: FieldInfo) -> tuple[FieldType, Mapping[str, str] | None]:
    """What a field takes, and its choices, if it has any; see `agent_fields` for `names`."""
    extra: Any = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    kind, names, choices = plain_type(field.annotation), extra.get("names"), extra.get("choices")
    if choices:
        return "choice", choices
    if names == "place":
        return "place", dict.fromkeys(extra.get("words", ()), "")
    if get_origin(kind) is Literal:
        return "choice", {str(choice): "" for choice in get_args(kind)}
    if names in ("agent", "agents"):
        return names, None
    if get_origin(kind) is dict:
        return "mapping", None
    if get_origin(kind) is tuple:
        return "list", None
    return _TYPES.get(kind, "text"), None


_TYPES: Final[Mapping[Any, FieldType]] = {bool: "bool", int: "int", float: "float"}


def plain_type(annotation: Any) -> Any:
    """The type without Annotated and without None."""
    if get_origin(annotation) is Annotated:
        return plain_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return plain_type(next(part for part in get_args(annotation) if part is not type(None)))
    return annotation


_TOGETHER: Final = ("sprt",)
"""Options that take several words."""


def option_words(values: Mapping[str, Any], but: Sequence[str] = ()) -> list[str]:
    """The command-line options that give these values; None values are left out."""
    words: list[str] = []
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        if value is None or name in but:
            continue
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        elif isinstance(value, Mapping):
            for key, one in value.items():
                words += [option, f"{key}={_text(one)}"]
        elif isinstance(value, list | tuple) and name in _TOGETHER:
            words += [option, *map(_text, value)]
        else:
            words += [option, _text(value)]
    return words


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    # `:g` would change 1234567.0 to another number.
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
