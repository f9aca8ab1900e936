"""What a running program is to those who ask it for moves, whatever it speaks."""

from __future__ import annotations

from typing import Protocol

from evolve.engine.board import Board
from evolve.engine.rules import RULE_SETS, Rules


class Session(Protocol):
    """A running program. Each method but `end` and `kill` raises EngineError where it fails."""

    moves: tuple[int, ...] | None
    """Of the game that it knows; None where that is open."""
    rules: Rules | None
    """Those that it has said it plays by; None where it has said none."""

    def begin(self, deadline: float) -> None:
        """Introduce oneself, before `deadline` (time.monotonic())."""

    def choose(self, board: Board, deadline: float) -> int:
        """The program's move."""

    def end(self) -> None:
        """Let it end, and see to it that it does."""

    def kill(self) -> None:
        """End it at once."""


def known_rules(said: str) -> Rules | None:
    """The rules in a program's word for them; None where it knows none, or others than we do."""
    return said if said in RULE_SETS else None
