"""Fifth part of a stand-alone Python file: the player, with the interface of the contest."""

from __future__ import annotations

from evolve.standalone.part_board import (
    BLACK,
    FULL,
    INFINITY,
    NONE,
    SECONDS,
    TIME_SHARE,
    WHITE,
    WIDTHS,
    moves_of,
    squares_of,
)
from evolve.standalone.part_search import choose

# --- exported from here on ---
from typing import Any

import numpy as np

# --- The interface of the contest ---


class AI(object):
    """The player: `go` fills `candidate_list`; the last element is the move that it plays."""

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

        Afterwards `candidate_list` has every legal move as (row, column), then the choice. It is
        empty if there is no legal move.
        """
        self.candidate_list.clear()
        board = 0
        for square, disc in enumerate(np.asarray(chessboard).ravel().tolist()):
            if disc == self.color:
                board |= 1 << square
            elif disc != NONE:
                board |= 1 << (64 + square)
        moves = squares_of(moves_of(board, WIDTHS[1])[0] & FULL)
        seconds = min(TIME_SHARE * self.time_out, SECONDS or INFINITY)
        choice = moves[:1] if len(moves) < 2 else [self.chooser(board, moves, seconds)]
        self.candidate_list.extend((square // 8, square % 8) for square in moves + choice)
