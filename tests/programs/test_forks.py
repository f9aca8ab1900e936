"""Processes forked from one that has imported what they need."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import psutil
import pytest

from evolve.errors import RunError
from evolve.programs.forks import _begin, _hide_program, start
from tests.waits import PATIENCE, until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

MODULES = ("evolve.evolution.loop", "is_not_there")


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server of its own for each test."""
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    stopped: Any = forkserver
    stopped._forkserver._stop()
    yield
    stopped._forkserver._stop()


def report(file: Path) -> None:
    """What a process is, as it sees it."""
    found = {
        "folder": os.getcwd(),
        "mark": os.environ.get("EVOLVE_TEST_MARK"),
        "alone": os.getsid(0) == os.getpid(),
        "interrupted": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
        "blocked": [*signal.pthread_sigmask(signal.SIG_BLOCK, ())],
        "modules": [name for name in MODULES if name in sys.modules],
        "threads": threading.active_count(),
        "server": os.getppid(),
    }
    file.with_suffix(".part").write_text(json.dumps(found))
    file.with_suffix(".part").rename(file)


def sleep(file: Path) -> None:
    report(file)
    time.sleep(600)


def fail() -> None:
    raise ValueError("as it must")


def reported(file: Path, work: Any = report) -> tuple[BaseProcess, dict[str, Any]]:
    process = start(work, (file,), MODULES)
    until(lambda: file.exists() or process.exitcode not in (None, 0))
    return process, json.loads(file.read_text())


@pytest.mark.slow
def test_a_process_is_as_if_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, found = reported(tmp_path / "first")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("EVOLVE_TEST_MARK", "later than the server")
    second, again = reported(tmp_path / "second")
    assert (found["mark"], again["mark"]) == (None, "later than the server")
    assert again["folder"] == str(tmp_path / "elsewhere")
    assert found["server"] == again["server"] != os.getpid()
    same = {
        "modules": ["evolve.evolution.loop"],
        "alone": True,
        "interrupted": True,
        "blocked": [],
        "threads": 2,  # its own, and the one that watches over it
    }
    assert [{key: one[key] for key in same} for one in (found, again)] == [same] * 2
    if sys.platform == "linux":
        tasks = Path(f"/proc/{found['server']}/task").iterdir()
        names = [(task / "comm").read_text().strip() for task in tasks]
        # Arrow's allocator has a thread, which it starts again in a fork. OpenBLAS does so, too.
        assert len(set(names) - {"jemalloc_bg_thd"}) == 1
    assert [ended(one) for one in (first, second, start(fail, (), MODULES))] == [0, 0, 1]


def ended(process: BaseProcess) -> int | None:
    """Its exit code, at its end."""
    process.join()
    code = process.exitcode
    process.close()
    return code


def begin_interrupted(file: Path) -> None:
    """Begin with a Ctrl-C that reached the group before the process left it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.kill(os.getpid(), signal.SIGINT)
    _begin(report, (file,), os.environ)


def test_ctrl_c_before_it_begins(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    process = multiprocessing.get_context("spawn").Process(
        target=begin_interrupted, args=(tmp_path / "report",)
    )
    process.start()
    assert ended(process) == 130
    assert capfd.readouterr() == ("", "")
    assert not (tmp_path / "report").exists()


def test_two_threads_that_hide_the_program_bring_it_back() -> None:
    main, inside, on = sys.modules["__main__"], threading.Event(), threading.Event()

    def other() -> None:
        inside.set()
        with _hide_program():
            on.wait(0.2)

    thread = threading.Thread(target=other)
    with _hide_program():
        thread.start()
        inside.wait()
        time.sleep(0.05)  # the other thread waits, or it takes what is hidden for the program
    on.set()
    thread.join()
    assert sys.modules["__main__"] is main


@pytest.mark.slow
def test_processes_end_with_a_server_and_another_one_starts(tmp_path: Path) -> None:
    process, found = reported(tmp_path / "first", sleep)
    worker = psutil.Process(process.pid)
    os.kill(found["server"], signal.SIGKILL)
    assert ended(process) != 0
    assert not psutil.wait_procs([worker], timeout=PATIENCE)[1]
    process, again = reported(tmp_path / "second")
    assert ended(process) == 0
    assert again["server"] != found["server"]
    assert again["modules"] == found["modules"]


def test_a_server_that_ends_at_a_start_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    server: Any = forkserver
    server.ensure_running()
    os.kill(server._forkserver._forkserver_pid, signal.SIGKILL)
    os.waitid(os.P_PID, server._forkserver._forkserver_pid, os.WEXITED | os.WNOWAIT)
    monkeypatch.setattr(server._forkserver, "ensure_running", lambda: None)
    with pytest.raises(RunError, match="again"):
        start(fail, (), ())
