"""What other processes do for clients: jobs, files that commands write, answers of agents.

The command line can write all files, such as agents as Python and tables as CSV in which
spreadsheets run no formulas; they lie in a folder of the service until they are sent. Commands and
engine processes load the engine and pandas, which the server does not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_process
import psutil
from anyio import BrokenWorkerProcess, CapacityLimiter, fail_after
from fastapi.responses import FileResponse
from starlette.types import Receive, Scope, Send

from evolve.extras import call
from evolve.files.changes import make_folder, open_to_append, remove_tree
from evolve.programs.children import Life, blocked, inherited
from evolve.service.folders import Folders
from evolve.service.job import JOB_ID
from evolve.service.responses import ProblemError, lent

_LONGEST: Final = 900.0
_PROGRAM: Final = (sys.executable, "-m", "evolve")
PRINTED: Final = "printed"
"""Name of what a command printed, beside the file that it made."""
_MEDIA: Final = {
    ".csv": "text/csv; charset=utf-8",
    ".ggf": "text/plain; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".npz": "application/octet-stream",
    ".parquet": "application/vnd.apache.parquet",
}
_children: Final[list[subprocess.Popen[bytes]]] = []


def start_process(words: Sequence[str], folder: Path, log: Path, job: str) -> int:
    """Start a process in its own session, so that it outlives this one; returns its id.

    Its output goes to the end of `log`. It is not interrupted until it has a handler, see
    `cli.leaving`. Raises OSError where it cannot be started.
    """
    with os.fdopen(open_to_append(log), "ab") as sink, blocked([signal.SIGINT]):
        child = subprocess.Popen(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**inherited(), JOB_ID: job},
        )
    with suppress(psutil.Error):  # leave time to the server and its searches
        low = psutil.BELOW_NORMAL_PRIORITY_CLASS if sys.platform == "win32" else 10
        psutil.Process(child.pid).nice(low)
    _children.append(child)
    return child.pid


def reap() -> None:
    """Forget children that have ended."""
    _children[:] = [child for child in _children if child.poll() is None]


class Downloads:
    """Makes files for clients, two at a time."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._commands = anyio.CapacityLimiter(2)

    async def file(self, words: Sequence[str], name: str) -> FileResponse:
        """The response that sends the file of a command as `name`, and then removes it."""
        path = await self.made(words, Path(name).suffix)
        return SentFile(path, name, partial(discard, path))

    async def made(self, words: Sequence[str], suffix: str, codes: Collection[int] = (0,)) -> Path:
        """Run a command; returns the file that it makes with `-o`, in a new folder.

        codes: exit codes with which there is a file. The caller removes it with `discard`. Beside
        it `PRINTED` has what the command prints. Raises ProblemError where the command fails, or
        too many requests wait for files.
        """
        folder = self._folders.new_temporary()
        path = folder / f"file{suffix}"
        async with lent(self._commands, "a file", waiting=16, retry=30):
            life = Life()
            try:
                make_folder(folder)
                with path.with_name(PRINTED).open("wb") as sink, anyio.fail_after(_LONGEST):
                    ended = await anyio.run_process(
                        life.guard((*_PROGRAM, *words, "-o", str(path))),
                        stdout=sink,
                        check=False,
                        start_new_session=True,
                        pass_fds=life.pipes,
                    )
            except BaseException as error:
                discard(path)
                if isinstance(error, TimeoutError):  # also an OSError, but no fault of the disk
                    detail = f"it was ended after {_LONGEST / 60:g} minutes"
                    raise ProblemError(504, detail) from error
                raise
            finally:
                life.leave()
                life.end()
        if ended.returncode not in codes or not path.exists():
            discard(path)
            lines = ended.stderr.decode(errors="replace").strip().splitlines() or ["it failed"]
            raise ProblemError(422, lines[-1].removeprefix("error: "))
        return path


def discard(path: Path) -> None:
    """Remove a file that a command made, with its folder, where one that died leaves parts.

    Whatever cannot be removed now goes at the next start of the server.
    """
    remove_tree(path.parent, ignore_errors=True)


class SentFile(FileResponse):
    """The response that sends a file as `name`.

    `after` is called however sending ends: a background task does not run where the reader has
    gone.
    """

    def __init__(self, path: Path, name: str, after: Callable[[], None] = lambda: None) -> None:
        self._after = after
        super().__init__(path, media_type=_MEDIA[path.suffix], filename=name)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._after()


_LIMIT: Final = 20.0  # seconds for an answer; after that the process is killed
_START: Final = 120.0
"""Seconds for the first start of a process that searches: kernels may have to be compiled."""
_SEARCHES: Final = ("evaluate", "play", "check_file")
"""Operations that may take the whole time, since an agent thinks; all others only read."""
_SEARCHERS: Final = 2
"""Number of processes for searches. With one, all other clients would also wait for a client's
second long question. A third would take another 200 MB, and a core from jobs."""


class Search:
    """Asks the engine processes: one that reads, others that search.

    So reading never waits for a search. A process starts when it is first needed. It ends with this
    one, even in the middle of a question.
    """

    def __init__(self) -> None:
        self._reading, self._searching = CapacityLimiter(1), CapacityLimiter(_SEARCHERS)
        self._processes = CapacityLimiter(1 + _SEARCHERS)
        self._compiled = False

    async def ask(self, do: str, places: Mapping[str, str] | None = None, **question: Any) -> Any:
        """The answer to a question.

        places: pointers to the wrong part of the client's document, by the error's class.

        Raises ProblemError: 422 with the error of the engine process, 500 where that process ends,
        504 where it takes too long, 503 where too many questions wait.
        """
        pool, waiting, retry = self._reading, 256, 1.0
        if do in _SEARCHES:
            pool, waiting, retry = self._searching, 16, _LIMIT
        async with lent(pool, "an answer of an agent", waiting, retry):
            if do in _SEARCHES and not self._compiled:
                await self._answer("ready", {}, _START)
                self._compiled = True
            answer = await self._answer(do, question, _LIMIT)
        if "error" in answer:
            text, where = str(answer["error"]).splitlines()[0], (places or {}).get(answer["kind"])
            raise ProblemError(422, text, () if where is None else [(where, text)])
        return answer["ok"]

    async def _answer(self, do: str, question: Mapping[str, Any], limit: float) -> dict[str, Any]:
        work = partial(call, "evolve.service.engine_worker:answer", do, question)
        try:
            with fail_after(limit):
                answer: dict[str, Any] = await anyio.to_process.run_sync(
                    work, cancellable=True, limiter=self._processes
                )
        except TimeoutError:
            raise ProblemError(504, f"it took more than {limit:.0f} seconds") from None
        except BrokenWorkerProcess as error:
            raise ProblemError(500, "the search failed: its process has ended") from error
        return answer
