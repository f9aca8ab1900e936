"""The base of all settings models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from evolve.engine.board.rules import DEFAULT_RULES, RULES_HELP, Rules
from evolve.parsing import everything_in


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
            if any(_is_half(one) for one in (name, *everything_in(value))):
                raise ValueError(f"{ascii(name)[1:-1]}: a text in it has half a character")
        return values


class RowSettings(Settings):
    """Settings of a run that makes one row of a table after the other.

    A subclass adds the number of rows, under the name of the table.
    """

    rules: Rules = Field(DEFAULT_RULES, description=RULES_HELP)
    seed: int = Field(0, ge=0, description="seed of all that is drawn")


def _is_half(value: Any) -> bool:
    if not isinstance(value, str) or value.isascii():
        return False
    try:
        value.encode("utf-8", "surrogateescape")  # file names that are not text have such halves
    except UnicodeEncodeError:
        return True
    return False


def _finite(value: Any) -> Any:
    for one in everything_in(value):
        if isinstance(one, float) and not math.isfinite(one):
            raise ValueError(f"{one} is not a finite number")
    return value


Anything = Annotated[Any, AfterValidator(_finite)]
"""For a field whose values are validated later, where they are used; they must be finite too."""
