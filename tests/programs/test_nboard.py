"""Speaking the NBoard protocol: the whole game is told before every move."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, Rules
from evolve.errors import EngineError
from evolve.programs.process import LineProcess
from evolve.programs.sessions import NBoardSession
from evolve.records.record import play_moves
from tests.programs import begun, engine, python, soon
from tests.records.test_ggf import random_record

ANSWERS = """
import sys
heard = []
for line in sys.stdin:
    heard.append(line.strip())
    if heard[-1].startswith("ping"):
        print("status busy")
        print("pong 99")
        print(heard[-1].replace("ping", "pong"))
    if heard[-1] == "go":
        print({answer!r}.replace("DEPTH", "d3" if "set depth 7" in heard else "c4"))
"""


def session(
    command: Sequence[str], depth: int | None = None
) -> AbstractContextManager[NBoardSession]:
    return begun(NBoardSession(LineProcess(command), depth))


def program(answer: str) -> list[str]:
    return python(ANSWERS.format(answer=answer))


def test_it_plays_on_from_any_point_of_any_game() -> None:
    passing = next(one for one in map(random_record, range(300)) if PASS in one.moves[:-3])
    with session(engine("nboard")) as made:
        for moves in (passing.moves, random_record(1).moves):
            for count in (0, 5, passing.moves.index(PASS) + 1, 20, 4):
                board = play_moves(Board.start(), moves[:count])
                if board.legal_moves():
                    assert made.choose(board, soon()) == board.legal_moves()[0]


@pytest.mark.parametrize("answer", ["=== d3", "===D3/-1.30/0.11", "=== d3 -1.00 0.0"])
def test_moves_are_said_in_more_than_one_way(answer: str) -> None:
    with session(program(answer)) as made:
        assert made.choose(Board.start(), soon()) == 19


@pytest.mark.parametrize(("depth", "square"), [(7, 19), (6, 26), (None, 26)])
def test_it_is_told_its_depth(depth: int | None, square: int) -> None:
    with session(program("=== DEPTH"), depth) as made:
        assert made.choose(Board.start(), soon()) == square


ECHO = """
import sys
for line in sys.stdin:
    if line.startswith("ping"):
        print(line.replace("ping", "pong"))
    if line.startswith("set game"):
        kind = line.partition("TY[")[2].partition("]")[0]
    if line.strip() == "go":
        print("===", {"8": "d3", "8a": "c4"}[kind])
"""


@pytest.mark.parametrize(("rules", "square"), [("reversed", 26), ("standard", 19), (None, 19)])
def test_it_is_told_the_rules_with_the_game(rules: Rules | None, square: int) -> None:
    made = NBoardSession(LineProcess(python(ECHO)), rules=rules)
    try:
        made.begin(soon())
        assert made.choose(Board.start(), soon()) == square
    finally:
        made.program.end()


@pytest.mark.parametrize("answer", ["===", "=== i9", "=== pass", "=== d33"])
def test_what_is_no_move_is_told(answer: str) -> None:
    with session(program(answer)) as made, pytest.raises(EngineError, match="which is not a move"):
        made.choose(Board.start(), soon())
