"""A terminal in which a page's commands are run as they stand, by `sh`, in less time.

On its PATH `evolve` and `python -m evolve` are a small program that hands its words, streams,
folder and variables to the process of the tests. That makes the command smaller and forks it from
one that has imported evolve, see tests/forks.py: 0.1 s in place of 1.5 s each. All else is as it is
for a reader: variables, pipes, loops and files are the shell's.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests import forks
from tests.docs.pages import ELSEWHERE, ELSEWHERE_OF_EVOLVE, ELSEWHERE_OF_PYTHON, STAND_INS, smaller

LONGEST: Final = 120
"""Seconds for a block."""
PROGRAM: Final = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
    content = json.dumps([words, os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(line, [len(content).to_bytes(4, "big")], [0, 1, 2])
    line.sendall(content)
    sys.exit(int(line.recv(4) or b"70"))
"""
ADDRESS: Final = re.compile(r"http://\S+")


class Terminal:
    """Runs blocks of commands in a folder; use it as a context."""

    def __init__(self, folder: Path, apart: Path) -> None:
        self.folder = folder
        self._working: list[subprocess.Popen[Any]] = []
        home, programs = apart / "home", apart / "bin"
        home.mkdir(parents=True)
        programs.mkdir()
        address = str(apart / "line")
        for name in ("evolve", "python", "python3", *STAND_INS, *ELSEWHERE):
            program = programs / name
            program.write_text(PROGRAM.format(python=sys.executable, address=address))
            program.chmod(0o755)
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
            "HOME": str(home),
            "XDG_CACHE_HOME": cache,  # compiled kernels
            "EVOLVE_DATA_DIR": str(home / ".local/share/evolve"),
        }
        self._asking = socket.socket(socket.AF_UNIX)
        self._asking.bind(address)
        self._asking.listen()
        self._forking = threading.Lock()

    def __enter__(self) -> Terminal:
        threading.Thread(target=self._answer, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._asking.shutdown(socket.SHUT_RDWR)
        self._asking.close()
        for process in self._working:
            if process.poll() is None:
                process.kill()
                process.wait()

    def run(self, block: str) -> str:
        """Run a block, which must go well, and return what it wrote."""
        result = subprocess.run(
            ["sh", "-e", "-c", block],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST,
        )
        assert result.returncode == 0, f"{block}{result.stdout[-3000:]}"
        return result.stdout

    def _answer(self) -> None:
        while True:
            try:
                line, _ = self._asking.accept()
            except OSError:
                return
            threading.Thread(target=self._carry_out, args=[line], daemon=True).start()

    def _carry_out(self, line: socket.socket) -> None:
        with line, contextlib.ExitStack() as stack:
            head, streams, _, _ = socket.recv_fds(line, 4, 3)
            for stream in streams:
                stack.callback(os.close, stream)
            content = line.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL)
            words, folder, environment = json.loads(content)
            code = self._code(words, folder, environment, streams)
            with contextlib.suppress(OSError):
                line.sendall(str(code).encode())

    def _code(
        self, words: list[str], folder: str, environment: Mapping[str, str], streams: list[int]
    ) -> int:
        name, *words = words
        options: dict[str, Any] = dict(
            zip(("stdin", "stdout", "stderr"), streams, strict=True), cwd=folder, env=environment
        )
        said = shlex.join(words)
        if name in STAND_INS:
            return self._start(STAND_INS[name], options).wait()
        if name in ELSEWHERE:
            return 0
        if name.startswith("python"):
            if words[:2] != ["-m", "evolve"]:
                if any(re.search(what, said) for what in ELSEWHERE_OF_PYTHON):
                    return 0
                return subprocess.Popen([sys.executable, *words], **options).wait()
            words = words[2:]
        if any(re.search(what, said) for what in ELSEWHERE_OF_EVOLVE):
            return 0
        words = smaller(words)
        began = time.monotonic()
        try:
            if words[:1] == ["serve"] and not {"--help", "-h"} & set(words):
                return self._serve(words, options)
            return self._start(words, options).wait()
        finally:  # pytest shows it where a page fails, and with -rP
            print(f"{time.monotonic() - began:5.1f} s  evolve {shlex.join(words)}")

    def _start(self, words: Sequence[str], options: Mapping[str, Any]) -> subprocess.Popen[Any]:
        with self._forking:
            process = forks.start([*forks.PROGRAM, *words], **options)
        self._working.append(process)
        return process

    def _serve(self, words: Sequence[str], options: Mapping[str, Any]) -> int:
        """Whether the service answers, and ends by Ctrl-C."""
        out = self.folder.parent / "served"
        with open(out, "w") as file:
            process = self._start(words, {**options, "stdout": file, "stderr": file})
        until = time.monotonic() + LONGEST / 4
        while not (found := ADDRESS.search(out.read_text())):
            if process.poll() is not None or time.monotonic() > until:
                process.kill()
                os.write(options["stderr"], out.read_bytes())
                return process.wait() or 70
            time.sleep(0.05)
        with urllib.request.urlopen(found[0].replace("0.0.0.0", "127.0.0.1")) as answer:
            answered = answer.status == 200
        process.send_signal(signal.SIGINT)
        code = process.wait()
        return 0 if answered and code in (0, 130) else code or 70
