"""The guard of outside programs: what it guards ends with it, and it ends as that does."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from evolve.programs.children import Life
from tests.waits import PATIENCE, gone, until

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="orphans come to a guard there alone")
guard = pytest.importorskip("evolve.programs.guard", reason="Windows does without guards")
ELSEWHERE = "import runpy, sys; sys.platform = 'darwin'; sys.argv = sys.argv[1:]; "
ELSEWHERE += "runpy.run_path(sys.argv[0], run_name='__main__')"
"""Runs the guard as where there is no subreaper."""


class Guarded:
    """A shell command behind a guard, seen from the one that started it."""

    def __init__(self, script: str, elsewhere: bool = False) -> None:
        life, self.life = os.pipe()
        self.report, report = os.pipe()
        place = ("-c", ELSEWHERE, guard.__file__) if elsewhere else (guard.__file__,)
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", *place, f"{life},{report}", "sh", "-c", script],
            pass_fds=(life, report),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.close(life)
        os.close(report)

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().strip()

    def let_go(self) -> None:
        os.close(self.life)

    def finish(self) -> tuple[int, str, str]:
        """The reported exit code of the command, and what it wrote."""
        out, err = self.process.communicate(timeout=PATIENCE)
        with os.fdopen(self.report) as report:
            code, kilobytes = map(int, report.read().split())
        assert 0 < kilobytes < 100_000
        assert self.process.returncode == code & 0xFF
        return code, out.decode(), err.decode()


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", -15), ("kill -9 $$", -9)]
)
def test_it_ends_as_the_command_does(script: str, code: int, elsewhere: bool) -> None:
    one = Guarded(f"echo out; echo err >&2; {script}", elsewhere)
    assert one.finish() == (code, "out\n", "err\n")
    one.let_go()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_one_that_stops_has_not_ended(elsewhere: bool) -> None:
    one = Guarded("echo $$; kill -STOP $$; exit 3", elsewhere)
    command = psutil.Process(int(one.line()))
    until(lambda: command.status() == psutil.STATUS_STOPPED)
    time.sleep(0.05)
    assert one.process.poll() is None
    command.resume()
    assert one.finish()[0] == 3
    one.let_go()


@on_linux
@pytest.mark.parametrize("end", [None, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left(end: signal.Signals | None) -> None:
    one = Guarded("trap '' TERM HUP; (setsid sh -c 'echo $$; exec sleep 1000' &); sleep 1000")
    sleeper = int(one.line())
    one.let_go() if end is None else one.process.send_signal(end)
    assert one.finish()[0] == -signal.SIGKILL
    assert gone(sleeper)


def test_elsewhere_the_process_group_ends() -> None:
    one = Guarded("sleep 1000 & echo $!; sleep 1000", elsewhere=True)
    sleeper = int(one.line())
    one.let_go()
    assert one.finish()[0] == -signal.SIGKILL
    assert gone(sleeper)


@on_linux
def test_the_command_ends_with_a_guard_that_is_killed() -> None:
    one = Guarded("echo $$; exec sleep 1000")
    command = int(one.line())
    one.process.kill()
    one.process.communicate(timeout=PATIENCE)
    until(lambda: gone(command))


@pytest.mark.parametrize("name", ["HUP", "INT", "TERM", "PIPE"])
def test_the_command_inherits_no_ignored_signals(name: str) -> None:
    one = Guarded(f"kill -{name} $$; echo ignored")
    assert one.finish() == (-getattr(signal, f"SIG{name}"), "", "")


def test_a_guard_that_cannot_fork_reports_why() -> None:
    """The system is to blame then, and not the command."""
    fails = "import errno, os\ndef fork(): raise OSError(errno.EAGAIN, 'why')\nos.fork = fork\n"
    life = Life(reports=True)
    words = list(life.guard(["true"]))
    words[3:4] = ["-c", fails + ELSEWHERE, words[3]]
    ended = subprocess.run(words, pass_fds=life.pipes, stderr=subprocess.PIPE, check=False)
    life.leave()
    assert life.read_report() == (127, 0.0, errno.EAGAIN)
    assert ended.stderr == b"cannot be started: why\n"
    life.end()
