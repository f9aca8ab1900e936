"""What a field of a settings model takes, for code that makes options or forms from it.

A field says in its `json_schema_extra` what its annotation does not. `choices` are texts with an
explanation each. `names` says what it names: an `agent` (a text), `agents` (a list), `shares` (the
keys of a mapping) or a `place` outside the run (a file, a URL, a name elsewhere). `words` are texts
that name neither an agent nor a place.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

Place = tuple[str | int, ...]
"""Position of a text in the settings: its keys, the outermost first."""


def group_of(model: type[BaseModel], name: str) -> str | None:
    """The heading of a field's group: the last group that begins at or before the field."""
    heads: Mapping[str, str] = getattr(model, "GROUPS", {})
    group = None
    for field in model.model_fields:
        group = heads.get(field, group)
        if field == name:
            break
    return group


def plain_type(annotation: Any) -> Any:
    """The type without Annotated and without None."""
    if get_origin(annotation) is Annotated:
        return plain_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return plain_type(next(part for part in get_args(annotation) if part is not type(None)))
    return annotation


def is_mapping(annotation: Any) -> bool:
    """Whether the type is a mapping of keys to values."""
    return get_origin(plain_type(annotation)) is dict


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


def choices_of(field: FieldInfo) -> Mapping[str, str] | None:
    """The choices of a field, each with its explanation; None where they have none."""
    found: Mapping[str, str] | None = _extra(field).get("choices")
    return found


def names_of(model: type[BaseModel], field: str) -> str | None:
    """What a field names; None where it names nothing or there is no such field."""
    found: str | None = _extra(model.model_fields.get(field)).get("names")
    return found


def words_of(model: type[BaseModel], field: str) -> tuple[str, ...]:
    """Texts in a field that name neither an agent nor a place."""
    return tuple(_extra(model.model_fields.get(field)).get("words", ()))


def with_agents(
    model: type[BaseModel], values: Mapping[str, Any], change: Callable[[Place, str], str]
) -> dict[str, Any]:
    """Return the values, with each agent in them replaced by what `change` returns for it.

    Values with another form than their field takes stay as they are: validation reports them.
    """
    changed = dict(values)
    for field, value in values.items():
        names, words = names_of(model, field), words_of(model, field)

        def one(place: Place, text: Any, words: Any = words) -> Any:
            return change(place, text) if isinstance(text, str) and text not in words else text

        if names == "agent":
            changed[field] = one((field,), value)
        elif names == "agents":
            listed = value.split(",") if isinstance(value, str) else value
            if isinstance(listed, list | tuple):
                changed[field] = [one((field, number), text) for number, text in enumerate(listed)]
        elif names == "shares" and isinstance(value, Mapping):
            changed[field] = {one((field, key), key): share for key, share in value.items()}
        elif names == "shares":
            changed[field] = {}
    return changed


def _extra(field: FieldInfo | None) -> dict[str, Any]:
    extra = None if field is None else field.json_schema_extra
    return extra if isinstance(extra, dict) else {}
