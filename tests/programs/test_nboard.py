"""Speaking the NBoard protocol: the whole game is told before every move."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import Rules
from evolve.errors import EngineError
from evolve.programs.process import LineProcess
from evolve.programs.sessions import NBoardSession
from tests.programs import begun, python, soon

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
    with session(program(answer)) as made, pytest.raises(EngineError, match="move"):
        made.choose(Board.start(), soon())
