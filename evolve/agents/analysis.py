"""What an agent thinks of the moves of a position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from evolve.engine.rules import WIN

Unit = Literal["discs", "evaluation", "value"]
_EVALUATION_OF_A_DISC: Final = 100.0
"""Roughly: weights are in hundredths."""


@dataclass(frozen=True)
class Analysis:
    """An agent's view of a position.

    values: of every legal move for the side to move, the one it likes most first.
    unit: `discs`: exact scores; `evaluation`: what a search of weights gives, from ±2**20 on a
        won or lost game's score × 2**20; `value`: what a network or a tree search forecasts, for
        most of them −1 (lost) to 1 (won).
    depth: plies that were searched; None where there is no such number.
    line: how it thinks the game goes on, its own move first; 64 is a pass.
    """

    values: Mapping[int, float]
    unit: Unit
    depth: int | None
    line: tuple[int, ...]

    @property
    def exact(self) -> bool:
        """Whether the values are exact scores."""
        return self.unit == "discs"

    def discs(self, square: int) -> float | None:
        """The value of a move in discs: roughly for an evaluation, None where it says nothing."""
        value = self.values[square]
        if self.unit == "evaluation":
            return value / WIN if abs(value) >= WIN else value / _EVALUATION_OF_A_DISC
        return float(value) if self.exact else None

    def text(self, square: int) -> str:
        """The value of a move for a person."""
        value = self.values[square]
        if self.unit == "value":
            return f"{value:+.2f}"
        if abs(value) >= WIN:
            return f"{'wins' if value > 0 else 'loses'} by {abs(value) // WIN:.0f}"
        return f"{value:+.0f}"
