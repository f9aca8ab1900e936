"""Settings models: their base, their fields as forms, and the fields that name agents.

Options and the page's forms are made from the fields of a model. A field that names agents, or a
place outside its run, says so in its `json_schema_extra`: `names` is `agent` (a text), `agents` (a
list), `shares` (the keys of a mapping) or `place` (a file, a URL or a name elsewhere); `words` are
texts that name neither an agent nor a place. `lists` says how a command line gives a list: with the
text between its values, a comma by default; as `words`, or `repeated`, an option for each.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, Self, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from evolve.config.ranges import range_text
from evolve.parsing import everything_in, split_list

MANY: Final = 10**9
"""The bound of counts and times that have no other, so that computing with them never overflows."""
Count = Annotated[int, Field(ge=1, le=MANY)]
Openings = Annotated[int, Field(ge=2, le=10_000)]
"""So many openings are drawn and kept in memory."""


class Settings(BaseModel):
    """A frozen model; an unknown field is an error, and so is a number that is not finite."""

    GROUPS: ClassVar[Mapping[str, str]] = {}
    """The groups of options: the first field of each group, and its heading."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)

    def completed(self, folder: Path, jobs: int, before: Self | None = None) -> Self:
        """The settings with what only the start of a run decides; before: those that it had."""
        return self


def demand(*rules: tuple[object, str]) -> None:
    """Raise ValueError with the text of each rule that does not hold."""
    faults = [text for holds, text in rules if not holds]
    if faults:
        raise ValueError("; ".join(faults))


def _finite(value: Any) -> Any:
    for number in everything_in(value):
        if isinstance(number, float) and not math.isfinite(number):
            raise ValueError(f"{number} is not a finite number")
    return value


Anything = Annotated[Any, AfterValidator(_finite)]
"""For a field whose values are validated later, where they are used; they must be finite too."""

SettingPath = tuple[str | int, ...]
"""Position of a text in the settings: its keys, the outermost first."""


def names_of(model: type[BaseModel], field: str) -> Any:
    """What a field names; None where it names nothing or there is no such field."""
    return _extra(model.model_fields.get(field)).get("names")


def with_agents(
    model: type[BaseModel], values: Mapping[str, Any], change: Callable[[SettingPath, str], str]
) -> dict[str, Any]:
    """Return the values, with each agent in them replaced by what `change` returns for it.

    Values with another form than their field takes stay as they are: validation reports them.
    """
    changed = dict(values)
    for field, value in values.items():
        extra = _extra(model.model_fields.get(field))
        names, words = extra.get("names"), extra.get("words", ())

        def changed_text(path: SettingPath, text: Any, words: Any = words) -> Any:
            return change(path, text) if isinstance(text, str) and text not in words else text

        if names == "agent":
            changed[field] = changed_text((field,), value)
        elif names == "agents":
            listed = split_list(value)
            if isinstance(listed, list | tuple):
                changed[field] = [changed_text((field, n), text) for n, text in enumerate(listed)]
        elif names == "shares" and isinstance(value, Mapping):
            changed[field] = {changed_text((field, key), key): n for key, n in value.items()}
        elif names == "shares":
            changed[field] = {}
    return changed


def _extra(field: FieldInfo | None) -> Mapping[str, Any]:
    extra = None if field is None else field.json_schema_extra
    return extra if isinstance(extra, dict) else {}


_FieldType = Literal[
    "int", "float", "bool", "text", "list", "mapping", "choice", "agent", "agents", "place"
]


@dataclass(frozen=True)
class FormField:
    """A field of a form, and what it takes.

    group: the heading that it stands under; None before the first. choices: each with what it
    means. least, most: the bounds of a number. lists: how a list is written, see above.
    """

    name: str
    type: _FieldType
    help: str
    group: str | None
    default: Any
    choices: Mapping[str, str] | None
    least: float | None
    most: float | None
    lists: str


def form_of_model(model: type[BaseModel]) -> Iterator[FormField]:
    """The fields of a settings model, in its order."""
    heads: Mapping[str, str] = getattr(model, "GROUPS", {})
    group = None
    for name, field in model.model_fields.items():
        group = heads.get(name, group)
        kind, choices = _taken(field)
        limits = {type(limit).__name__: limit for limit in field.metadata}
        yield FormField(
            name=name,
            type=kind,
            help=field.description or "",
            group=group,
            default=None if field.is_required() else field.get_default(call_default_factory=True),
            choices=choices,
            least=getattr(limits.get("Ge"), "ge", getattr(limits.get("Gt"), "gt", None)),
            most=getattr(limits.get("Le"), "le", getattr(limits.get("Lt"), "lt", None)),
            lists=_extra(field).get("lists", ","),
        )


def _taken(field: FieldInfo) -> tuple[_FieldType, Mapping[str, str] | None]:
    """What a field takes, and its choices, if it has any."""
    extra = _extra(field)
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


_TYPES: Final[Mapping[Any, _FieldType]] = {bool: "bool", int: "int", float: "float"}


def plain_type(annotation: Any) -> Any:
    """The type without Annotated and without None."""
    if get_origin(annotation) is Annotated:
        return plain_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return plain_type(next(part for part in get_args(annotation) if part is not type(None)))
    return annotation


def option_words(values: Mapping[str, Any], model: type[BaseModel] | None = None) -> list[str]:
    """The command-line options that give values of a model; None values are left out.

    Without a model, as changes for `resume`: each value of a list has an option of its own.
    """
    words: list[str] = []
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        field = None if model is None else model.model_fields.get(name)
        lists = "repeated" if model is None else _extra(field).get("lists", ",")
        if value is None:
            continue
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        elif isinstance(value, Mapping):
            for key, item in value.items():
                words += [option, f"{key}={_text(item, lists)}"]
        elif isinstance(value, list | tuple) and lists == "words":
            words += [option, *map(_text, value)]
        elif isinstance(value, list | tuple) and lists == "repeated":
            words += [word for item in value for word in (option, _text(item))]
        else:
            words += [option, _text(value, lists)]
    return words


def _text(value: Any, lists: str = ",") -> str:
    if isinstance(value, Mapping):
        return range_text(value)
    if isinstance(value, list | tuple):
        return lists.join(map(_text, value))
    # `:g` would change 1234567.0 to another number.
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
