"""Values as texts of the command line give them, and layers of settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from evolve.errors import OptionsError

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
