"""The benchmark of lost discs, on positions made up here and on those that come with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evolve
from benchmarks import peers
from benchmarks.league import Tuples, read_player
from benchmarks.regret import HERE, judged_by, played, read
from evolve.engine.board.board import Board
from evolve.engine.board.squares import parse_square
from evolve.engine.compiled.intrinsics import LANES
from tests.bench import numbers_are_sound

START = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
LINES = f"""# Made by hand.
{START} X; d3:+2.00; c4:+1.50; f5:+2.00; e6:-3.25
{START} O; c5:+0.00; e3:-1.00; d6:-64.00; f4:-0.50
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.obf"
    path.write_text(LINES, encoding="utf-8")
    return path


def test_a_line_is_a_board_with_the_values_of_its_moves(file: Path) -> None:
    first, second = read(file)
    assert first.board == Board.start()
    cases = (("d3", 2.0), ("c4", 1.5), ("f5", 2.0), ("e6", -3.25))
    assert first.values == {parse_square(name): value for name, value in cases}
    assert second.board.side == "white"
    assert [first.line, second.line] == LINES.splitlines()[1:]


def test_an_agent_without_rules_plays_those_of_the_file() -> None:
    reversed_file = HERE / "regret-reversed.obf"
    assert judged_by(evolve.load_agent("level-1"), reversed_file).rules == "reversed"
    own = evolve.load_agent("patterns-standard")
    assert judged_by(own, reversed_file) is own


def test_what_an_agent_loses(file: Path) -> None:
    """Its moves, losses and nodes, one after the other."""
    positions, agent = read(file), evolve.load_agent("patterns-standard?depth=2&probcut=0")
    found = played(agent, positions)
    chosen = [agent.choose_counted(position.board) for position in positions]
    losses = [one.loss(square) for one, (square, _) in zip(positions, chosen, strict=True)]
    assert [*found.losses] == losses
    assert [*found.nodes] == [nodes for _, nodes in chosen]
    assert (found.nodes > 0).all()
    assert (found.seconds >= 0).all()


@pytest.mark.parametrize("path", sorted(HERE.glob("regret-*.obf")), ids=lambda path: path.stem)
def test_the_positions_that_come_with_it(path: Path) -> None:
    """All legal moves have a value; no position is decided, and none occurs twice."""
    positions = read(path)
    assert len({position.board for position in positions}) == len(positions) > 0
    moves = [sorted(position.values) for position in positions]
    assert moves == [position.board.legal_moves() for position in positions]
    assert {position.board.empties for position in positions} <= {*range(20, 51)}
    assert max(abs(max(position.values.values())) for position in positions) <= 16


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


def test_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both comparisons on small work; perft in C has to count the same."""
    monkeypatch.setattr(peers, "REPEATS", 1)
    monkeypatch.setattr(peers, "PERFT_DEPTH", 6)
    monkeypatch.setattr(peers, "PLIES", (1, 2))
    rows = peers.search_rows()
    assert [row["what"] for row in rows] == ["move, 1 plies", "move, 2 plies"]
    numbers_are_sound(rows)
    if shutil.which("cc") is None or LANES == 0:
        pytest.skip("there is no C compiler or no AVX2")
    assert peers.perft_row()["theirs_ms"] >= 0
