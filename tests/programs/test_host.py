"""Python files as agents: every kind of class plays, and whatever fails loses, ends and is told."""

from __future__ import annotations

import sys
import textwrap
import time
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.engine.board.rules import RULE_SETS
from evolve.errors import AgentError, EngineError
from evolve.programs.external import PythonAgent, rules_in_source
from evolve.programs.sessions import PythonSession
from tests import networks
from tests.agents.conftest import pattern_agent
from tests.programs.test_external import assert_plays_the_first_move, match, nothing_is_left_behind

__all__ = ["nothing_is_left_behind"]  # a fixture of every test here, too

FIRST = """
import evolve

class Chooser:
    def choose(self, board):
        return board.legal_moves()[0]

class Namer:
    def choose(self, board):
        square = board.legal_moves()[0]
        return "abcdefgh"[square % 8] + str(square // 8 + 1)

class Teller:
    def genmove(self, side, moves):
        board = evolve.Board.start()
        for move in moves:
            square = "abcdefgh".index(move[0]) + 8 * int(move[1]) - 8 if move != "pass" else None
            board = board.pass_move() if square is None else board.play(square)
        assert board.side == side
        return board.legal_moves()[0]

class AI:
    def __init__(self, size, colour, seconds):
        print("made for", size, colour, seconds)
        assert (size, seconds) == (8, 5.0)
        self.colour = colour
        self.candidate_list = []

    def go(self, cells):
        print("thinking", flush=True)
        assert cells.shape == (8, 8) and cells.dtype.kind == "i"
        text = "".join({-1: "X", 1: "O", 0: "-"}[int(cell)] for cell in cells.ravel())
        board = evolve.Board.parse(text, "black" if self.colour == -1 else "white")
        self.candidate_list.clear()
        places = [divmod(square, 8) for square in board.legal_moves()]
        self.candidate_list.extend([*places, places[0]])
"""


@pytest.fixture
def first(tmp_path: Path) -> Path:
    path = tmp_path / "first.py"
    path.write_text(FIRST)
    return path


def agent(source: str) -> PythonAgent:
    found = evolve.load_agent(source)
    assert isinstance(found, PythonAgent)
    return found


def going(tmp_path: Path, body: str, seconds: float) -> PythonAgent:
    """A CS303 class with this `go`, on line 6 and after."""
    lines = "import os, subprocess, sys, time\nclass AI:\n"
    lines += "    def __init__(self, size, colour, seconds):\n        self.candidate_list = []\n"
    lines += "    def go(self, board):\n"
    (tmp_path / "friend.py").write_text(lines + textwrap.indent(body, " " * 8) + "\n")
    return agent(f"python:{tmp_path / 'friend.py'}?time={seconds}")


SLOW_KINDS = (":Chooser", ":Namer", ":Teller", "")


@pytest.mark.parametrize(
    "name", [":AI", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW_KINDS)]
)
def test_every_kind_of_class_plays_the_same_games(first: Path, name: str) -> None:
    assert_plays_the_first_move(*match(agent(f"python:{first}{name}"), pairs=2))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print('x' * 10**6); 1 / 0", "ZeroDivisionError: division by zero (friend.py, line 6)"),
        ("os._exit(3)", "ended with exit code 3"),
        ("self.candidate_list.append((0, 0))", "played a1, which is illegal"),
        *(
            pytest.param(body, reason, marks=pytest.mark.slow)
            for body, reason in (
                ("\n\nsys.exit('enough')", "SystemExit: enough (friend.py, line 8)"),
                ("pass", "left its candidate_list empty"),
                ("self.candidate_list.append((9, 9))", "not a move"),
                ("self.candidate_list.append(None)", "TypeError"),
            )
        ),
        pytest.param(
            "big = bytearray(1 << 30)",
            "MemoryError (friend.py, line 6)",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="no limit elsewhere"),
        ),
        ("subprocess.Popen(['sleep', '1000']); time.sleep(1000)", "no move in time"),
    ],
)
def test_what_fails_loses_that_game(tmp_path: Path, body: str, reason: str) -> None:
    seconds = 0.3 if "sleep" in body else 1
    result, played = match(going(tmp_path, body, seconds), pairs=1)
    assert result.failures_a == result.losses == 2
    reasons = [*played.games.failures.values()]
    assert [reason in one for one in reasons] == [True] * 2, reasons


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("class AI:\n    def go(self) return", r"SyntaxError: .* \(bad\.py, line 2\)"),
        ("\nimport nothing_like_this", r"No module named .* \(bad\.py, line 2\)"),
        ("def go(board):\n    pass", "has no class with choose or genmove or go"),
        ("class A:\n def go(s): 0\nclass B:\n def go(s): 0", "name one of A, B after a colon"),
    ],
)
def test_what_cannot_begin(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "bad.py").write_text(text)
    with pytest.raises(EngineError, match=reason):
        agent(f"python:{tmp_path / 'bad.py'}").prepare()


