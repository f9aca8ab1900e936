"""One run of a study: a separate command line in a separate process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from evolve.errors import EvolveError, RunError
from evolve.extras import imported
from evolve.files.atomic import Tail
from evolve.files.changes import remove
from evolve.files.folder import FolderPath, open_handle
from evolve.programs.forks import repeat_warnings, start

MAIN: Final = "evolve.cli.main:main"
_PATIENCE: Final = 10.0
"""Seconds that a process has to end after SIGTERM, before it is killed."""


class RunProcess:
    """A process that executes a run, seen from the process that started it.

    words: of the command line, without `evolve`. log: its output is appended to this file.
    progress: it reports here, in the format of `--progress`. modules: imports of its work. The
    process has no terminal and gets no Ctrl-C of its own. It ends with the process that started it.
    """

    def __init__(
        self, words: Sequence[str], log: FolderPath, progress: FolderPath, modules: Sequence[str]
    ) -> None:
        remove(progress, missing_ok=True)
        self._progress, self._tail = progress, Tail(progress)
        self.share = 0.0
        """Share of the run that is done, 0 to 1."""
        self.error: str | None = None
        """Why it failed, if it did."""
        self.stopped = False
        """Whether it ended on request, so that it can be resumed."""
        self.lost: EvolveError | None = None
        """Always None: a process has its machine."""
        arguments = ([*words, "--progress", str(progress)], log)
        self._process = start(_work, arguments, modules)

    @property
    def sentinel(self) -> int:
        """Becomes ready when the process has ended; for `multiprocessing.connection.wait`."""
        return self._process.sentinel

    @property
    def alive(self) -> bool:
        """Whether it is still running."""
        return self._process.is_alive()

    def look(self) -> None:
        """Read what it has reported since the last time."""
        for event in self._tail.rest():
            self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        name = event["event"]
        if "row" in event:
            self.share = min(1.0, event["done"] / max(1e-9, event["total"]))
        elif name == "error":
            self.error = event["message"]
        elif name == "done":
            self.stopped = bool(event.get("stopped"))

    def stop(self) -> None:
        """Ask it to end after its current step, as Ctrl-C does."""
        if self._process.pid is not None and self.alive:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGINT)

    def kill(self) -> None:
        """End it now: by SIGTERM, and by SIGKILL where that does not help."""
        self._process.terminate()
        self._process.join(_PATIENCE)
        self._process.kill()
        self.ended()

    def ended(self) -> int:
        """Wait for its end; return the exit code, negative where a signal ended it."""
        self._process.join()
        code = self._process.exitcode
        self._process.close()
        self.look()
        remove(self._progress, missing_ok=True)
        return 0 if code is None else code


def _work(words: list[str], log: FolderPath) -> None:
    """Run a command line as if it were typed, with its output in a file."""
    try:
        sink = open_handle(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    except OSError as error:
        raise RunError(f"{log}: {error.strerror}") from error
    os.dup2(sink, sys.stdout.fileno())
    os.dup2(sink, sys.stderr.fileno())
    os.close(sink)
    repeat_warnings()
    imported(MAIN)(words)
