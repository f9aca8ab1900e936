"""What is said to a program and by it: the last of it for errors, all of it for a log."""

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
from evolve.programs.environment import LOG
from evolve.terminal_text import plain

_LONGEST: Final = 200
"""Characters of a line that an error shows."""


class Talk:
    """One program's talk.

    Where the log is asked for, every line is appended to it: the time, the number of the process,
    and `$` for the command, `>` for what is said to the program, `<` for what it says, `!` for what
    it says on standard error. All that a terminal would obey is written as Python writes it.
    """

    def __init__(self) -> None:
        path = os.environ.get(LOG)
        self._log = Appender(Path(path)) if path else None
        self._number = 0
        self._lock = threading.Lock()
        self._sent: str | None = None
        self._received: str | None = None

    def begin(self, command: Sequence[str], number: int) -> None:
        """The program has been started."""
        self._number = number
        self._write("$", shlex.join(command))

    def sent(self, line: str) -> None:
        """Said to the program."""
        self._sent, self._received = line, None
        self._write(">", line)

    def heard(self, line: str) -> None:
        """Said by it, and taken for what it means."""
        if line.strip():
            self._received = line

    def said(self, line: str) -> None:
        """Said by it, whether anyone wants it or not."""
        self._write("<", line)

    def complained(self, line: str) -> None:
        """Said by it on standard error."""
        self._write("!", line)

    @property
    def last(self) -> str:
        """The last line that was sent and what came since, for the end of an error; without the
        numbers that count what was said before, for the same game fails in the same words."""
        if self._sent is None:
            return ""
        number, sent = _parted(self._sent)
        received = "nothing"
        if self._received is not None:
            answered, text = _parted(self._received)
            # A number that is not ours may be what is wrong.
            received = _quoted(text if answered in ("", number) else self._received)
        return f"; sent {_quoted(sent)}, received {received}"

    def close(self) -> None:
        """Write no more."""
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
    """GTP's id, or the number of a ping, and the line without it."""
    found = re.match(r"([=?]|ping |pong |)(\d+)(?=\s|$)", line)
    if not found:
        return "", line.strip()
    return found[2], f"{found[1]}{line[found.end() :]}".strip()


def _quoted(line: str) -> str:
    shown = plain(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…")
    return f"'{shown}'"
