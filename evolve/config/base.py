"""What all settings models have in common."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator


class Settings(BaseModel):
    """A frozen model: what it does not know is an error, and so are a number that is not finite and
    half a character (a lone surrogate).

    Infinity and NaN pass most bounds or none, and break what counts, sorts or writes them; half a
    character breaks what prints it.
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
        value.encode("utf-8", "surrogateescape")  # names of files that are no text have such halves
    except UnicodeEncodeError:
        return True
    return False


def _inside(value: Any) -> Iterator[Any]:
    """The value, and all that is in it."""
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
"""Of a field whose values are checked later, by what they are for: finite as well."""
