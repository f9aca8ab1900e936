"""Children of this process end with it, whatever they do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from evolve.programs.children import Life
from tests.cli import environment
from tests.waits import PATIENCE, until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does without pipes")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread watches")
SLEEPS = "ctypes.PyDLL(None).sleep(1000)"
"""Holds the interpreter's lock, as a computation in C may: no thread of Python gets to run."""
WORKS = "import ctypes, os; print(os.getpid(), flush=True); "
ENDS = (
    "import sys, time; from evolve.programs.children import end_with; end_with(int(sys.argv[1])); "
)

LIFE = "import subprocess, sys; from evolve.programs.children import Life; life = Life()"
KINDS = {
    "ours": f"""{LIFE}
words = [sys.executable, "-c", {ENDS + WORKS + SLEEPS!r}, *map(str, life.pipes)]
subprocess.Popen(words, pass_fds=life.pipes)
life.leave()
""",
    "guarded": f"""{LIFE}
words = life.guard([sys.executable, "-c", {WORKS + SLEEPS!r}])
subprocess.Popen(words, pass_fds=life.pipes, start_new_session=True)
life.leave()
""",
    "multiprocessing": """
import multiprocessing
from tests.programs import hold_the_lock
multiprocessing.get_context("spawn").Process(target=hold_the_lock).start()
""",
}


@contextmanager
def parent(code: str) -> Iterator[tuple[subprocess.Popen[str], psutil.Process]]:
    """A process that runs code, and its child, which has said its number."""
    words = [sys.executable, "-c", f"{code}\nimport time; time.sleep(1000)"]
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


def started(life: Life, code: str) -> subprocess.Popen[bytes]:
    """A child with these pipes, which has begun."""
    words = [sys.executable, "-c", code, *map(str, life.pipes)]
    child = subprocess.Popen(words, env=environment(), pass_fds=life.pipes, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return child


@LINUX
def test_a_child_does_not_end_with_the_thread_that_started_it() -> None:
    """As it would with the parent-death signal; it ends with the pipe."""
    life, children = Life(), list[subprocess.Popen[bytes]]()
    thread = threading.Thread(target=lambda: children.append(started(life, ENDS + WORKS + SLEEPS)))
    thread.start()
    number = thread.native_id
    thread.join()
    life.leave()
    with children[0] as child:
        until(lambda: not Path(f"/proc/self/task/{number}").exists())
        assert child.poll() is None
        life.end()
        assert child.wait(60) == -signal.SIGKILL


def test_a_child_that_begins_when_its_parent_has_ended_ends() -> None:
    pipe, ours = os.pipe()
    os.close(ours)
    words = [sys.executable, "-c", f"{ENDS}time.sleep(1000)", str(pipe)]
    ended = subprocess.run(
        words, env=environment(), pass_fds=(pipe,), check=False, timeout=PATIENCE
    )
    os.close(pipe)
    assert ended.returncode == 1


def test_elsewhere_a_thread_watches() -> None:
    life = Life()
    code = f"import sys; sys.platform = 'darwin'; {ENDS}print('begun', flush=True); time.sleep(99)"
    with started(life, code) as child:
        life.leave()
        life.end()
        assert child.wait(60) == 1
