"""The interface of a running program that plays, whatever its protocol."""

from __future__ import annotations

from typing import Protocol

from evolve.engine.board import Board
from evolve.engine.rules import RULE_SETS, Rules
from evolve.errors import EngineError


class Session(Protocol):
    """A running program; methods except `end` and `kill` raise EngineError when it fails."""

    moves: tuple[int, ...] | None
    """Moves of the game that the program has; None where they are not known."""
    rules: Rules | None
    """The rules that the program says it plays by; None where it says none."""

    def begin(self, deadline: float) -> None:
        """Greet the program, before `deadline` (time.monotonic())."""

    def choose(self, board: Board, deadline: float) -> int:
        """The program's move."""

    def error(self, text: str) -> EngineError:
        """The error to raise for an invalid move, with the last lines exchanged."""

    def end(self) -> None:
        """Ask the program to end, and make sure that it does."""

    def kill(self) -> None:
        """End the program at once."""


def known_rules(said: str) -> Rules | None:
    """The rules that a program's answer names; None for none, or for rules unknown to evolve."""
    return said if said in RULE_SETS else None
