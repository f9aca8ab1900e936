"""Reporting failures of programs while a match goes on."""

from __future__ import annotations

from collections import Counter
from typing import Final

from evolve.cli.terminal import complain

_MOST: Final = 10
"""Failures of a program that a match reports: one that fails in every game is known by then."""


class Failures:
    """Says in a line on standard error when a program fails, and counts what it does not say."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def tell(self, game: int, name: str, why: str) -> None:
        """`name` failed in a game, counted from 0, and has lost it; `why` says how."""
        self._counts[name] += 1
        if self._counts[name] <= _MOST:
            complain(f"game {game + 1}: {name} failed {why}")
        if self._counts[name] == _MOST:
            complain(f"further failures of {name} are only counted")
