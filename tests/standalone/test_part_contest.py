"""The player as the contest wants it: its list of moves, and what it refuses."""

from __future__ import annotations

import random
from typing import Any, cast

import numpy as np
import pytest

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.engine.board import Board
from evolve.standalone import part_board as standalone_board
from evolve.standalone import part_contest as standalone_contest
from tests.standalone import (
    BLACK,
    WHITE,
    boards_with_choice,
    chessboard,
    color_of,
    exported,
    random_agent,
    random_board,
    square_chosen,
)


def test_the_list_holds_the_legal_moves_and_then_the_choice() -> None:
    rng = random.Random(1)
    module = exported(random_agent(rng, "standard", [2], 4))
    player = {color: module.AI(8, color, 5) for color in (BLACK, WHITE)}
    without_moves = 0
    for number in range(150):
        board = random_board(rng, rng.randint(4, 64))
        for side in (board, Board(board.opp, board.own, board.other_side)):
            listed = player[color_of(side)].candidate_list
            cells = chessboard(side).astype([np.int64, np.int8, float][number % 3])
            before = cells.copy()
            player[color_of(side)].go(cells)
            moves = [(square // 8, square % 8) for square in side.legal_moves()]
            without_moves += not moves
            assert player[color_of(side)].candidate_list is listed
            assert listed[:-1] == moves
            assert listed[-1:] == [] if not moves else listed[-1] in moves
            assert all(type(number) is int for move in listed for number in move)
            assert (cells == before).all()
    assert without_moves > 5


def test_the_start_position_is_the_right_way_up() -> None:
    player = exported(AlphaBetaAgent(weights=[[0] * 10], depths=[1])).AI(8, BLACK, 5)
    cells = np.zeros((8, 8), int)
    cells[3, 3] = cells[4, 4] = WHITE
    cells[3, 4] = cells[4, 3] = BLACK
    player.go(cells)
    assert player.candidate_list == [(2, 3), (3, 2), (4, 5), (5, 4), (2, 3)]


@pytest.mark.parametrize(("size", "color"), [(10, BLACK), (8, 0), (8, 2)])
def test_another_board_or_color_is_refused(size: int, color: int) -> None:
    with pytest.raises(ValueError, match=r"chessboard_size|color"):
        standalone_contest.AI(size, color, 5)


def test_the_template_runs_as_it_stands() -> None:
    template = cast(Any, standalone_board)
    agent = AlphaBetaAgent(
        weights=template.WEIGHTS,
        depths=template.DEPTHS,
        endgame=template.ENDGAME,
        **template.TERMS,
    )
    for board in boards_with_choice(random.Random(5), 12):
        assert square_chosen(cast(Any, standalone_contest), board) == agent.choose(board), board
