"""A hand-in put to what a contest asks: what is wrong is found, and what is right is not."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import Popen

import numpy as np
import pytest

import evolve
from evolve.engine.board.board import Side
from evolve.fitness.executor import processors
from evolve.programs import examination, host
from evolve.programs.examination import Demands, Finding, Meter, examine
from evolve.programs.process import LineProcess
from evolve.programs.sessions import PythonSession
from tests.cli import invoke, on_a_terminal, posix
from tests.programs import python, soon
from tests.waits import until

BURNS = "import time\nwhile time.process_time() < 0.3: pass"
FILLS = "x = bytearray(150 << 20); x[::4096] = b'x' * len(x[::4096])"
STAYS = f"{FILLS}; import time; time.sleep(0.3)"
"""What children do, in less than a second."""

GOOD = """
import os
import subprocess
import sys
import time

import numpy as np

class AI:
    begun = False

    def once(self, words):
        if not AI.begun:
            AI.begun = True
            subprocess.run(words)

    def __init__(self, size, colour, seconds):
        self.colour, self.candidate_list = colour, []

    def go(self, board):
        free = np.argwhere(board == 0)
        self.candidate_list = [place for place in free if self.turns(board, *place)]
        BODY

    def turns(self, board, row, column):
        for step in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
            r, c, count = row + step[0], column + step[1], 0
            while 0 <= r < 8 and 0 <= c < 8 and board[r, c] == -self.colour:
                r, c, count = r + step[0], c + step[1], count + 1
            if count and 0 <= r < 8 and 0 <= c < 8 and board[r, c] == self.colour:
                return True
        return False
