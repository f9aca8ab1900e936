"""How the tests drive the command line: in this process, or as a program of its own."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import evolve
from evolve.cli import signals
from evolve.cli.main import main
from tests import forks

ROOT = Path(evolve.__file__).parent.parent

TINY = (
    "--generations=3", "--population=6", "--panel-openings=2", "--playoff-openings=2",
    "--hall-of-fame=3", "--move-budget=300", "--bounds=depths=1:2", "--bounds=endgame=0:4",
)  # fmt: skip
"""Options of a run that takes a second or two, most of it for drawing its openings."""

QUICK = (*TINY, "--openings=start", "--jobs=1")
"""The same from the start position: a quarter of a second, for where openings do not matter."""

UNBOUNDED = tuple(option for option in QUICK if not option.startswith("--bounds"))
"""The same without bounds, for runs that have others."""

QUICK_SWEEP = (
    "--panel=random,swh", "--panel-openings=4", "--final-openings=4", "--finalists=2",
    "--startup=2",
)  # fmt: skip
"""Options of a sweep whose panel and final take a moment."""

ALPHABETA = ("sweep", "alphabeta", *QUICK_SWEEP, "--fix=depths=1", "--fix=endgame=0", "--trials=5")
"""A sweep of a second or two."""

INTERRUPTED = (130, -2)
"""Exit codes after Ctrl-C: ours, and that of a process which the signal itself ended."""

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell and links")


class Result(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


@contextlib.contextmanager
def signals_kept() -> Iterator[None]:
    """Restore what `signals.install` replaces in this process."""
    numbers = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if os.name == "posix" else [])]
    hook, handlers = sys.unraisablehook, [*map(signal.getsignal, numbers)]
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            sys.unraisablehook = hook
            atexit.unregister(signals._end_at_ctrl_c)
            for number, handler in zip(numbers, handlers, strict=True):
                signal.signal(number, handler)


def invoke(*arguments: object, stdin: str = "") -> Result:
    """Run a command in this process; whatever it raises but SystemExit comes through."""
    out, err, code = io.StringIO(), io.StringIO(), None
    before, sys.stdin = sys.stdin, io.StringIO(stdin)
    try:
        with signals_kept(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main([*map(str, arguments)])
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdin = before
    assert isinstance(code, int)
    return Result(code, out.getvalue(), err.getvalue())


def done(*arguments: object, stdin: str = "") -> Result:
    """Run a command that must go well, and say nothing on standard error."""
    result = invoke(*arguments, stdin=stdin)
    assert result.code == 0, result
    assert result.err == "", result.err
    return result


def fails(*arguments: object) -> str:
    """Run a command whose work must fail: exit code 1, one line of error, which is returned."""
    result = invoke(*arguments)
    assert result.code == 1, result
    assert result.err.startswith("error: "), result.err
    assert result.err.count("\n") == 1, result.err
    return result.err.removeprefix("error: ").rstrip("\n")


def misused(*arguments: object) -> str:
    """Run a command that is used wrongly: exit code 2, nothing done; the message is returned."""
    result = invoke(*arguments)
    assert result.code == 2, result
    assert result.out == ""
    assert "Traceback" not in result.err
    return result.err


def match(*arguments: object) -> dict[str, Any]:
    """The figures of `evolve match`."""
    document = done("match", *arguments, "--json").document
    assert isinstance(document, dict)
    return document


def command(*arguments: object) -> list[str]:
    """The command as a program of its own."""
    return [sys.executable, "-m", "evolve", *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    """The environment of such a program."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **changes}


def spawn(
    folder: Path, *arguments: object, real: bool = False, session: bool = False, **changes: str
) -> subprocess.Popen[str]:
    """Start a command as a program of its own in `folder`; see `forks.start`. session: in one of
    its own."""
    return forks.start(
        command(*arguments),
        real=real,
        cwd=folder,
        start_new_session=session,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def finish(process: subprocess.Popen[str]) -> Result:
    """Wait for a program to end."""
    out, err = process.communicate(timeout=300)
    return Result(process.returncode, out, err)


def program(folder: Path, *arguments: object, real: bool = False, **changes: str) -> Result:
    """Run a command as a program of its own in `folder`, to its end."""
    return finish(spawn(folder, *arguments, real=real, session=False, **changes))


def ran(*words: object, folder: Path | None = None, **changes: str) -> Result:
    """Run any program to its end."""
    ended = subprocess.run(
        [*map(str, words)],
        cwd=folder,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return Result(ended.returncode, ended.stdout, ended.stderr)


def python(code: str, *arguments: str, folder: Path | None = None, **changes: str) -> Result:
    """Run Python code as a program of its own, to its end."""
    return ran(sys.executable, "-c", code, *arguments, folder=folder, **changes)


def read_terminal(here: int) -> str:
    """All that a program writes to the terminal whose other end it has, until it closes that."""
    shown = b""
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(here, 65536):
            shown += part
    os.close(here)
    return shown.decode("utf-8", "replace")


def on_a_terminal(folder: Path, *arguments: object, columns: int = 80, real: bool = False) -> str:
    """What a command writes to a terminal, its own colours taken out; real: in a new Python."""
    import pty

    here, there = pty.openpty()
    env = environment(COLUMNS=str(columns), LINES="24", TERM="xterm", NO_COLOR="1")
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": there, "stderr": there}
    start = subprocess.Popen if real else forks.start
    process = start(command(*arguments), cwd=folder, env=env, **pipes)
    os.close(there)
    shown = read_terminal(here)
    process.wait()
    return shown


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Look again and again until something is so; the program must still be running then."""
    end = time.monotonic() + 240
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.002)


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder with its content, None for a folder; the lock is left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.name != ".lock"
    }
