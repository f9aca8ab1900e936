"""The benchmark of the published league, on players and boards made up here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.league import Tuples, read_boards, read_player, scores
from evolve.engine.board.board import Board
from evolve.engine.patterns.patterns import DISC
from tests.agents.conftest import pattern_agent
from tests.agents.test_searching import boards

PLAYER = """{ 2
  { 2 2
    { 0 1 }
    { 7 6 }
    { 1 2 3 4 5 6 7 8 9 }
  }
  { 1 1
    { 27 }
    { -4.5 0 4.5 }
  }
}
"""


def slow_value(player: Tuples, cells: list[int]) -> float:
    """What a player for black makes of 64 cells: 0 white, 1 empty, 2 black."""
    total = 0.0
    for place, table in enumerate(player.tables):
        squares = player.squares[player.starts[place] : player.starts[place + 1]]
        entry = sum(cells[s] * 3 ** (len(squares) - 1 - k) for k, s in enumerate(squares))
        total += player.weights[table + entry]
    return total


def cells_of(board: Board) -> list[int]:
    return [1 + (board.black >> s & 1) - (board.white >> s & 1) for s in range(64)]


def test_a_player_and_its_values(tmp_path: Path) -> None:
    (tmp_path / "a.player").write_text(PLAYER, encoding="utf-8")
    player = read_player(tmp_path / "a.player")
    assert player.squares.tolist() == [0, 1, 7, 6, 27]
    # a1 empty, b1 empty: 1 * 3 + 1 is the fifth weight, and so at h1 and g1; d4 is white's.
    assert slow_value(player, cells_of(Board.start())) == 5 + 5 - 4.5
    (tmp_path / "w.player").write_text(" ".join(map(str, range(64))), encoding="utf-8")
    flat = read_player(tmp_path / "w.player")
    assert slow_value(flat, cells_of(Board.start())) == 28 + 35 - 27 - 36


def test_damaged_files_are_told(tmp_path: Path) -> None:
    for name, text in (("cut", PLAYER[:40]), ("more", PLAYER + "1"), ("off", "1 1 1 64 0 0 0")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=name):
            read_player(tmp_path / name)
    for name, text in (("few", "1 0 2"), ("strange", "3 " * 64), ("none", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=name):
            read_boards(tmp_path / name)


@pytest.mark.slow
def test_games_are_those_of_plain_python(tmp_path: Path) -> None:
    (tmp_path / "a.player").write_text(PLAYER, encoding="utf-8")
    player = read_player(tmp_path / "a.player")
    agent = pattern_agent(depth=1, endgame=0)
    # An odd number of plies without a pass: white is to move.
    begun = [board for board in boards(1, 12, 53) if board.side == "white"]
    text = "\n".join(" ".join(map(str, cells_of(board))) for board in begun)
    (tmp_path / "boards.txt").write_text(text, encoding="utf-8")
    found = scores(agent, player, read_boards(tmp_path / "boards.txt"))
    expected = []
    for start in begun:
        points = 0.0
        for colour in ("white", "black"):
            board = start
            while not board.is_over():
                if not board.legal_moves():
                    board = board.pass_move()
                    continue
                sign = 1 if board.side == "black" else -1
                values = {
                    square: -agent.patterns.value(board.play(square)) / DISC
                    if board.side == colour
                    else sign * slow_value(player, cells_of(board.play(square)))
                    for square in board.legal_moves()
                }
                if board.side == colour:
                    for square in values:
                        after = board.play(square)
                        if after.is_over():
                            values[square] = -after.score("standard")
                board = board.play(max(values, key=lambda square: values[square]))
            lead = board.discs("white") - board.discs("black")
            lead = lead if colour == "white" else -lead
            points += 1.0 if lead > 0 else 0.5 if lead == 0 else 0.0
        expected.append(points / 2)
    assert len(begun) > 3
    np.testing.assert_array_equal(found, expected)
