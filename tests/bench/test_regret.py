"""The benchmark of lost discs, on positions made up here and on those that come with it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evolve
from benchmarks.regret import HERE, Played, Position, half_of, judged_by, played, read, rows
from evolve.engine.board.board import Board
from evolve.engine.board.squares import parse_square

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


def test_a_loss_is_what_the_best_move_is_worth_more(file: Path) -> None:
    first, second = read(file)
    losses = {"d3": 0.0, "c4": 0.5, "f5": 0.0, "e6": 5.25}
    assert {name: first.loss(parse_square(name)) for name in losses} == losses
    assert second.loss(parse_square("d6")) == 64.0


def test_an_agent_without_rules_plays_those_of_the_file() -> None:
    reversed_file = HERE / "regret-reversed.obf"
    assert judged_by(evolve.load_agent("level-1"), reversed_file).rules == "reversed"
    own = evolve.load_agent("patterns-standard")
    assert judged_by(own, reversed_file) is own


def test_halves_share_no_position() -> None:
    positions = [Position(Board.start(), {0: float(number)}) for number in range(7)]
    tune, report = half_of(positions, "tune"), half_of(positions, "report")
    assert [position.values[0] for position in tune] == [0, 2, 4, 6]
    assert [position.values[0] for position in report] == [1, 3, 5]


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


def test_lines_of_a_table() -> None:
    """Means by bands of empties; those of all are of positions that are not solved."""
    result = Played(
        np.array([0.0, 2.0, 1.0, 3.0]), np.array([10, 20, 30, 50]), np.array([1, 2, 3, 5]) / 1e3
    )
    found = list(rows(result, np.array([20, 24, 24, 40])))
    heads = [line.split(":")[0].strip() for line in found]
    assert heads == [
        "20-21 empties, 1 positions",
        "22-27 empties, 2 positions",
        "35-41 empties, 1 positions",
        "22-50 empties, 3 positions",
    ]
    assert "lost 1.500 ± 0.980 discs a move, wrong 1.000, 25 nodes, 2.500 ms" in found[1]
    assert "lost 2.000 ± 1.132 discs a move, wrong 1.000, 33 nodes, 3.333 ms" in found[3]


@pytest.mark.parametrize("path", sorted(HERE.glob("regret-*.obf")), ids=lambda path: path.stem)
def test_the_positions_that_come_with_it(path: Path) -> None:
    """All legal moves have a value; no position is decided, and none occurs twice."""
    positions = read(path)
    assert len({position.board for position in positions}) == len(positions) > 0
    moves = [sorted(position.values) for position in positions]
    assert moves == [position.board.legal_moves() for position in positions]
    assert {position.board.empties for position in positions} <= {*range(20, 51)}
    assert max(abs(max(position.values.values())) for position in positions) <= 16
