"""Ranges of a sweep's parameters: texts (LOW:HIGH[:log|:STEP][=DEFAULT], A|B or A|), and scales.

A position is a number's place in its range, 0 to 1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final, Protocol

from evolve.errors import OptionsError

EXAMPLE: Final = (
    "write {corner:1:50}, {weight:0.0:1.0:0.1}, {rate:0.1:5:log=1} or {style:calm|wild}"
)
OF_SETTINGS: Final = "write LOW:HIGH, LOW:HIGH:STEP, LOW:HIGH:log or A|B"
"""The same where a range stands after a parameter's name."""
_WHOLE: Final = re.compile(r"[-+]?[0-9]{1,15}")


def range_of(text: str, where: str, example: str = EXAMPLE) -> dict[str, Any]:
    """Return the table of a space file for a text, as {low, high} or {choices}.

    LOW: and :HIGH leave the other end as it is. Where every choice has a `=`, none is a default.
    Raises OptionsError, which begins with `where` and ends with `example`.
    """
    ranged, equals, default = text.partition("=")
    if all("=" in choice for choice in text.split("|")) and "|" in text:
        ranged, equals = text, ""
    if "|" in ranged or ":" not in ranged:
        table = _choices(ranged, where, example)
    else:
        table = _ends(ranged, where, example)
    if equals:
        texts = isinstance(table.get("choices", [0])[0], str)
        table["default"] = default if texts else typed(default)
    return table


def range_text(table: Mapping[str, Any]) -> str:
    """Return the text that gives a table."""
    choices, default = table.get("choices"), table.get("default")
    ends = [table.get("low"), table.get("high")]
    more = "log" if table.get("log") else table.get("step")
    parts = choices if isinstance(choices, list) else [*ends, *([] if more is None else [more])]
    text = ("|" if parts is choices else ":").join(map(_word, parts))
    if parts is choices and len(parts) == 1:
        text += "|"
    return text if default is None else f"{text}={_word(default)}"


def _word(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _choices(text: str, where: str, example: str) -> dict[str, Any]:
    texts = text.split("|")
    if len(texts) == 2 and not texts[1]:
        del texts[1]
    choices = list(map(typed, texts))
    if "|" not in text or "" in choices or len({*choices}) < len(choices):
        raise OptionsError(f"{where}: is neither a range nor a choice: {example}")
    return {"choices": choices if len({*map(type, choices)}) == 1 else texts}


def _ends(text: str, where: str, example: str) -> dict[str, Any]:
    low, high, *more = text.split(":")
    ends = zip(("low", "high"), (low, high), strict=True)
    table = {key: typed(end) for key, end in ends if end.strip()}
    if not table or len(more) > 1 or any(isinstance(end, str) for end in table.values()):
        raise OptionsError(f"{where}: is not a range: {example}")
    if [part.strip().lower() for part in more] == ["log"]:
        return {**table, "log": True}
    if more and isinstance(typed(more[0]), str):
        raise OptionsError(f"{where}: {more[0]!r} is neither log nor a step, such as 5 or 0.1")
    return {**table, **({"step": typed(more[0])} if more else {})}


def typed(text: str) -> float | int | str:
    """Return a number where the text is one, otherwise the text.

    Blanks around a number are ignored. `1_000` is not a number: only Python reads it as one.
    """
    number = text.strip()
    if _WHOLE.fullmatch(number):
        return int(number)
    try:
        return float(number) if re.search("[0-9]", number) and "_" not in number else text
    except ValueError:
        return text


class Scale(Protocol):
    """A range of numbers; with log, equal ratios are equally far apart."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def log(self) -> bool: ...


def to_unit(value: float, scale: Scale) -> float:
    """Return the position of a value in its range, 0 to 1; .5 where the range is one value."""
    scaled = math.log if scale.log else float
    low, high = scaled(scale.low), scaled(scale.high)
    return 0.5 if low == high else (scaled(value) - low) / (high - low)


def value_at(position: float, scale: Scale) -> float:
    """Return the number at a position, without a grid; outside 0 to 1, the nearest end."""
    scaled = math.log if scale.log else float
    low, high = scaled(scale.low), scaled(scale.high)
    value = low + min(1.0, max(0.0, position)) * (high - low)
    if scale.log:
        value = math.exp(value)
    return min(max(value, scale.low), scale.high)
