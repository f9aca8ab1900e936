"""What `evolve bench` and the benchmarks measure, at sizes that take a moment."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchmarks import speed as parts
from evolve.cli import speed


def make_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every measurement do next to nothing."""
    sizes: dict[Any, dict[str, Any]] = {
        speed: {
            "_REPEATS": 1, "_SEARCHED": (3, 2), "_SOLVED": (3, 8), "_PLAYED_GAMES": 2,
            "_GAME_DEPTHS": (2, 1, 2),
        },
        parts: {
            "SEARCH_DEPTHS": (1, 2, 8), "SEARCHED": 3, "DEEPLY_SEARCHED": 2, "SOLVED": {4: 3, 8: 2},
            "PLAYED_GAMES": 2, "GAME_DEPTHS": (2, 1, 2),
        },
    }  # fmt: skip
    for module, values in sizes.items():
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)


def numbers_are_sound(rows: list[dict[str, Any]]) -> None:
    """No figure is infinite, or none."""
    figures = [value for row in rows for value in row.values() if isinstance(value, float)]
    assert all(map(math.isfinite, figures))
