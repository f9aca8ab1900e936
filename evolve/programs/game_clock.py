"""The clock of a program for a whole game, with an increment for each move: `60+0.6`."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from evolve.engine.board.board import Board
from evolve.errors import AgentError

_CLOCK: Final = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(?:\+(\d{1,6}(?:\.\d{1,6})?))?", re.ASCII)
_LONGEST: Final = 86_400.0
"""Most seconds of a game."""


class GameClock:
    """The clock of one side in one game after another: it starts again with each new game.

    text: seconds of a game and those that each move adds, `60+0.6`, or `60` without increment;
    AgentError for anything else. seconds: of a game. left: seconds left at the start of the
    program's next move.
    """

    def __init__(self, text: str) -> None:
        match = _CLOCK.fullmatch(text.strip())
        self.seconds, self._increment = map(float, match.groups("0")) if match else (0.0, 0.0)
        if not 0.0 < self.seconds <= _LONGEST or self._increment > _LONGEST:
            raise AgentError(
                f"clock={text}: write the seconds of a game and those that a move adds, such as "
                "60+0.6, or 60"
            )
        self._first = self._discs = 64
        self.left = self.seconds

    @contextmanager
    def running(self, board: Board) -> Iterator[float]:
        """Run the clock while the program moves on a board; give the seconds that it has.

        They are below 0 once it has used some of its margin. The same position again is a retry,
        except for a game's first one, with which another game begins.
        """
        discs = 64 - board.empties
        if discs < self._discs or discs <= self._first:
            self._first, self.left = discs, self.seconds
        self._discs = discs
        begin = time.monotonic()
        try:
            yield self.left
        finally:
            self.left -= time.monotonic() - begin
        self.left += self._increment
