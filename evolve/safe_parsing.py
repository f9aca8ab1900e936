"""JSON and TOML that others may have written.

Python's parsers raise all kinds of errors for text that was made to break its reader, and accept
values that break code that prints them. Here each of these is a ValueError with one line of text.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

LARGEST: Final = 16 << 20
"""Most bytes of a document; ours have some thousands."""
_DEEPEST: Final = 64
"""Most levels of lists and tables inside each other; ours have five."""
_MOST_DIGITS: Final = 64
"""Most digits of a whole number; our largest is a random generator's state, of 128 bits."""
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_LIMIT: Final = 10**_MOST_DIGITS


def read_document(path: Path) -> bytes:
    """Read a file; OSError, or ValueError if it is too large to be a document."""
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"it has more than {LARGEST >> 20} MiB")
    return data


def parse_json(data: bytes | str) -> Any:
    """Parse a JSON text; ValueError if it is not JSON.

    Lone surrogates, which JSON can hold but no file or terminal can, become question marks.
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        value = json.loads(text)
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise _plain(error) from error
    _check(value)
    return _whole(value) if _HALF.search(text) else value


def check_exchange(data: bytes) -> None:
    """Raise ValueError for text that is not JSON, or that other parsers read differently.

    Python's parser takes `Infinity`, makes infinity of 1e400, and takes halves of characters.
    """
    if not data:
        return
    try:
        text = data.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise _plain(error) from error
    _check(value)
    if any(isinstance(one, float) and not math.isfinite(one) for one in everything_in(value)):
        raise ValueError("a number in it is too large")
    if _HALF.search(text) and _whole(value) != value:
        raise ValueError("it has half a character, a surrogate without its other half")


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def everything_in(value: Any) -> Iterator[Any]:
    """The value and everything inside it, keys of mappings too."""
    yield value
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield key
            yield from everything_in(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from everything_in(one)


def parse_toml(data: bytes) -> dict[str, Any]:
    """Parse a TOML text; ValueError if it is not TOML."""
    try:
        # Windows editors write a byte order mark before the text.
        value = tomllib.loads(data.decode("utf-8-sig"))
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise _plain(error) from error
    _check(value)
    return value


def json_value(value: Any) -> Any:
    """Convert a value for JSON: numpy's to Python's, NaN and infinities to None, others to text."""
    if isinstance(value, Mapping):
        return {str(key): json_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    if hasattr(value, "tolist"):
        return json_value(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def _plain(error: ValueError) -> ValueError:
    """A parser's error, in our words if it mentions Python's settings."""
    known = isinstance(error, json.JSONDecodeError | tomllib.TOMLDecodeError | UnicodeDecodeError)
    return error if known or "digits" not in str(error) else _too_long()


def _check(value: Any, depth: int = 0) -> None:
    """Raise ValueError for values that parsers accept and other code fails on."""
    if depth > _DEEPEST:
        raise _too_deep()
    if isinstance(value, int):
        if not -_LIMIT < value < _LIMIT:
            raise _too_long()
    elif isinstance(value, dict):
        for item in value.values():
            _check(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check(item, depth + 1)
    elif not isinstance(value, str | float | None):
        raise ValueError(f"{value} is a date or a time, which nothing here is")


def _whole(value: Any) -> Any:
    """The value without lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


def _too_deep() -> ValueError:
    return ValueError(f"it is nested more than {_DEEPEST} deep")


def _too_long() -> ValueError:
    return ValueError(f"a number in it has more than {_MOST_DIGITS} digits")
