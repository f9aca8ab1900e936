"""What programs take, measured from outside, with all that they start."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evolve.programs.examination import Meter
from evolve.programs.process import LineProcess
from tests.programs import python, soon
from tests.waits import until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

BURNS = "import time\\nwhile time.process_time() < 0.3: pass"
HOLDS = "x = bytearray(60 << 20); x[::4096] = b'x' * len(x[::4096]); print('held'); input()"
START = "import os, signal, subprocess, sys; words = [sys.executable, '-S', '-u', '-c']\n"


@contextmanager
def measured(code: str) -> Iterator[tuple[LineProcess, Meter]]:
    program = LineProcess(python(START + code))
    found = Meter(program.number)
    try:
        yield program, found
    finally:
        found.close()
        program.end()


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(f"exec('{BURNS}'); print('done'); input()", marks=pytest.mark.slow),
        pytest.param(
            f"subprocess.run([*words, '{BURNS}']); print('done'); input()", marks=pytest.mark.slow
        ),
        f"signal.signal(signal.SIGCHLD, signal.SIG_IGN); subprocess.run([*words, '{BURNS}']); "
        "print('done'); input()",
        f"subprocess.run(['setsid', '-w', *words, '{BURNS}'], env={{}}); print('done'); input()",
        f"subprocess.run(['sh', '-c', '\"$0\" \"$@\" &', *words, '{BURNS}' + '\\nprint(1)'])\n"
        "input()",
    ],
    ids=["itself", "a child", "one that nobody waits for", "another session", "an orphan"],
)
def test_the_time_of_all_counts(code: str) -> None:
    with measured(code) as (program, found):
        program.receive(soon(60), "end")
        until(lambda: found.seconds() > 0.25)
        before = found.seconds()
        assert found.seconds() >= before
        assert before < 20


def test_the_memory_of_all_counts() -> None:
    code = f"one = subprocess.Popen([*words, {HOLDS!r}]); {HOLDS}; one.wait()"
    with measured(code) as (program, found):
        for _ in range(2):
            program.receive(soon(60), "line")
        found.seconds()
        assert 120 < found.megabytes < 200
        assert found.processes == 2


def test_what_is_shared_counts_once() -> None:
    code = f"{HOLDS.removesuffix('input()')}\nfor _ in range(3):\n  if os.fork() == 0: break\n"
    with measured(f"{code}print('here')\ninput()") as (program, found):
        for _ in range(5):
            program.receive(soon(60), "line")
        found.seconds()
        assert 60 < found.megabytes < 130


def test_the_guard_knows_the_largest_of_those_that_have_ended() -> None:
    code = f"subprocess.run([*words, {HOLDS.removesuffix('; input()')!r}])"
    program = LineProcess(python(START + code))
    assert program.receive(soon(60), "line") == "held"
    program.end(seconds_to_end=60.0)
    assert 60 < program.megabytes < 120
