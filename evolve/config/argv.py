"""Settings as the words of a command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_TOGETHER: Final = ("sprt",)
"""Options that take several words."""


def option_words(values: Mapping[str, Any], but: Sequence[str] = ()) -> list[str]:
    """The options that give these values; what is None is left out."""
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
    # `:g` of 1234567.0 would be another number.
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)