"""


def findings(tmp_path: Path, body: str = "pass", **options: object) -> dict[str, Finding]:
    path = tmp_path / "hand_in.py"
    path.write_text(GOOD.replace("BODY", textwrap.indent(body, " " * 8).strip()))
    asked = {name: options.pop(name) for name in ("seconds", "modules") if name in options}
    demands = Demands(**asked)  # type: ignore[arg-type]
    found = examine(path, demands=demands, **{"games": 2, **options})  # type: ignore[arg-type]
    return {one.name: one for one in found}


def test_what_is_right(tmp_path: Path) -> None:
    moves: list[int] = []
    found = findings(tmp_path, progress=moves.append)
    assert [name for name, one in found.items() if not one.good] == []
    assert found["imports"].text == "os, subprocess, sys, time, numpy"
    assert "2 against random moves" in found["games"].text
    assert " 0 passes" not in found["games"].text
    assert 40 < sum(moves) == len(moves) < 80


@pytest.mark.parametrize(
    ("body", "name", "text", "games"),
    [
        ("import evolve", "imports", "evolve: only numpy may be", "not played: what it imports is"),
        *(
            pytest.param(body, "games", text, f"game 0, 4 discs: {text}", marks=marks)
            for body, text, *marks in (
                ("self.candidate_list.insert(0, (0, 0))", "(0, 0) is not legal"),
                ("self.candidate_list = self.candidate_list[:0]", "its list is empty where"),
                ("os._exit(4)", "ended with exit code 4"),
                ("return 1 / 0", "ZeroDivisionError: division by zero (hand_in.py, line 23)"),
                ("time.sleep(60)", "no move in time", pytest.mark.slow),
            )
        ),
        pytest.param(
            *("time.sleep(0.15)", "time", "the slowest move", "stopped at game 0, 4"),
            marks=pytest.mark.clock,
        ),
        pytest.param(
            "self.big = bytearray(200 << 20); self.big[::4096] = b'x' * 51200",
            *("memory", "of 100", ""),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            f"self.once([sys.executable, '-S', '-c', {BURNS!r}])",
            *("cpu", "the most for a move", "stopped at game 0"),
            marks=pytest.mark.slow,
        ),
        *(
            (f"self.once([{words}, '-S', '-c', {code!r}])", name, text, games)
            for words, code, name, text, games in (
                # Long enough for a sample: what lives for less is found at the end.
                ("sys.executable", STAYS, "memory", "of 100", "stopped at game 0"),
                ("sys.executable", FILLS, "memory", "of 100", ""),
                ("'setsid', sys.executable", FILLS, "memory", "of 100", ""),
            )
        ),
    ],
)
def test_a_fault_ends_it(tmp_path: Path, body: str, name: str, text: str, games: str) -> None:
    moves: list[int] = []
    seconds = 0.1 if name in ("time", "cpu") or "sleep(60)" in body else 5.0
    found = findings(tmp_path, body, seconds=seconds, games=1, progress=moves.append)
    assert found[name].good is False
    assert text in found[name].text
    if games:
        assert found["games"].text.startswith(games)
        assert found["games"].good is (False if name == "games" else None)
        assert len(moves) <= 3


def test_an_interruption_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of deadlines may not have moved until then."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PythonSession, "examine", interrupt)
    now = examination.own_seconds()
    monkeypatch.setattr(examination, "own_seconds", lambda: now)
    with pytest.raises(KeyboardInterrupt):
        findings(tmp_path)


@pytest.mark.clock
def test_what_is_late_on_a_busy_machine_is_not_called_wrong(tmp_path: Path) -> None:
    with ExitStack() as busy:
        for _ in range(2 * processors()):
            burning = busy.enter_context(Popen([sys.executable, "-S", "-c", "while True: pass"]))
            busy.callback(burning.kill)
        found = findings(tmp_path, "import time; time.sleep(0.3)", seconds=0.25, games=1)
    assert found["games"].good
    assert found["time"].good is None
    assert "check again" in found["time"].text


@pytest.mark.parametrize(
    ("body", "name", "text"),
    [
        ("pass", "games", "4 moves and 2 passes, all legal, in positions alone"),
        ("self.candidate_list.insert(0, (9, 9))", "games", "a position, 4 discs: (9, 9) is not"),
        ("(board != 0).sum() > 40 and self.candidate_list.clear()", "games", "its list is empty"),
        ("self.candidate_list = self.candidate_list or [(0, 0)]", "games", "at a pass"),
        pytest.param(
            *("(board != 0).sum() > 48 and time.sleep(0.4)", "time", "the slowest move"),
            marks=pytest.mark.clock,
        ),
    ],
)
def test_a_quick_look_finds_it_as_well(tmp_path: Path, body: str, name: str, text: str) -> None:
    moves: list[int] = []
    seconds = 0.25 if name == "time" else 5.0
    found = findings(tmp_path, body, seconds=seconds, games=0, progress=moves.append)
    assert text in found[name].text
    assert (found[name].good is True) is (body == "pass")
    assert len(moves) <= 6


@pytest.mark.parametrize(("side", "discs"), examination._QUICK)
def test_positions_of_a_quick_look_are_those_that_it_says(side: Side, discs: int) -> None:
    boards = [examination._position(side, discs, np.random.default_rng(seed)) for seed in range(3)]
    assert {board.side for board in boards} == {side}
    assert max(abs(board.disc_count - discs) for board in boards) <= 1
    assert min(len(board.legal_moves()) for board in boards) > 1


def test_other_imports_that_are_allowed_or_tried(tmp_path: Path) -> None:
    body = "import psutil\ntry:\n    import nothing_like_this\nexcept ImportError:\n    pass"
    assert findings(tmp_path, body, modules=("numpy", "psutil"), games=0)["imports"].good


def test_source_that_nests_deep_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.py"
    path.write_text("import numpy\nTABLE = " + " + ".join(["'ab'"] * 1200))
    assert examination._imports(path, ("numpy",)) == Finding("imports", True, "numpy")
    path.write_text("x = " + "-" * 100_000 + "1")
    assert "nested too deep" in examination._imports(path, ()).text


def test_on_the_command_line(tmp_path: Path) -> None:
    agent = evolve.load_agent("swh")
    assert isinstance(agent, evolve.AlphaBetaAgent)
    path = tmp_path / "agent.py"
    path.write_text(agent.python_source(), encoding="utf-8")
    found = invoke("check", path, "--games", 1)
    assert found.code == 0
    assert [line.split()[1] for line in found.out.splitlines()] == ["ok"] * 6
    path.write_text("import evolve\n")
    found = invoke("check", path, "--json")
    assert found.document["findings"][-1]["text"] == "has no class with choose or genmove or go"


@posix
def test_a_bar_shows_how_far_it_is(tmp_path: Path) -> None:
    path = tmp_path / "hand_in.py"
    path.write_text(GOOD.replace("BODY", "pass"))
    shown = on_a_terminal(tmp_path, "check", path, "--quick")
    assert re.search(r"moves .* [1-6]/6 ", shown)


def test_the_host_is_for_python_3_7() -> None:
    ast.parse(Path(host.__file__).read_text(encoding="utf-8"), feature_version=(3, 7))


SPAWNS = "subprocess.run([*words,"
BURNING = BURNS.replace("\n", "\\n")
HOLDS = "x = bytearray(60 << 20); x[::4096] = b'x' * len(x[::4096]); print('held'); input()"
START = "import os, signal, subprocess, sys; words = [sys.executable, '-S', '-u', '-c']\n"


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


@contextmanager
def measured(code: str) -> Iterator[tuple[LineProcess, Meter]]:
    program = LineProcess(python(START + code))
    found = Meter(program.number)
    try:
        yield program, found
    finally:
        found.close()
        program.end()


@needs_proc
@pytest.mark.parametrize(
    "code",
    [
        pytest.param(f"exec('{BURNING}'); print('done')", marks=pytest.mark.slow),
        pytest.param(f"{SPAWNS} '{BURNING}']); print('done')", marks=pytest.mark.slow),
        f"signal.signal(signal.SIGCHLD, signal.SIG_IGN); {SPAWNS} '{BURNING}']); print('done')",
        f"subprocess.run(['setsid', '-w', *words, '{BURNING}'], env={{}}); print('done')",
        f"subprocess.run(['sh', '-c', '\"$0\" \"$@\" &', *words, '{BURNING}' + '\\nprint(1)'])",
    ],
    ids=["itself", "a child", "one that nobody waits for", "another session", "an orphan"],
)
def test_the_time_of_all_counts(code: str) -> None:
    with measured(f"{code}\ninput()") as (program, found):
        program.receive(soon(60), "end")
        until(lambda: found.seconds() > 0.25)
        before = found.seconds()
        assert found.seconds() >= before
        assert before < 20


@needs_proc
def test_the_memory_of_all_counts() -> None:
    code = f"one = subprocess.Popen([*words, {HOLDS!r}]); {HOLDS}; one.wait()"
    with measured(code) as (program, found):
        for _ in range(2):
            program.receive(soon(60), "line")
        found.seconds()
        assert 120 < found.megabytes < 200
        assert found.processes == 2


@needs_proc
def test_what_is_shared_counts_once() -> None:
    code = f"{HOLDS.removesuffix('input()')}\nfor _ in range(3):\n  if os.fork() == 0: break\n"
    with measured(f"{code}print('here')\ninput()") as (program, found):
        for _ in range(5):
            program.receive(soon(60), "line")
        found.seconds()
        assert 60 < found.megabytes < 130


@needs_proc
def test_the_guard_knows_the_largest_of_those_that_have_ended() -> None:
    code = f"{SPAWNS} {HOLDS.removesuffix('; input()')!r}])"
    program = LineProcess(python(START + code))
    assert program.receive(soon(60), "line") == "held"
    program.end(seconds_to_end=60.0)
    assert 60 < program.megabytes < 120
