"""The benchmark of the published league, on players and boards made up here."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.league import Tuples, read_boards, read_player
from evolve.engine.board.board import Board

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
