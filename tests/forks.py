"""`python -m evolve` in a process forked from one that has imported it: 0.1 s in place of 1.5 s.

Nothing of the tests is in such a process: its server is a program of its own, one for each process
that runs tests, started when it is first needed and ended with it. To the system (group, terminal,
folder, streams, signals, exit code) the process is as if it had been started, and its variables are
those that it is given; only Linux shows others of it in /proc.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parent.parent
PROGRAM: Final = (sys.executable, "-m", "evolve")
READ_FIRST: Final = (
    "EVOLVE_CACHE_DIR", "LANG", "LC_", "LD_", "MKL_", "NUMBA_", "OMP_", "OPENBLAS_", "PYTHON", "TZ",
)  # fmt: skip
"""Beginnings of variables that count at the start or while modules are imported: a process that has
others of them than the server is started."""
READ_LATER: Final = ("PYTHONUNBUFFERED", "PYTHONIOENCODING")
"""Those of them that a fork obeys all the same."""
IMPORTS: Final[Mapping[str, Sequence[str]]] = {
    "run": ("evolve.evolution.loop", "evolve.evolution.estimate", "pandas"),
    "resume": ("evolve.evolution.loop", "evolve.evolution.estimate"),
    "match": ("evolve.arena.match",),
    "rate": ("evolve.arena.tournament",),
    "show": ("pandas",),
    "sweep": ("evolve.sweeps.sweep",),
    "serve": ("evolve.service.server", "uvicorn"),
}
"""What the server imports before it first forks a command, beside its module and `ALL`."""
ALL: Final = ("evolve.engine.games.game", "pyarrow.parquet")
_NUMBER: Final = struct.Struct("i")


class Fork(subprocess.Popen[Any]):
    """A `Popen` of `python -m evolve` whose process the server forks."""

    _status: socket.socket
    """Where the server says how the process has ended."""

    def _execute_child(self, args: Sequence[str], *others: Any) -> None:
        (_, preexec, _, descriptors, cwd, env, *_), ends, (*_, session, _) = (
            others[:9], others[9:15], others[15:],
        )  # fmt: skip
        assert preexec is None
        assert not descriptors
        request = {
            "words": list(args[len(PROGRAM) :]),
            "folder": os.path.abspath(cwd or "."),
            "environment": dict(os.environ if env is None else env),
            "session": session,
        }
        theirs = [own if end == -1 else end for own, end in enumerate((ends[0], ends[3], ends[5]))]
        try:
            self.pid, self._status = server().fork(request, theirs)
            self._child_created = True
        finally:
            self._close_pipe_fds(*ends)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._status], [], [], 0)[0]:
            return 0, 0
        with self._status:
            return self.pid, _receive_number(self._status)

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        lock: Any = self._waitpid_lock  # type: ignore[attr-defined]
        if self.returncode is None and lock.acquire(False):
            with ExitStack() as stack:
                stack.callback(lock.release)
                if self.returncode is None and (ended := self._try_wait(os.WNOHANG))[0]:
                    self._handle_exitstatus(ended[1])  # type: ignore[attr-defined]
        return self.returncode


class Server:
    """The server, seen from the tests."""

    def __init__(self) -> None:
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._line, theirs = socket.socketpair()
        number = theirs.fileno()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.forks", str(number)],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                pass_fds=[number],
            )

    def obeys(self, environment: Mapping[str, str]) -> bool:
        """Whether a fork does as these variables say."""
        return _first(environment) == _first(self._environment)

    def fork(self, request: Any, streams: Sequence[int]) -> tuple[int, socket.socket]:
        """The number of a new process, and where its status comes from."""
        content = json.dumps(request).encode()
        ours, theirs = socket.socketpair()
        with theirs:
            descriptors = [theirs.fileno(), *streams]
            socket.send_fds(self._line, [_NUMBER.pack(len(content))], descriptors)
            self._line.sendall(content)
        return _receive_number(ours), ours

    def end(self) -> None:
        """End it; its forks go on."""
        self._line.close()
        self.process.wait()


def _first(environment: Mapping[str, str]) -> dict[str, str]:
    names = [name for name in environment if name.startswith(READ_FIRST)]
    found = {name: environment[name] for name in names if name not in READ_LATER}
    return {"PYTHONPATH": str(ROOT)} | found


def _receive_number(line: socket.socket) -> int:
    content = line.recv(_NUMBER.size)
    assert content, "the server has ended"
    number: int
    (number,) = _NUMBER.unpack(content)
    return number


_servers: dict[int, Server] = {}
"""That of this process, by its number: its forks have none."""


def server() -> Server:
    """The one of this process, started if there is none at work."""
    found = _servers.get(os.getpid())
    if found is None or found.process.poll() is not None:
        found = _servers[os.getpid()] = Server()
        atexit.register(found.end)
    return found


def start(words: Sequence[str], *, real: bool = False, **options: Any) -> subprocess.Popen[Any]:
    """`subprocess.Popen` for `python -m evolve` with some words: forked, or started where it is
    `real`, for what is about the start itself, and where a fork would not obey its variables."""
    assert tuple(words[: len(PROGRAM)]) == PROGRAM
    environment = options.get("env") or os.environ
    if real or not hasattr(os, "fork") or not server().obeys(environment):
        return subprocess.Popen(words, **options)
    return Fork(words, **options)


def run(
    words: Sequence[str], *, stdin: str | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """`subprocess.run` for the same, with what it writes; stdin: what it reads."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    source = subprocess.DEVNULL if stdin is None else subprocess.PIPE
    with start(words, stdin=source, **options) as process:
        out, err = process.communicate(stdin)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def serve(line: socket.socket) -> tuple[Any, socket.socket]:
    """Fork as asked until nobody is there to ask; in each fork, return what was asked for, and
    where it says its number when signals do to it what they should."""
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    woken, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    forks: dict[int, socket.socket] = {}
    while True:
        readable, _, _ = select.select([line, woken], [], [])
        if woken in readable:
            woken.recv(4096)
            for number, status in list(forks.items()):
                if (ended := os.waitpid(number, os.WNOHANG))[0]:
                    with suppress(OSError), forks.pop(number):  # nobody waits any more
                        status.sendall(_NUMBER.pack(ended[1]))
        if line not in readable:
            continue
        head, descriptors, _, _ = socket.recv_fds(line, _NUMBER.size, 4)
        if not head:
            sys.exit()
        request = json.loads(line.recv(_NUMBER.unpack(head)[0], socket.MSG_WAITALL))
        _import_for(*request["words"][:1])
        status, streams = socket.socket(fileno=descriptors[0]), descriptors[1:]
        number = os.fork()
        if number == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, interrupt)
            for place, stream in enumerate(streams):
                os.dup2(stream, place)
        for stream in streams:
            os.close(stream)
        if number == 0:
            for one in (line, woken, wake, *forks.values()):
                one.close()
            return request, status
        forks[number] = status


