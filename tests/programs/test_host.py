"""Python files as agents: every kind of class plays, and whatever fails loses, ends and is told."""

from __future__ import annotations

import sys
import textwrap
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import evolve
from evolve.agents.agent import StoredAgent
from evolve.arena.match import Match
from evolve.engine.board.rules import RULE_SETS
from evolve.errors import AgentError, EngineError
from evolve.fitness.openings import Part, balanced_openings
from evolve.programs.external import PythonAgent, rules_in_source
from evolve.programs.sessions import PythonSession
from tests import networks
from tests.agents.conftest import pattern_agent
from tests.programs.test_external import FirstMove, match, nothing_is_left_behind

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


def going(tmp_path: Path, body: str, settings: str = "") -> PythonAgent:
    """A CS303 class with this `go`, on line 6 and after."""
    lines = "import os, sys, time\nclass AI:\n    def __init__(self, size, colour, seconds):\n"
    lines += "        self.candidate_list = []\n    def go(self, board):\n"
    (tmp_path / "friend.py").write_text(lines + textwrap.indent(body, " " * 8) + "\n")
    return agent(f"python:{tmp_path / 'friend.py'}{settings}")


@pytest.mark.parametrize(
    "name",
    [
        ":AI",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("Chooser", "Namer", "Teller", "")
        ),
    ],
)
def test_every_kind_of_class_plays_the_same_games(first: Path, name: str) -> None:
    result, played = match(agent(f"python:{first}{':' * bool(name)}{name.lstrip(':')}"), pairs=2)
    openings = balanced_openings(2, Part.MATCH, "standard", np.random.default_rng(1))
    other = Match(FirstMove(), evolve.load_agent("swh"), openings, "standard")
    assert other.play() == result
    assert np.array_equal(other.games.moves, played.games.moves)
    assert result.failures_a == 0


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
                ("time.sleep(1000)", "no move in time"),
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
        (
            "import subprocess; subprocess.Popen(['sleep', '1000']); time.sleep(1000)",
            "no move in time",
        ),
    ],
)
def test_what_fails_loses_that_game(tmp_path: Path, body: str, reason: str) -> None:
    player = going(tmp_path, body, "?time=0.3" if "sleep" in body else "?time=1")
    begin = time.monotonic()
    result, played = match(player, pairs=1)
    assert time.monotonic() - begin < 1000, "nothing that sleeps is waited for"
    assert result.failures_a == result.losses == 2
    table = played.games.table(0, "match", ["a", "b"], "standard", played.openings)
    reasons = table["reason"].to_pylist()
    assert all(reason in one for one in reasons), reasons


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
    player = agent(f"python:{tmp_path / 'bad.py'}")
    with pytest.raises(EngineError, match=rf"{reason}"):
        player.prepare()


CHOOSES = "\n    def choose(self, board):\n        return board.legal_moves()[{}]\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("class Net:{0}AI = Net\n", "Net"),
        ("class Net:{0}AI = Other = Again = Net\n", "Net"),
        ("class One:{0}Two = One\n", "One"),
        ("class A:{0}class B:{0}AI = B\n", "B"),
        ("class A:{0}class B(A):\n    pass\nclass AI(B):\n    pass\n", "AI"),
        ("class P(ABC):\n    @abstractmethod\n    def choose(self): 0\nclass Mine(P):{0}", "Mine"),
        ("class P(Protocol):\n    def go(self): 0\nclass Mine(P):{0}", "Mine"),
        ("class P(Protocol):{0}class Mine:{0}", "Mine"),
        ("from other import AI\n", "AI"),
        ("from other import AI\nclass Mine(AI):\n    pass\n", "Mine"),
        ("from other import AI as Base\nclass Mine(Base):\n    pass\nAI = 3\n", "Mine"),
    ],
)
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
def test_a_file_that_asks_for_input_or_words_gets_none(
    line: str, reason: str, tmp_path: Path
) -> None:
    """Input that it waits for would be our question, after which both wait."""
    (tmp_path / "asks.py").write_text(f"import sys\n{line}\nclass AI:{CHOOSES.format(0)}")
    player = agent(f"python:{tmp_path / 'asks.py'}")
    if reason:
        with pytest.raises(EngineError, match=reason):
            player.prepare()
    else:
        assert player.choose(evolve.Board.start()) == 19
    player.close()


def test_files_beside_it_are_found(tmp_path: Path, first: Path) -> None:
    (tmp_path / "outer.py").write_text("import first\nclass Mine(first.Chooser):\n    pass\n")
    assert match(agent(f"python:{tmp_path / 'outer.py'}"), pairs=1)[0].failures_a == 0


def test_names_and_settings_that_cannot_be(first: Path) -> None:
    for source, reason in (
        ("python:none.py", "there is no file 'none.py'"),
        (f"python:{first}:a b", "not the name of a class"),
        (f"python:{first}?memory=3", "memory 3 must be"),
        (f"python:{first}?depth=3", "has no setting 'depth'; it has time, margin, memory"),
    ):
        with pytest.raises(AgentError, match=reason):
            evolve.load_agent(source)
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
        ('if True:\n    RULES = "reversed"\n', None),
        ('"""\nRULES = "reversed"\n"""\n', None),
        ('RULES = "re" + "versed"\n', None),
        ('RULES = "misere"\n', None),
        ('RULES = ["reversed"]\n', None),
        ('RULES = "reversed"\nRULES = 3\n', None),
        ('RULES = "reversed"\nclass (\n', None),
        ('RULES = "reversed"\n' + "(" * 9000, None),
        ("RULES_OF_MINE = 'reversed'\n", None),
        *(("", None), ("RULES = '\xff'\n", None), ("\xff\xfeR\0U\0", None)),
        ("\0RULES\nRULES = 'reversed'\n", None),
    ],
)
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
    patterns = pattern_agent(endgame=0)
    assert isinstance(patterns, StoredAgent)
    table = evolve.load_agent("zero")
    assert isinstance(table, StoredAgent)
    kinds: list[StoredAgent] = [table, patterns]
    if not numba:
        value, actions = (networks.random_network(one) for one in (networks.VALUE, networks.PLAIN))
        kinds.append(evolve.MctsAgent(9, 1.1, "puct", endgame=6, network=value, name="tree"))
        kinds.append(evolve.DqnAgent((actions,), name="learner"))
    found = []
    for one, rules in product(kinds, RULE_SETS):
        (tmp_path / "a.py").write_text(one.with_rules(rules).python_source(numba))
        found.append(evolve.load_agent(f"python:{tmp_path / 'a.py'}").rules)
    assert found == [*RULE_SETS] * len(kinds)
