"""The clock of a program for a whole game, with an increment for each move: `60+0.6`."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from evolve.engine.board.board import Board
from evolve.errors import AgentError

_CLOCK: Final = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(?:\+(\d{1,6}(?:\.\d{1,6})?))?", re.ASCII)
LONGEST: Final = 86_400.0
"""Most seconds of a game."""


@dataclass(frozen=True)
class GameTime:
    """Seconds for a whole game, and those that each move adds."""

    main: float
    increment: float = 0.0

    @classmethod
    def of(cls, text: str) -> GameTime:
        """Read `60+0.6`, or `60` without increment; AgentError for anything else."""
        match = _CLOCK.fullmatch(text.strip())
        given = None if match is None else cls(float(match[1]), float(match[2] or 0.0))
        if given is None or not 0.0 < given.main <= LONGEST or given.increment > LONGEST:
            raise AgentError(
                f"clock={text}: write the seconds of a game and those that a move adds, such as "
                "60+0.6, or 60"
            )
        return given


class GameClock:
    """The clock of one side in one game after another: it starts again with each new game."""

    def __init__(self, given: GameTime) -> None:
        self._given = given
        self._first = self._discs = 64
        self.left = given.main
        """Seconds left, at the start of the program's next move."""

    @contextmanager
    def running(self, board: Board) -> Iterator[float]:
        """Run the clock while the program moves on a board; give the seconds that it has.

        They are below 0 once it has used some of its margin. The same position again is a retry,
        except for a game's first one, with which another game begins.
        """
        discs = 64 - board.empties
        if discs < self._discs or discs <= self._first:
            self._first, self.left = discs, self._given.main
        self._discs = discs
        begin = time.monotonic()
        try:
            yield self.left
        finally:
            self.left -= time.monotonic() - begin
        self.left += self._given.increment
