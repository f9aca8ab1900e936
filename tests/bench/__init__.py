"""What `evolve bench` and the benchmarks measure, at sizes that take a moment."""

from __future__ import annotations

import math
from typing import Any

import pytest

from evolve.cli import speed


def make_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every measurement of `evolve bench` do next to nothing."""
    sizes: dict[str, Any] = {
        "REPEATS": 1,
        "_PERFT_DEPTHS": (3, 5),
        "_SEARCH_DEPTHS": (1, 2, 8),
        "_SEARCHED": 3,
        "_DEEPLY_SEARCHED": 2,
        "_SOLVED": {4: 3, 8: 2},
        "_PLAYED_GAMES": 2,
        "_GAME_DEPTHS": (2, 1, 2),
    }
    for name, value in sizes.items():
        monkeypatch.setattr(speed, name, value)


def numbers_are_sound(rows: list[dict[str, Any]]) -> None:
    """No figure is infinite, or none."""
    for row in rows:
        for value in row.values():
            if isinstance(value, float):
                assert math.isfinite(value)
