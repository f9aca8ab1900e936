"""What a field of a settings model takes, for code that makes options or forms from it."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic import BaseModel


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