def _import_for(command: str = "") -> None:
    """Import what a command needs, once."""
    from evolve.cli.main import COMMANDS

    names = [f"evolve.cli.{COMMANDS[command][0]}"] if command in COMMANDS else []
    new = [name for name in (*ALL, *names, *IMPORTS.get(command, ())) if name not in sys.modules]
    for name in new:
        with suppress(ImportError):  # an extra that is not there: the fork says so
            import_module(name)
    if ALL[0] in new:
        # The first kernel of a process costs more than all others: numba registers what it knows.
        import evolve

        evolve.load_agent("swh").choose(evolve.Board.start())
    if new:
        gc.collect()
        gc.freeze()


def become(request: Any, ready: socket.socket) -> None:
    """Be `python -m evolve`, which ends this process."""
    if request["session"]:
        os.setsid()
    os.chdir(request["folder"])
    with ready:
        ready.sendall(_NUMBER.pack(os.getpid()))
    os.environ.clear()
    os.environ.update(request["environment"])
    for place, (name, errors) in enumerate(
        (("stdin", "strict"), ("stdout", "strict"), ("stderr", "backslashreplace"))
    ):
        setattr(sys, name, _stream(place, errors))
        setattr(sys, f"__{name}__", getattr(sys, name))
    sys.path[0] = os.getcwd()
    sys.argv[1:] = request["words"]
    runpy.run_module("evolve", run_name="__main__", alter_sys=True)


def _stream(place: int, errors: str) -> TextIOWrapper:
    """A standard stream as Python makes it when it starts."""
    encoding, _, other = os.environ.get("PYTHONIOENCODING", "").partition(":")
    unbuffered = place > 0 and bool(os.environ.get("PYTHONUNBUFFERED"))
    file = open(place, "wb" if place else "rb", 0 if unbuffered else -1, closefd=False)  # noqa: SIM115
    return TextIOWrapper(
        file,
        encoding or "utf-8",
        errors if place == 2 else other or errors,
        line_buffering=place == 2 or os.isatty(place),
        write_through=unbuffered,
    )


if __name__ == "__main__":
    become(*serve(socket.socket(fileno=int(sys.argv[1]))))