CHOOSES = "\n    def choose(self, board):\n        return board.legal_moves()[{}]\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("class Net:{0}AI = Net\n", "Net"), ("class Net:{0}AI = Other = Again = Net\n", "Net"),
        ("class One:{0}Two = One\n", "One"), ("class A:{0}class B:{0}AI = B\n", "B"),
        ("class A:{0}class B(A):\n    pass\nclass AI(B):\n    pass\n", "AI"),
        ("class P(ABC):\n    @abstractmethod\n    def choose(self): 0\nclass Mine(P):{0}", "Mine"),
        ("class P(Protocol):\n    def go(self): 0\nclass Mine(P):{0}", "Mine"),
        ("class P(Protocol):{0}class Mine:{0}", "Mine"),
        ("from other import AI\n", "AI"),
        ("from other import AI\nclass Mine(AI):\n    pass\n", "Mine"),
        ("from other import AI as Base\nclass Mine(Base):\n    pass\nAI = 3\n", "Mine"),
    ],
)  # fmt: skip
def test_one_class_may_have_several_names(tmp_path: Path, text: str, kind: str) -> None:
    """Whatever the name of its file ends in."""
    (tmp_path / "other.py").write_text("class AI:" + CHOOSES.format(0))
    lines = "from abc import ABC, abstractmethod\nfrom typing import Protocol\n"
    (tmp_path / "named.PY").write_text(lines + text.format(CHOOSES.format(0)))
    session = PythonSession(tmp_path / "named.PY", "", 5.0, 500)
    try:
        assert session._ask(time.monotonic() + 60, do="begin", seconds=5.0) == kind
    finally:
        session.program.end()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("input('your name? ')", r"EOFError: .* \(asks\.py, line 2\)"),
        ("int(sys.stdin.readline())", r"ValueError: .* \(asks\.py, line 2\)"),
        (
            "import argparse, os; assert sys.stdin.read() == ''; assert sys.argv[1:] == []\n"
            "argparse.ArgumentParser().parse_args()\n"
            "assert os.path.samefile(sys.argv[0], __file__)",
            "",
        ),
    ],
)
def test_a_file_gets_neither_input_nor_words(line: str, reason: str, tmp_path: Path) -> None:
    """Input that it waits for would be our question, after which both wait."""
    (tmp_path / "asks.py").write_text(f"import sys\n{line}\nclass AI:{CHOOSES.format(0)}")
    player = agent(f"python:{tmp_path / 'asks.py'}")
    with pytest.raises(EngineError, match=reason) if reason else nullcontext():
        assert player.choose(evolve.Board.start()) == 19
    player.close()


def test_files_beside_it_are_found(tmp_path: Path, first: Path) -> None:
    (tmp_path / "outer.py").write_text("import first\nclass Mine(first.Chooser):\n    pass\n")
    player = agent(f"python:{tmp_path / 'outer.py'}")
    assert player.choose(evolve.Board.start()) == 19
    player.close()


def test_names_and_settings_that_cannot_be(first: Path) -> None:
    for source, reason in (
        ("none.py", "there is no file 'none.py'"),
        (f"{first}:a b", "not the name of a class"),
        (f"{first}?memory=3", "memory 3 must be"),
        (f"{first}?depth=3", "has no setting 'depth'; it has time, margin, memory"),
    ):
        with pytest.raises(AgentError, match=reason):
            agent(f"python:{source}")
    with pytest.raises(EngineError, match="'None_'"):
        agent(f"python:{first}:None_").prepare()


@pytest.mark.clock
def test_a_move_costs_little(first: Path) -> None:
    """0.3 ms by the median on a quiet machine; 5 ms would show in a match."""
    player = agent(f"python:{first}:Chooser")
    board = evolve.Board.start()
    player.choose(board)
    seconds = []
    for _ in range(200):
        begin = time.perf_counter()
        player.choose(board)
        seconds.append(time.perf_counter() - begin)
    player.close()
    assert sorted(seconds)[100] < 0.005


RUN = "open('was_run', 'w')\n"


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ('RULES = "reversed"\n', "reversed"),
        ("RULES: str = 'standard'  # the usual game\n", "standard"),
        ('"""\nRULES = "reversed"\n"""\nRULES = "standard"\n', "standard"),
        ('# -*- coding: latin-1 -*-\nNAME = "Jos\xe9"\nRULES = "reversed"\n', "reversed"),
        ('OTHER = RULES = "reversed"\nPATTERN = "\\d"\n', "reversed"),
        *(
            (text, None)
            for text in (
                'if True:\n    RULES = "reversed"\n', '"""\nRULES = "reversed"\n"""\n',
                'RULES = "re" + "versed"\n', 'RULES = "misere"\n', 'RULES = ["reversed"]\n',
                'RULES = "reversed"\nRULES = 3\n', 'RULES = "reversed"\nclass (\n',
                'RULES = "reversed"\n' + "(" * 9000, "RULES_OF_MINE = 'reversed'\n", "",
                "RULES = '\xff'\n", "\xff\xfeR\0U\0", "\0RULES\nRULES = 'reversed'\n",
            )
        ),
    ],
)  # fmt: skip
def test_the_rules_of_a_file_are_read_and_nothing_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, rules: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("friend.py").write_bytes((text + RUN).encode("latin-1"))
    player = evolve.load_agent("python:friend.py?time=3")
    assert player.rules == player.own_rules() == rules
    assert not Path("was_run").exists()
    assert player.with_rules("standard").rules == "standard"
    assert rules_in_source(tmp_path / "gone.py") is None


@pytest.mark.parametrize("numba", [False, True])
def test_every_kind_that_is_exported_says_its_rules(tmp_path: Path, numba: bool) -> None:
    kinds: list[Any] = [evolve.load_agent("zero"), pattern_agent(endgame=0)]
    if not numba:
        value, actions = (networks.random_network(one) for one in (networks.VALUE, networks.PLAIN))
        kinds.append(evolve.MctsAgent(9, 1.1, "puct", endgame=6, network=value, name="tree"))
        kinds.append(evolve.DqnAgent((actions,), name="learner"))
    found = []
    for one, rules in product(kinds, RULE_SETS):
        (tmp_path / "a.py").write_text(one.with_rules(rules).python_source(numba))
        found.append(rules_in_source(tmp_path / "a.py"))
    assert found == [*RULE_SETS] * len(kinds)
