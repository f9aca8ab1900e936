"""Values as the command line gives them, layers of settings, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evolve.errors import OptionsError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

_RANGE: Final = re.compile(r"\s*[+-]?[0-9]{1,18}\s*:\s*[+-]?[0-9]{1,18}\s*")


def split_list(value: Any) -> Any:
    """The parts of a text A,B,… with single spaces inside; any other value stays as it is."""
    if isinstance(value, str):
        return tuple(" ".join(part.split()) for part in value.split(",") if part.strip())
    return value


def split_integers(value: Any) -> Any:
    """The same for whole numbers, of which one may stand alone."""
    if isinstance(value, str):
        parts = split_list(value)
        return tuple(int(part) if part.lstrip("+-").isdigit() else part for part in parts)
    return (value,) if isinstance(value, int) else value


def split_range(value: Any) -> Any:
    """Two whole numbers LOW:HIGH; any other value than a text stays as it is."""
    if not isinstance(value, str):
        return value
    if not _RANGE.fullmatch(value):
        raise ValueError("a range is two whole numbers, LOW:HIGH, such as depths=2:6")
    return tuple(map(int, value.split(":")))


def split_shares(value: Any) -> Any:
    """A mapping from NAME=SHARE,…; any other value than a text stays as it is."""
    if isinstance(value, str):
        return dict(part.rpartition("=")[::2] for part in value.split(","))
    return value


def split_pair(option: str, text: str, form: str, *, last: bool = False) -> tuple[str, str]:
    """The key and the value that an option of the `form` KEY=VALUE gives.

    last: whether the key may contain an equals sign, as `swh?depth=3=0.5`. Raises OptionsError.
    """
    key, equals, value = text.rpartition("=") if last else text.partition("=")
    if not equals or not key.strip():
        raise OptionsError(f"--{option} takes {form}, not {text!r}")
    return key.strip(), value.strip()


def are_boundaries(discs: Sequence[int]) -> bool:
    """Whether the disc counts ascend from 5 to 64, as boundaries of phases must."""
    return all(4 < one <= 64 for one in discs) and all(a < b for a, b in pairwise(discs))


def laid_over(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Settings where later layers override earlier ones; tables in them are merged key by key."""
    found: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            known = found.get(key)
            if isinstance(known, Mapping) and isinstance(value, Mapping):
                value = {**known, **value}
            found[key] = value
    return found


_LONGEST: Final = 200
"""Most characters of a wrong value that a message shows."""


class Fault(NamedTuple):
    """A fault in settings: its place, as keys, the outermost first, and a message."""

    place: tuple[str | int, ...]
    text: str


def faults(error: ValidationError, helped: type[BaseModel] | None = None) -> list[Fault]:
    """All faults in values; `helped` is a model whose fields' descriptions are added."""
    return [Fault(tuple(detail["loc"]), _text(detail, helped)) for detail in error.errors()]


def plain_words(detail: Any) -> str:
    """One of pydantic's errors in plain words."""
    context = detail.get("ctx", {})
    if detail["type"] == "too_short":
        return f"it must have {context['min_length']} or more, not {context['actual_length']}"
    if detail["type"] == "too_long":
        return f"it must have {context['max_length']} at most, not {context['actual_length']}"
    message = str(detail["msg"]).removeprefix("Value error, ")
    said = _PLAIN.get(detail["type"], f"{message[0].lower()}{message[1:]}")
    return said.replace("input should be", "it must be")


def _text(detail: Any, helped: type[BaseModel] | None) -> str:
    """A message about a wrong field, with the field's description in the model `helped`."""
    place = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return f"{place}: there is no such setting"
    message = str(detail["msg"]).removeprefix("Value error, ")
    if not place:
        return message
    if detail["type"] == "missing":
        return f"{place}: {_PLAIN['missing']}"
    value = repr(detail["input"])
    value = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
    said = f"{place} = {value}: {plain_words(detail)}"
    field = None if helped is None else helped.model_fields.get(str(detail["loc"][0]))
    if detail["type"] == "value_error" or field is None or not field.description:
        return said
    return f"{said} ({field.description})"


_PLAIN: Final = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "it must be a whole number"),
    **dict.fromkeys(("float_parsing", "float_type"), "it must be a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "it must be true or false"),
    "missing": "it must be given",
    "tuple_type": "it must be a list",
}
"""Plain messages by pydantic's error type."""
