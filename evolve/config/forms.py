"""What a field of a settings model takes, for whoever makes options or forms of it."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel


def group_of(model: type[BaseModel], name: str) -> str | None:
    """The head of a field's group: the last one that begins at or before the field."""
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
    """Whether it takes keys with values."""
    return get_origin(plain_type(annotation)) is dict
