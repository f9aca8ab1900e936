"""Numbers as people read them, in one form on terminals and in pictures.

The page has the same forms in `service/web/format.js`. Elo is whole, with half of its 95 %
interval: `752 ± 26 Elo`. Numbers of five digits and more have a space, as in `17 500`.
"""

from __future__ import annotations

import math
from typing import Final

NOTHING: Final = "–"
"""Where there is no number."""


def percent(share: float) -> str:
    """A share in percent: `88 %`."""
    return f"{share * 100:.0f} %"


def whole(value: float, signed: bool = False) -> str:
    """A whole number, with its thousands apart from 10 000 on; signed: with a plus, if positive."""
    number = round(value)
    apart = "," if abs(number) >= 10_000 else ""
    return f"{number:{'+' if signed else ''}{apart}}".replace(",", " ")


def elo_text(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    signed: bool = False,
) -> str:
    """An Elo with its 95 % interval: `624 ± 55`, or `624 [530, 700]` where that is uneven.

    signed: for a difference. What is missing or infinite is –.
    """
    known = [
        None if number is None or not math.isfinite(number) else number
        for number in (value, low, high)
    ]
    texts = [NOTHING if number is None else whole(number, signed) for number in known]
    value, low, high = known
    if low is None and high is None:
        return texts[0]
    if value is None or low is None or high is None or abs(high + low - 2 * value) > 1.0:
        return f"{texts[0]} [{texts[1]}, {texts[2]}]"
    return f"{texts[0]} ± {whole((high - low) / 2)}"


def too_few(games: int) -> str:
    """What stands where so few games tell no likelihood and no interval."""
    return f"{games} games: too few to say"


def is_elo(name: str) -> bool:
    """Whether a column holds Elo, which is shown without decimals."""
    return not {"elo", "rating", "rise"}.isdisjoint(name.split("_"))


def places_of(column: str, value: float) -> int:
    """Decimals of a mean: Elo is whole, a score has three."""
    return 0 if is_elo(column) else 1 if abs(value) >= 10 else 3


def state_text(state: str) -> str:
    """The state of a trial, of which tables have Optuna's name, as people read it: `finished`."""
    return {"COMPLETE": "finished", "FAIL": "failed"}.get(state, state.lower())


def duration(seconds: float) -> str:
    """Seconds for people: `45 s`, `12 min`, `3.5 h`; – if unknown."""
    if math.isnan(seconds):
        return NOTHING
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
