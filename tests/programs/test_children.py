"""Programs that end their guards, or stop them: nothing of theirs is left all the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from evolve.errors import EngineError
from evolve.programs.children import MARK, PROGRAMS, Life, Programs, Report, new_mark
from evolve.programs.process import LineProcess
from tests.cli import environment
from tests.programs import soon
from tests.waits import PATIENCE, gone, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

CHILDREN = {
    "a child": "sleep 1000 & echo $!",
    "one that hides from signals": "(trap '' HUP TERM INT; exec sleep 1000) & echo $!",
    "an orphan": "(sleep 1000 & echo $!)",
    "one in a session of its own": "(setsid sh -c 'echo $$; exec sleep 1000' &)",
    "one without our mark": "(env -i sh -c 'echo $$; exec sleep 1000' &)",
    "one that starts others": "sh -c 'sleep 1000 & echo $$; while :; do sleep 0.01; done' &",
}
HIDDEN = "(env -i setsid sh -c 'echo $$; exec sleep 1000' &)"
"""In a session of its own, and without our mark."""
ENDS = {
    "kill": "read go; kill -KILL $PPID; sleep 1000",
    "stop": "read go; kill -STOP $PPID; sleep 1000",
}


@pytest.fixture
def program() -> Iterator[Callable[[str], tuple[LineProcess, int]]]:
    """Starts a shell script, which says the number of a process, and reads a line."""
    started: list[LineProcess] = []

    def start(script: str) -> tuple[LineProcess, int]:
        made = LineProcess(["sh", "-c", script])
        started.append(made)
        number = int(made.receive(soon(), "number"))
        made.send("go")
        return made, number

    yield start
    for one in started:
        one.end()


@pytest.mark.parametrize("child", CHILDREN)
def test_a_program_that_kills_its_guard_leaves_nothing_behind(
    child: str, program: Callable[[str], tuple[LineProcess, int]]
) -> None:
    made, number = program(f"{CHILDREN[child]}\nread go; kill -KILL $PPID; sleep 1000")
    until(lambda: gone(number))  # though nobody has asked for anything, nor ended it
    with pytest.raises(EngineError, match="was ended by signal SIGKILL"):
        made.receive(soon(), "answer")


@pytest.mark.parametrize("child", CHILDREN)
def test_a_program_that_stops_its_guard_leaves_nothing_behind(
    child: str, program: Callable[[str], tuple[LineProcess, int]]
) -> None:
    made, number = program(f"{CHILDREN[child]}\nread go; kill -STOP $PPID; sleep 1000")
    assert made.guard is not None
    guard = psutil.Process(made.guard)
    until(lambda: guard.status() == "stopped")
    made.end()
    assert gone(number)
    assert gone(guard.pid)


@pytest.mark.slow
def test_a_guard_that_is_stopped_again_and_again_is_ended(
    program: Callable[[str], tuple[LineProcess, int]],
) -> None:
    made, number = program(
        f"{CHILDREN['an orphan']}\nread go; (while kill -STOP $PPID; do :; done) & sleep 1000"
    )
    made.end()
    assert gone(number)
    assert made.guard is not None
    assert gone(made.guard)


IN_A_PROCESS_OF_OURS = """
import os, subprocess, sys
from evolve.programs.children import PROGRAMS
from evolve.programs.process import LineProcess
PROGRAMS.claim()
other = subprocess.Popen(["sleep", "1000"])
program = LineProcess(["sh", "-c", sys.argv[1]])
later = LineProcess(["sh", "-c", "echo $$; sleep 1000"])
import time
print(program.receive(time.monotonic() + 60, "number"), flush=True)
program.send("go")
sys.stdin.readline()
program.end()
assert other.poll() is None, "it is no program's"
assert later._process.poll() is None, "it has a guard"
other.kill()
later.end()
children = open(f"/proc/self/task/{os.getpid()}/children").read().split()
assert set(children) <= {str(other.pid)}, "all have been waited for"
print("done")
"""


@pytest.mark.parametrize("end", ENDS)
def test_a_process_of_ours_adopts_what_hides(end: str) -> None:
    words = [sys.executable, "-c", IN_A_PROCESS_OF_OURS, f"{HIDDEN}; {ENDS[end]}"]
    with subprocess.Popen(
        words, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        number = int(process.stdout.readline())
        if end == "kill":
            until(lambda: gone(number))
        out, _ = process.communicate("\n", timeout=PATIENCE)
    assert (process.returncode, out) == (0, "done\n")
    assert gone(number)


STOPPED = """
import sys, time
from evolve.programs.process import LineProcess
program = LineProcess(["sh", "-c", "sleep 1000 & echo $! $PPID; kill -STOP $PPID; sleep 1000"])
print(program.receive(time.monotonic() + 60, "numbers"), flush=True)
time.sleep(1000)
"""


def test_a_guard_that_is_stopped_wakes_when_evolve_is_killed() -> None:
    words = [sys.executable, "-c", STOPPED]
    with subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child, guard = map(int, process.stdout.readline().split())
        until(lambda: psutil.Process(guard).status() == "stopped")
        process.kill()
    until(lambda: gone(child) and gone(guard))


def test_nobody_elses_process_is_touched() -> None:
    """Neither one with another mark, nor one of another session, whatever it is called."""
    others = [
        subprocess.Popen(["sleep", "1000"], start_new_session=alone, env={MARK: new_mark()})
        for alone in (False, True)
    ]
    found, report = Programs(), Report()
    report.leave()
    guard = subprocess.Popen(["true"], start_new_session=True)
    found.begin(guard.pid)
    guard.wait()
    report.read()
    assert (report.session, report.all_ended) == (None, False)
    begin = time.monotonic()
    found.end(guard.pid, report, new_mark())
    assert time.monotonic() - begin < PATIENCE
    for one in others:
        assert one.poll() is None
        one.kill()
        one.wait()


def test_a_library_does_not_adopt_what_is_others() -> None:
    """This process is pytest's: what its children leave behind goes where it always went."""
    assert not PROGRAMS._adopts
    orphan = subprocess.run(
        ["sh", "-c", "sleep 1000 > /dev/null & echo $!"],
        stdout=subprocess.PIPE,
        check=True,
        timeout=PATIENCE,
    )
    number = int(orphan.stdout)
    assert psutil.Process(number).ppid() != os.getpid()
    os.kill(number, signal.SIGKILL)


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread watches")
SLEEPS = "ctypes.PyDLL(None).sleep(1000)"
"""Holds the interpreter's lock, as a computation in C may: no thread of Python gets to run."""
WORKS = "import ctypes, os; print(os.getpid(), flush=True); "

