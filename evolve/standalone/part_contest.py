"""Fifth part of a stand-alone Python file: the player as the contest wants it."""

from __future__ import annotations

from evolve.standalone.part_board import (
    BLACK,
    INFINITY,
    NONE,
    SECONDS,
    TIME_SHARE,
    WHITE,
)
from evolve.standalone.part_search import (
    choose,
)

# --- exported from here on ---
from typing import Any

import numpy as np

# --- What the contest asks for ---


class AI(object):
    """The player: `go` fills `candidate_list`, whose last element is the move it plays."""

    chooser = staticmethod(choose)

    def __init__(self, chessboard_size: int, color: int, time_out: float) -> None:
        if chessboard_size != 8:
            raise ValueError(f"chessboard_size is {chessboard_size!r}; this agent plays on 8")
        if color not in (BLACK, WHITE):
            raise ValueError(f"color is {color!r}; BLACK is -1 and WHITE is 1")
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list: list[tuple[int, int]] = []

    def go(self, chessboard: Any) -> None:
        """Choose a move on `chessboard`, 8 x 8 of BLACK, WHITE and NONE, as [row, column].

        Afterwards `candidate_list` holds every legal move as (row, column), then the choice once
        more; it is empty when there is no legal move.
        """
        self.candidate_list.clear()
        board = 0
        for square, disc in enumerate(np.asarray(chessboard).ravel().tolist()):
            if disc == self.color:
                board |= 1 << square
            elif disc != NONE:
                board |= 1 << (64 + square)
        moves, choice = self.chooser(board, min(TIME_SHARE * self.time_out, SECONDS or INFINITY))
        if moves:
            self.candidate_list.extend((square // 8, square % 8) for square in [*moves, choice])
