"""Settings models: their base, the types of what names something, and their fields as forms.

Options and the page's forms are made from the fields of a model. Annotations say what texts name,
see `Named`. `json_schema_extra` has the `choices` of a field, and as `lists` how a command line
gives a list: with the text between its values, a comma by default; or `repeated`, an option for
each.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, Union, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo

from evolve.config.ranges import range_text
from evolve.parsing import everything_in

MANY: Final = 10**9
"""The bound of counts and times that have no other, so that computing with them never overflows."""
Count = Annotated[int, Field(ge=1, le=MANY)]
Openings = Annotated[int, Field(ge=2, le=10_000)]
"""So many openings are drawn and kept in memory."""


@dataclass(frozen=True)
class Named:
    """Stands in an annotation beside `str`: what such a text names.

    what: an agent, an earlier sweep, or a place outside the run, which is a file, a URL or a name
    elsewhere. words: texts that name none of them. Where settings are validated with a `Face` as
    context, each other text is what the face makes of it; without one, texts stay as they are.
    """

    what: Literal["agent", "sweep", "place"]
    words: tuple[str, ...] = ()

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return AfterValidator(self._taken).__get_pydantic_core_schema__(source, handler)

    def _taken(self, text: str, info: ValidationInfo) -> str:
        face: Face | None = info.context
        return text if face is None or text in self.words else face(self, text)


Face = Callable[[Named, str], str]
"""Takes a text of a client that names something; returns its name here, or raises ValueError."""
Agent = Annotated[str, Named("agent")]


class Settings(BaseModel):
    """A frozen model; an unknown field is an error, and so is a number that is not finite."""

    GROUPS: ClassVar[Mapping[str, str]] = {}
    """The groups of options: the first field of each group, and its heading."""
    OF_OWNER: ClassVar[tuple[str, ...]] = ()
    """Fields that no client of a service may set: its owner decides them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)

    @field_validator("*", mode="before")
    @classmethod
    def _may_be_given(cls, value: Any, info: ValidationInfo) -> Any:
        name = str(info.field_name)
        if info.context is not None and name in cls.OF_OWNER and value is not None:
            raise ValueError("no service takes it")
        number = plain_type(cls.model_fields[name].annotation) in (int, float)
        if number and isinstance(value, bool):  # pydantic takes true for 1
            raise ValueError("it must be a number")
        return value


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


def named_in(field: FieldInfo | None) -> Named | None:
    """What a field names, or the texts in it; None for nothing."""
    parts = [] if field is None else [*field.metadata, field.annotation]
    for part in parts:  # grows: what an annotation holds, which may be another one
        parts += get_args(part)
    return next((part for part in parts if isinstance(part, Named)), None)


def _taken(field: FieldInfo) -> tuple[_FieldType, Mapping[str, str] | None]:
    kind, named = plain_type(field.annotation), named_in(field)
    origin, choices = get_origin(kind), _extra(field).get("choices")
    if origin is Literal:
        choices = dict.fromkeys(map(str, get_args(kind)), "")
    if choices:
        return "choice", choices
    if named and named.what == "place":
        return "place", dict.fromkeys(named.words, "")
    if origin is dict:
        return "mapping", None
    if origin is tuple:
        return "agents" if named else "list", None
    return "agent" if named and named.what == "agent" else _TYPES.get(kind, "text"), None


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
