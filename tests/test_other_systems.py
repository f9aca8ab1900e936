"""macOS and Windows lack things of Linux. Here they are taken away, and the rest still works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from evolve.cli import signals
from evolve.files import atomic, changes
from evolve.programs import host
from evolve.programs.examination import _measure
from evolve.service.job import JOB_ID, JobRecord
from evolve.studies.running import RunProcess
from tests.cli import ROOT, posix, ran
from tests.waits import until

pytestmark = posix  # what is taken away has to be there first

WINDOWS_LACKS = {
    "os": (
        "fork", "getsid", "setsid", "killpg", "geteuid", "getuid", "major", "minor", "O_DIRECTORY",
        "O_NOFOLLOW", "O_NONBLOCK", "sched_getaffinity", "setpriority", "fwalk", "WNOHANG",
        "getloadavg", "mkfifo",
    ),
    "signal": ("SIGKILL", "SIGHUP", "SIGSTOP", "SIGCONT", "SIGCHLD", "pthread_sigmask"),
    "time": ("CLOCK_MONOTONIC", "clock_gettime_ns"),
}  # fmt: skip


def take_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Windows lacks, for code that is imported already."""
    for module, names in WINDOWS_LACKS.items():
        for name in names:
            monkeypatch.delattr(sys.modules[module], name, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")


@pytest.fixture
def marked() -> Iterator[psutil.Process]:
    """A process with the id of a job, apart from this one."""
    words = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    with subprocess.Popen(words, env={JOB_ID: "a job"}, start_new_session=True) as child:
        found = psutil.Process(child.pid)
        until(found.environ)
        yield found
        child.kill()


def test_windows_ends_a_marked_job(marked: psutil.Process, monkeypatch: pytest.MonkeyPatch) -> None:
    job = JobRecord(id="another", command="match", settings={}, process=marked.pid)
    with monkeypatch.context() as there:
        take_away(there)
        # psutil itself stays that of this system, which ends processes by SIGKILL.
        there.setattr(psutil.Process, "kill", lambda process: os.kill(process.pid, 9))
        job.stop()
        assert marked.is_running()
        job.id = "a job"
        job.stop()
    until(lambda: marked.status() == psutil.STATUS_ZOMBIE)


def test_windows_stops_runs_of_a_study_by_its_console(monkeypatch: pytest.MonkeyPatch) -> None:
    run = RunProcess.__new__(RunProcess)
    run._process = SimpleNamespace(pid=os.getpid(), is_alive=lambda: True)  # type: ignore[assignment]
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda number, _: killed.append(number))
    run.stop()
    assert killed == [os.getpid()]
    take_away(monkeypatch)
    run.stop()
    assert killed == [os.getpid()]


def test_a_signal_sent_again_ends_nothing_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[bool] = []
    with signals.at_ctrl_c(lambda: came.append(True)), monkeypatch.context() as there:
        take_away(there)
        there.delattr(os, "kill")
        signals._resend(signal.SIGINT)
        until(lambda: came)
    assert came == [True]


def test_files_are_bytes_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    binary = 1 << 40
    real = os.open

    def opened(path: Any, flags: int, *more: Any, **options: Any) -> int:
        seen.append(flags)
        return real(path, flags & ~binary, *more, **options)

    monkeypatch.setattr(changes, "_BYTES", binary)
    monkeypatch.setattr(os, "open", opened)
    os.close(changes.open_to_append(tmp_path / "a"))
    assert seen[-1] & binary


def test_a_rename_waits_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tries = os.replace, []

    def replace(*paths: Any, **options: Any) -> None:
        tries.append(paths)
        if len(tries) <= refused:
            raise PermissionError(13, "it is open")
        real(*paths, **options)

    monkeypatch.setattr(changes, "_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(os, "replace", replace)
    refused = 1
    with pytest.raises(PermissionError):
        atomic.write_text(tmp_path / "a", "new")
    take_away(monkeypatch)
    tries.clear()
    refused = 2
    atomic.write_text(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "new"
    tries.clear()
    refused = 3
    with pytest.raises(PermissionError):
        atomic.write_text(tmp_path / "a", "newer")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_program_without_a_guard_is_measured_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _measure(os.getpid())[2] == len(psutil.Process().children(recursive=True))
    monkeypatch.setattr(os, "name", "nt")
    _, megabytes, processes = _measure(os.getpid())
    assert processes >= 1
    assert megabytes > 20


def test_memory_has_no_limit_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    asked: list[int] = []

    def refuse(kind: int, _: Any) -> None:
        asked.append(kind)
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    host._limit(100)
    assert asked == [resource.RLIMIT_DATA]


IMPORT_ALL = """
import importlib, os, pkgutil, signal, sys, time
import asyncio, multiprocessing.forkserver, webbrowser
import anyio, click, cmaes, deap.base, deap.tools, distributed, fastapi, filelock, joblib, numba
import matplotlib.figure, optuna, pandas, psutil, pyarrow.parquet, rich.progress, scipy.optimize
import scipy.stats, sqlalchemy, tomli_w, uvicorn
for module, names in {lacks}.items():
    for name in names:
        delattr(sys.modules[module], name)
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
os.supports_dir_fd = set()
sys.platform = "win32"
import evolve
without = ("evolve.__main__", "evolve.learning", "evolve.programs.guard", "evolve.standalone.part_")
for found in pkgutil.walk_packages(evolve.__path__, "evolve."):
    if not found.name.startswith(without):
        importlib.import_module(found.name)
print(len([name for name in sys.modules if name.startswith("evolve.")]))
"""


@pytest.mark.slow
def test_every_module_can_be_imported_without_posix() -> None:
    """But for the guard of outside programs, which Windows does without, and PyTorch's."""
    done = ran(
        sys.executable, "-W", "ignore", "-c", IMPORT_ALL.format(lacks=WINDOWS_LACKS), folder=ROOT
    )
    assert done.code == 0, done.err
    assert int(done.out) > 200
