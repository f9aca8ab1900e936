"""Programs spoken to in lines: nothing they do or leave undone keeps us waiting."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat

import psutil
import pytest

from evolve.errors import EngineError
from evolve.programs.process import LineProcess, signal_name
from tests.programs import python, soon
from tests.waits import Interrupt, until_within

ECHO = "import sys\nfor line in sys.stdin: print(' ', line.strip().upper(), '\\t')"


@contextmanager
def running(code: str) -> Iterator[LineProcess]:
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    program = LineProcess(python(code))
    try:
        yield program
    finally:
        program.end()
    left = {process.pid for process in psutil.Process().children(recursive=True)} - before
    assert not left


def test_lines_go_and_come() -> None:
    with running(ECHO) as program:
        for line in ("a", "b c", "é–"):
            program.send(line)
        assert [program.receive(soon(), "line") for _ in range(3)] == ["A", "B C", "É–"]


def test_an_interruption_at_any_step_leaves_it_usable() -> None:
    """A queue with a limit stayed locked: neither lines nor the end came past it."""
    with running(ECHO) as program:

        def ask() -> None:
            program.send("a")
            assert program.receive(soon(), "line") == "A"

        step, interrupted, before = 0, True, sys.gettrace()
        while interrupted:
            step += 1
            sys.settrace(Interrupt(step))
            try:
                program.receive(0.0, "line")
            except (KeyboardInterrupt, EngineError) as error:
                interrupted = isinstance(error, KeyboardInterrupt)
            finally:
                sys.settrace(before)
            thread = threading.Thread(target=ask, daemon=True)
            thread.start()
            thread.join(10)
            assert not thread.is_alive(), f"stands still after an interruption at step {step}"
        assert step > 30


@pytest.mark.clock
def test_one_that_says_nothing_is_waited_for_no_longer_than_said() -> None:
    """Half a second more: what it may still say when it has ended is waited for so long."""
    with running("import time; time.sleep(100)") as program:
        begin = time.monotonic()
        with pytest.raises(EngineError, match="answer"):
            program.receive(begin + 0.3, "answer")
        assert 0.25 < time.monotonic() - begin < 0.8


def test_one_that_does_not_listen_is_told_of_when_it_is_gone() -> None:
    with running("pass") as program, pytest.raises(EngineError, match="0"):
        deque(map(program.send, repeat("x" * 1000)), maxlen=0)


@pytest.mark.clock
def test_one_that_floods_ends_at_once() -> None:
    """0.2 s; a guard that cannot end it takes 5, and is waited for for 10."""
    with running("while True: print('noise ' * 100)") as program:
        assert program.receive(soon(), "answer").startswith("noise")
        begin = time.monotonic()
        program.end("quit", 0.1)
        assert time.monotonic() - begin < 2


def test_another_thread_may_end_what_is_waited_for() -> None:
    with running("import time; print('begun'); time.sleep(1000)") as program:
        assert program.receive(soon(), "line") == "begun"

        def end() -> None:
            until_within(threading.main_thread(), "receive")
            program.end()

        thread = threading.Thread(target=end)
        thread.start()
        with pytest.raises(EngineError, match="ended"):  # and no answer in time
            program.receive(soon(1000), "answer")
        thread.join()
        program.end("quit")  # once more, though nobody hears it
        with pytest.raises(EngineError):
            program.send("too late")


def test_a_farewell_is_heard() -> None:
    with running("import sys; sys.exit(7 if input() == 'quit' else 1)") as program:
        program.end("quit", 20.0)
        with pytest.raises(EngineError, match="7"):
            program.receive(soon(), "answer")


def test_signals_without_a_name_have_their_number() -> None:
    assert signal_name(signal.SIGINT) == "SIGINT"
    assert signal_name(999) == "999"
