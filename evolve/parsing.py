"""Reads JSON and TOML that others may have written, and values of options; puts faults in words.

Whatever is wrong with a text is a ValueError of one line.
"""

from __future__ import annotations

import ast
import difflib
import functools
import json
import math
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from itertools import pairwise
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, cast

from evolve.errors import OptionsError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

_C = TypeVar("_C", bound=Callable[..., Any])
_V = TypeVar("_V")

_LARGEST: Final = 16 << 20  # most bytes of a document; ours have some thousands
_DEEPEST: Final = 64  # most levels of lists and tables inside each other; ours have five
_MOST_DIGITS: Final = 64
"""Most digits of a whole number; our largest is a random generator's state, of 128 bits."""
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_RANGE: Final = re.compile(r"\s*[+-]?[0-9]{1,18}\s*:\s*[+-]?[0-9]{1,18}\s*")
_LONGEST: Final = 200  # most characters of a wrong value that a message shows
_PLAIN: Final = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "it must be a whole number"),
    **dict.fromkeys(("float_parsing", "float_type"), "it must be a number"),
    **dict.fromkeys(("bool_parsing", "bool_type"), "it must be true or false"),
    "missing": "it must be given",
    "tuple_type": "it must be a list",
    "too_short": "it must have {min_length} or more, not {actual_length}",
    "too_long": "it must have {max_length} at most, not {actual_length}",
}
"""Plain messages by pydantic's error type, with what it says of the value."""


def read_document(path: Path) -> bytes:
    """Read a file; OSError, or ValueError if it is too large to be a document."""
    with path.open("rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"it has more than {_LARGEST >> 20} MiB")
    return data


def parse_json(data: bytes | str, strict: bool = False) -> Any:
    """Parse a JSON text; ValueError if it is not JSON.

    Lone surrogates, which JSON can hold but no file or terminal can, become question marks. strict:
    whether they are errors, as are numbers that other parsers refuse: `Infinity`, 1e400. A key that
    comes twice in an object is an error.
    """
    text = data if isinstance(data, str) else data.decode("utf-8")
    hooks: Any = {"parse_float": _finite, "parse_constant": _finite} if strict else {}
    try:
        value = json.loads(text, parse_int=_integer, object_pairs_hook=unique, **hooks)
        if _depth(value) > _DEEPEST:
            raise RecursionError
    except RecursionError as error:
        raise ValueError(f"it is nested more than {_DEEPEST} deep") from error
    if not _HALF.search(text):
        return value
    whole = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    if strict and whole != value:
        raise ValueError("it has half a character, a surrogate without its other half")
    return whole


def unique(pairs: Iterable[tuple[str, _V]]) -> dict[str, _V]:
    """A mapping of the pairs; ValueError where a key comes twice."""
    found: dict[str, _V] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key[:_LONGEST]!r} is given twice")
        found[key] = value
    return found


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number in it has more than {_MOST_DIGITS} digits")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number of JSON")
    return number


def finite_number(value: Any) -> float | None:
    """A value of a document as a number; None where it is none."""
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def everything_in(value: Any) -> Iterator[Any]:
    """The value and everything inside it, keys of mappings too."""
    yield value
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from everything_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from everything_in(item)


def with_texts(value: Any, changed: Callable[[str], str]) -> Any:
    """The value with each text in it changed, keys of mappings too."""
    if isinstance(value, Mapping):
        return {with_texts(key, changed): with_texts(item, changed) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [with_texts(item, changed) for item in value]
    return changed(value) if isinstance(value, str) else value


def parse_toml(data: bytes) -> dict[str, Any]:
    """Parse a TOML text; ValueError if it is not TOML, or has what JSON cannot hold."""
    try:
        # Windows editors write a byte order mark before the text.
        text = json.dumps(tomllib.loads(data.decode("utf-8-sig")))
    except RecursionError as error:
        raise ValueError(f"it is nested more than {_DEEPEST} deep") from error
    except TypeError as error:
        raise ValueError("it has a date or a time, which nothing here is") from error
    return dict(parse_json(text))


def parse_python(source: bytes | str, mode: Literal["exec", "eval"] = "exec") -> Any:
    """Parse Python's source, or an expression; ValueError if it is none or nests too deep.

    The tree may still be deep: walk it in a loop.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # who runs it reports faults
            return ast.parse(source, mode=mode)
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"it is not Python: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise ValueError("its Python is nested too deep to be read") from error


def json_value(value: Any) -> Any:
    """Convert a value for JSON: numpy's to Python's, NaN and infinities to None, others to text."""
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if hasattr(value, "tolist"):
        return json_value(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


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
        parts = (part.strip().rpartition("=") for part in value.split(","))
        return unique((name, share) for name, _, share in parts)
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
    """Whether these are disc counts that ascend from 5 to 64, as boundaries of phases must."""
    return all(isinstance(item, int) and 4 < item <= 64 for item in discs) and all(
        a < b for a, b in pairwise(discs)
    )


def laid_over(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Settings where later layers override earlier ones; tables in them are merged key by key."""
    found: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            before = found.get(key)
            if isinstance(before, Mapping) and isinstance(value, Mapping):
                value = {**before, **value}
            found[key] = value
    return found


class Fault(NamedTuple):
    """A fault in settings: its keys, the outermost first, and a message."""

    keys: tuple[str | int, ...]
    text: str


_ARGUMENTS: Final[ContextVar[Iterable[str]]] = ContextVar("arguments", default=())


def taking_settings(call: _C) -> _C:
    """A public call: where a setting is mistyped, its own arguments may be what was meant."""

    @functools.wraps(call)
    def hinting(*values: Any, **settings: Any) -> Any:
        before = _ARGUMENTS.set(cast("FunctionType", call).__kwdefaults__ or ())
        try:
            return call(*values, **settings)
        finally:
            _ARGUMENTS.reset(before)

    return cast("_C", hinting)


def faults(error: ValidationError, helped: type[BaseModel] | None = None) -> list[Fault]:
    """All faults in values; `helped` is a model whose fields' descriptions are added."""
    found = []
    for detail in error.errors():
        if detail["loc"][-1:] == ("[key]",):  # so pydantic marks the key of a mapping
            detail["loc"] = detail["loc"][:-1]
        found.append(Fault(detail["loc"], _text(detail, helped)))
    return found


def plain_words(detail: Any) -> str:
    """One of pydantic's errors in plain words."""
    if detail["type"] in _PLAIN:
        return _PLAIN[detail["type"]].format_map(detail.get("ctx", {}))
    message = str(detail["msg"]).removeprefix("Value error, ")
    return f"{message[0].lower()}{message[1:]}".replace("input should be", "it must be")


def _text(detail: Any, helped: type[BaseModel] | None) -> str:
    keys = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        known = [] if helped is None else [*helped.model_fields, *_ARGUMENTS.get()]
        known = known if len(detail["loc"]) == 1 else []
        similar = difflib.get_close_matches(keys, known, 1)
        hint = f"; did you mean {similar[0]}?" if similar else ""
        return f"{keys}: there is no such setting{hint}"
    if not keys:
        return str(detail["msg"]).removeprefix("Value error, ")
    message = plain_words(detail)
    if detail["type"] == "missing":
        return f"{keys}: {message}"
    value = repr(detail["input"])
    value = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
    message = f"{keys}: {message}" if value in message else f"{keys} = {value}: {message}"
    field = None if helped is None else helped.model_fields.get(str(detail["loc"][0]))
    if detail["type"] == "value_error" or field is None or not field.description:
        return message
    return f"{message} ({field.description})"
