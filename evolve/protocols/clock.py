"""Compute the time for a move from another program's clock."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from evolve.agents.timed_search import LONGEST, SHORTEST
from evolve.engine.board.board import Board, Side

_MARGIN = 0.05
"""Share of a move's time, and at least this many seconds, reserved for communication."""
_MOST = 0.5
"""Largest share of a running clock that one move may take, even if few moves are left."""


@dataclass
class _Left:
    """Time of one side: `seconds` for `stones` moves, or for all moves if `stones` is 0."""

    seconds: float
    stones: int


@dataclass
class Clock:
    """GTP's time: `main` seconds for the game, then `byo` seconds for every `stones` moves.

    Values from `time_left` have priority; in between, this clock counts itself.
    """

    main: float = 0.0
    byo: float = 0.0
    stones: int = 0
    _left: dict[Side, _Left] = field(default_factory=dict)

    def set(self, main: float, byo: float, stones: int) -> None:
        """Apply new settings. Seconds for 0 moves, or only zeros, mean no limit."""
        self.main, self.byo, self.stones = main, byo, stones
        self.restart()

    def restart(self) -> None:
        """Start a new game: both sides have their full time."""
        self._left.clear()
        if self.stones > 0 and self.main <= 0:
            self._give(self.byo, self.stones)
        elif self.main > 0 and not (self.byo > 0 and self.stones == 0):
            self._give(self.main, 0)

    def _give(self, seconds: float, stones: int) -> None:
        self._left["black"] = _Left(seconds, stones)
        self._left["white"] = _Left(seconds, stones)

    def tell(self, side: Side, seconds: float, stones: int) -> None:
        """Set a side's remaining time: for the game if `stones` is 0, else for `stones` moves."""
        self._left[side] = _Left(seconds, stones)

    def seconds_for(self, side: Side, board: Board) -> float | None:
        """Return the seconds for one move of `side`; None without a limit."""
        left = self._left.get(side)
        if left is None:
            return None
        if left.stones > 0:
            share = left.seconds / left.stones
        else:
            moves = max(1, math.ceil(board.empties / 2))
            share = left.seconds / moves
            if self.stones > 0:
                share = min(left.seconds, share + self.byo / self.stones)
            elif moves > 1:
                # The midgame needs more time than the last moves.
                share = min(left.seconds * _MOST, share * 1.5)
        return min(max(share - max(_MARGIN, _MARGIN * share), SHORTEST), LONGEST)

    @contextmanager
    def thinking(self, side: Side) -> Iterator[None]:
        """Subtract the duration of the block from the side's time."""
        begin = time.monotonic()
        yield
        left = self._left.get(side)
        if left is None:
            return
        left.seconds -= time.monotonic() - begin
        if left.stones > 1:
            left.stones -= 1
        elif left.stones == 1 or (left.seconds <= 0 and self.stones > 0):
            left.seconds, left.stones = self.byo, self.stones
