"""The base of all settings models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator


def split_list(value: Any) -> Any:
    """Return the parts of a text A,B,…; any other value stays as it is."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def split_phrases(value: Any) -> Any:
    """Return the parts of a text in the same way, with single blanks between the words of each."""
    if isinstance(value, str):
        return tuple(" ".join(part.split()) for part in split_list(value))
    return value


class Settings(BaseModel):
    """A frozen model; an unknown field is an error.

    A number that is not finite is an error, and so is half a character (a lone surrogate). Infinity
    and NaN pass most bounds or none, and break code that counts, sorts or writes them; half a
    character breaks code that prints it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _characters_are_whole(cls, values: Any) -> Any:
        for name, value in values.items() if isinstance(values, Mapping) else ():
            if any(_is_half(one) for one in (name, *_inside(value))):
                raise ValueError(f"{ascii(name)[1:-1]}: a text in it has half a character")
        return values


def _is_half(value: Any) -> bool:
    if not isinstance(value, str) or value.isascii():
        return False
    try:
        value.encode("utf-8", "surrogateescape")  # file names that are not text have such halves
    except UnicodeEncodeError:
        return True
    return False


def _inside(value: Any) -> Iterator[Any]:
    """The value and everything inside it."""
    yield value
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield key
            yield from _inside(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _inside(one)


def _finite(value: Any) -> Any:
    for one in _inside(value):
        if isinstance(one, float) and not math.isfinite(one):
            raise ValueError(f"{one} is not a finite number")
    return value


Anything = Annotated[Any, AfterValidator(_finite)]
"""For a field whose values are validated later, where they are used; they must be finite too."""
