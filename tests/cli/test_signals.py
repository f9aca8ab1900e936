"""What ends a command, what does not, and that no program stays behind."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

import pandas as pd
import psutil
import pytest

import evolve
from tests.cli import (
    ALPHABETA,
    QUICK,
    command,
    done,
    environment,
    finish,
    python,
    spawn,
    wait_until,
)
from tests.programs.test_external import source
from tests.waits import PATIENCE, until

pty = pytest.importorskip("pty", reason="Windows has no such terminals, and other signals")

WAYS = {
    "Ctrl-C": (signal.SIGINT,),
    "Ctrl-C twice": (signal.SIGINT, signal.SIGINT),
    "SIGTERM": (signal.SIGTERM,),
    "SIGHUP": (signal.SIGHUP,),
    "SIGKILL": (signal.SIGKILL,),
}

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a program's own stay")

LONG = (*QUICK, "--generations", 9999, "--patience", 9999)


def marked(mark: str) -> list[psutil.Process]:
    """The processes that have a mark in their environment."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # it has ended, or is another user's
            ours = process.environ().get("EVOLVE_TEST_MARK") == mark
            found += [process] * (ours and process.status() != psutil.STATUS_ZOMBIE)
    return found


def pending(process: int, number: int) -> bool:
    """Whether a signal is still on its way to a process; two of a kind would arrive as one."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:  # it has ended
        return False
    waiting = re.findall(r"^ShdPnd:\s*(\w+)$", status, re.MULTILINE)
    return any(int(mask, 16) >> (number - 1) & 1 for mask in waiting)


@LINUX
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[] if way == "Ctrl-C" else pytest.mark.slow) for way in WAYS]
)
def test_no_program_stays_behind(way: str, tmp_path: Path) -> None:
    """Stop a match against a program that clings, when two do."""
    mark = uuid.uuid4().hex
    program = source("gtp", "clings", "?time=600")  # twice as long as `finish` waits
    options = ("--games", 8, "--jobs", 2, "--out", "games.parquet")
    process = spawn(tmp_path, "match", "swh", program, *options, real=True, EVOLVE_TEST_MARK=mark)
    wait_until(lambda: len(list(tmp_path.glob("clings-*"))) >= 2, process)
    # With us and each program its guard and two that sleep.
    wait_until(lambda: len(marked(mark)) >= 9, process)
    for number in WAYS[way]:
        process.send_signal(number)
        # What SIGKILL has ended has it pending until it is waited for.
        until(lambda: process.poll() is not None or not pending(process.pid, number))  # noqa: B023
    ended = finish(process)
    assert "Traceback" not in ended.err, ended
    assert ended.code != 0
    until(lambda: not marked(mark))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "words"),
    [(signal.SIGHUP, ("--help",)), (signal.SIGTERM, ("match", "swh", "zero", "--games", 2))],
)
def test_a_signal_at_the_start_ends_it_without_a_traceback(
    number: signal.Signals, words: tuple[object, ...], tmp_path: Path
) -> None:
    """Before Python has come to evolve, the system ends it; then the exit code says the signal."""
    ended = []
    for step in range(12):
        process = spawn(tmp_path, *words, real=True)
        time.sleep(0.03 * step)
        process.send_signal(number)
        ended.append(finish(process))
    assert {128 + number} <= {result.code for result in ended} <= {-number, 128 + number, 0}
    assert [result.err for result in ended if "Traceback" in result.err] == []


def test_an_error_that_python_raises_in_place_of_a_signal_is_the_signal() -> None:
    ended = python(
        "import sys, evolve.cli.main as main\n"
        "def run(arguments):\n"
        "    try:\n"
        "        raise main.signals.Terminated(15)\n"
        "    except BaseException:\n"
        "        raise RuntimeError('Error calling __set_name__')\n"
        "main._prepare = run\n"
        "main.main()\n"
    )
    assert (ended.code, ended.err) == (143, "")


def test_an_interruption_that_python_drops_comes_again() -> None:
    """It drops what is raised where C calls Python."""
    script = (
        "import ctypes, signal, sys, time\n"
        "from evolve.cli import signals\n"
        "number = signal.Signals[sys.argv[1]]\n"
        "signal.signal(number, signal.default_int_handler if number == 2 else signal.SIG_DFL)\n"
        "signals.install()\n"
        "drop = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(number))\n"
        "try:\n"
        "    drop()\n"
        "    time.sleep(20)\n"
        "except KeyboardInterrupt as error:\n"
        "    sys.exit(signals.exit_code(error))\n"
    )
    cases = (("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129))
    assert not [(name, code) for name, code in cases if python(script, name) != (code, "", "")]


def test_no_thread_delays_the_end_after_an_interruption() -> None:
    """joblib's threads did: at Python's end one of them still waited for a program."""
    script = (
        "import sys, threading, time\n"
        "from evolve.cli import main\n"
        "threading.Thread(target=time.sleep, args=(600,)).start()\n"
        "def interrupted(arguments):\n"
        "    print('interrupted')\n"
        "    raise KeyboardInterrupt\n"
        "main._prepare = interrupted\n"
        "main.main()\n"
    )
    assert python(script) == (130, "interrupted\n", "\ninterrupted\n")


@pytest.mark.slow
def test_signals_are_left_alone_where_they_are_ignored(tmp_path: Path) -> None:
    """Ctrl-C in the background of a script, where it is for what is in front, and SIGHUP."""
    line = f"nohup {shlex.join(command('run', *LONG, '--out', 'long'))} > log & echo $!; wait"
    pipes: Any = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    pipes |= {"stdin": subprocess.DEVNULL, "env": environment(), "text": True}
    shell = subprocess.Popen(["sh", "-c", line], cwd=tmp_path, **pipes)
    number = int(shell.stdout.readline())
    generations = tmp_path / "long" / "generations"
    wait_until((generations / "gen-0000.parquet").exists, shell)
    for name in (signal.SIGINT, signal.SIGINT, signal.SIGHUP):
        os.kill(number, name)
        count = len(list(generations.glob("gen-*")))
        wait_until(lambda: len(list(generations.glob("gen-*"))) > count + 1, shell)  # noqa: B023
    os.kill(number, signal.SIGTERM)
    shell.communicate(timeout=PATIENCE)
    assert re.search("evolve resume long", (tmp_path / "log").read_text())


MATCH = ("match", "swh?depth=7", "zero?depth=7", "--games=2000", "--out=long/games.parquet")
RATING = ("rate", "swh", "zero", "swh-mobility?depth=7", "--games=2000", "--out=long")
SWEEP = (*ALPHABETA, "--trials=1000", "--jobs=1", "--out=long")
RUN = ("run", *LONG, "--out=long")


@pytest.mark.parametrize(
    ("words", "way", "begun", "said"),
    [
        (RUN, signal.SIGTERM, "generations/gen-0001.parquet", "evolve resume long"),
        (MATCH, signal.SIGINT, "games.parquet", "continue with the same command"),
        *(
            pytest.param(words, signal.SIGTERM, begun, said, marks=pytest.mark.slow)
            for words, begun, said in (
                (SWEEP, "champion.json", "evolve resume long"),
                (RATING, "games/pair-000-001.parquet", "--out"),
            )
        ),
    ],
)
def test_work_that_is_ended_says_how_to_go_on(
    words: tuple[object, ...], way: signal.Signals, begun: str, said: str, tmp_path: Path
) -> None:
    if words == MATCH:
        (tmp_path / "long").mkdir()
    process = spawn(tmp_path, *words, real=words == RUN)
    wait_until((tmp_path / "long" / begun).exists, process)
    process.send_signal(way)
    ended = finish(process)
    assert ended.code == 128 + way
    assert said in ended.out + ended.err
    if words == MATCH:
        games = pd.read_parquet("long/games.parquet")
        assert ended.err.startswith(f"interrupted after {len(games)} games; ")
        assert 0 < len(games) < 2000
    if words == RUN:
        assert ended.err.split() == ["ended", "by", way.name]
        count = evolve.load_run("long").generation_count + 1
        done("resume", "long", "--generations", count, "--jobs", 1)


@pytest.mark.slow
def test_a_terminal_that_goes_away_ends_a_run_cleanly(tmp_path: Path) -> None:
    """All that is said afterwards would fail, and must not."""
    number, terminal = pty.fork()
    if number == 0:
        os.chdir(tmp_path)
        os.execve(sys.executable, command("run", *LONG, "--out", "long"), environment())
    generations = tmp_path / "long" / "generations"
    os.set_blocking(terminal, False)
    end = time.monotonic() + 120
    while not (generations / "gen-0001.parquet").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
        try:
            os.read(terminal, 65536)
        except BlockingIOError:
            continue
    os.close(terminal)
    _, status = os.waitpid(number, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP
    assert not list((tmp_path / "long").rglob(".writing-*"))
