"""The exchange with a program: its last lines for errors, all of them for a log."""

from __future__ import annotations

import os
import re
import shlex
import threading
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from evolve.files.changes import Appender
from evolve.programs.life import LOG
from evolve.terminal_text import plain

_LONGEST: Final = 200
"""Most characters of a line that an error shows."""


class Talk:
    """The exchange with one program.

    If the user asks for the log, it appends every line: the time, the process id, and `$` for the
    command, `>` for a line to the program, `<` for one from it, `!` for one on standard error. It
    escapes, as Python does, what a terminal would obey.
    """

    def __init__(self) -> None:
        path = os.environ.get(LOG)
        self._log = Appender(Path(path)) if path else None
        self._number = 0
        self._lock = threading.Lock()
        self._sent: str | None = None
        self._received: str | None = None

    def begin(self, command: Sequence[str], number: int) -> None:
        """Record that the program has started."""
        self._number = number
        self._write("$", shlex.join(command))

    def sent(self, line: str) -> None:
        """Record a line sent to the program."""
        self._sent, self._received = line, None
        self._write(">", line)

    def heard(self, line: str) -> None:
        """Record a line that we read as part of the protocol."""
        if line.strip():
            self._received = line

    def said(self, line: str) -> None:
        """Record a line from the program, whether we use it or not."""
        self._write("<", line)

    def complained(self, line: str) -> None:
        """Record a line that it writes to standard error."""
        self._write("!", line)

    @property
    def last(self) -> str:
        """The last line sent and the last one received since, for the end of an error message.

        It leaves out the numbers that count messages, so that the same game fails with the same
        message.
        """
        if self._sent is None:
            return ""
        number, sent = _parted(self._sent)
        received = "nothing"
        if self._received is not None:
            answered, text = _parted(self._received)
            # A number that is not ours may be the fault.
            received = _quoted(text if answered in ("", number) else self._received)
        return f"; sent {_quoted(sent)}, received {received}"

    def close(self) -> None:
        """Stop logging."""
        with self._lock:
            if self._log is not None:
                self._log.close()
                self._log = None

    def _write(self, sign: str, line: str) -> None:
        if self._log is None:
            return
        now = time.time()
        clock = f"{time.strftime('%H:%M:%S', time.localtime(now))}.{int(now % 1 * 1000):03}"
        text = f"{clock} {self._number} {sign} {plain(line)}\n"
        failed: OSError | None = None
        with self._lock:
            if self._log is None:
                return
            try:
                self._log.append(text.encode("utf-8", "replace"))
            except OSError as error:
                failed = error
        if failed is not None:
            self.close()
            why = f"{os.environ.get(LOG)}: {failed.strerror}; no further lines are written there"
            warnings.warn(why, RuntimeWarning, stacklevel=2)


def _parted(line: str) -> tuple[str, str]:
    """The GTP id, or the number of a ping, and the line without it."""
    found = re.match(r"([=?]|ping |pong |)(\d+)(?=\s|$)", line)
    if not found:
        return "", line.strip()
    return found[2], f"{found[1]}{line[found.end() :]}".strip()


def _quoted(line: str) -> str:
    shown = plain(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…")
    return f"'{shown}'"