KINDS = {
    "ours": f"""
import subprocess, sys
from evolve.programs.children import Life
life = Life()
code = "import sys; from evolve.programs.children import end_with; end_with(int(sys.argv[1])); "
code += {WORKS + SLEEPS!r}
subprocess.Popen([sys.executable, "-c", code, *map(str, life.pipes)], pass_fds=life.pipes)
life.leave()
time.sleep(1000)
""",
    "guarded": f"""
import subprocess, sys
from evolve.programs.children import Life
life = Life()
words = life.guard([sys.executable, "-c", {WORKS + SLEEPS!r}])
subprocess.Popen(words, pass_fds=life.pipes, start_new_session=True)
life.leave()
time.sleep(1000)
""",
    "multiprocessing": """
import multiprocessing
from tests.programs import hold_the_lock
multiprocessing.get_context("spawn").Process(target=hold_the_lock).start()
time.sleep(1000)
""",
}


@contextmanager
def parent(code: str) -> Iterator[tuple[subprocess.Popen[str], psutil.Process]]:
    """A process that runs code, and its child, which has said its number."""
    words = [sys.executable, "-c", "import time\n" + code]
    process = subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    child = psutil.Process(int(process.stdout.readline()))
    try:
        yield process, child
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        if child.is_running():
            child.kill()


@LINUX
@pytest.mark.parametrize(
    "kind", ["ours", "guarded", pytest.param("multiprocessing", marks=pytest.mark.slow)]
)
def test_a_child_ends_with_its_parent_in_the_middle_of_what_it_does(kind: str) -> None:
    with parent(KINDS[kind]) as (process, child):
        process.kill()
        psutil.wait_procs([child], timeout=PATIENCE)
        assert not child.is_running()


@LINUX
def test_a_child_does_not_end_with_the_thread_that_started_it() -> None:
    """As it would with the parent-death signal; it ends with the pipe."""
    life, children = Life(), []
    code = "import sys; from evolve.programs.children import end_with; end_with(int(sys.argv[1])); "
    words = [sys.executable, "-c", code + WORKS + SLEEPS, *map(str, life.pipes)]

    def start() -> None:
        child = subprocess.Popen(
            words, env=environment(), pass_fds=life.pipes, stdout=subprocess.PIPE
        )
        children.append(child)
        assert child.stdout is not None
        child.stdout.readline()

    thread = threading.Thread(target=start)
    thread.start()
    number = thread.native_id
    thread.join()
    life.leave()
    (child,) = children
    with child:
        while Path(f"/proc/self/task/{number}").exists():
            time.sleep(0.001)
        assert child.poll() is None
        life.end()
        assert child.wait(60) == -signal.SIGKILL


def test_a_child_that_begins_when_its_parent_has_ended_ends() -> None:
    pipe, ours = os.pipe()
    os.close(ours)
    code = "import sys, time; from evolve.programs.children import end_with; "
    code += "end_with(int(sys.argv[1]))"
    words = [sys.executable, "-c", f"{code}; time.sleep(1000)", str(pipe)]
    ended = subprocess.run(
        words, env=environment(), pass_fds=(pipe,), check=False, timeout=PATIENCE
    )
    os.close(pipe)
    assert ended.returncode == 1


def test_elsewhere_a_thread_watches() -> None:
    life = Life()
    code = "import sys, time; sys.platform = 'darwin'; "
    code += "from evolve.programs.children import end_with; end_with(int(sys.argv[1])); "
    code += "print('begun', flush=True); time.sleep(1000)"
    words = [sys.executable, "-c", code, *map(str, life.pipes)]
    with subprocess.Popen(
        words, env=environment(), pass_fds=life.pipes, stdout=subprocess.PIPE
    ) as child:
        life.leave()
        assert child.stdout is not None
        child.stdout.readline()
        life.end()
        assert child.wait(60) == 1
