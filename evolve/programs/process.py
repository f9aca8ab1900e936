"""A child program that exchanges lines with us and never keeps us waiting past a deadline."""

from __future__ import annotations

import contextlib
import errno
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import IO, Final, cast

from evolve.errors import EngineError, EvolveError, ShortageError
from evolve.files.changes import Appender
from evolve.programs.children import LOG, Life, inherited
from evolve.terminal_text import plain

NOTHING: Final[Mapping[str, str]] = {}
_LONGEST_LINE: Final = 65536
_END_SECONDS: Final = 0.5
_SHORTAGES: Final = {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}
"""Errors at a start for which no program can be blamed."""


def _shortage(number: int) -> ShortageError:
    return ShortageError(
        f"no further program can be started: {os.strerror(number)}; take fewer --jobs, or a higher "
        "limit of open files, processes or memory"
    )


def signal_name(number: int) -> str:
    """The name of a signal; its number where it has no name, such as a real-time signal."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


class LineProcess:
    """A program with a guard; a thread reads its output.

    The program and all that it starts end with this process at the latest, however this process
    ends: see `programs.guard`. Where there is no fork (Windows) it has no guard, and only its own
    process ends. Raises EngineError where the program fails: it cannot be started, has ended, or
    does not answer in time; ShortageError where this system is why it cannot be started.

    environment: variables beside those of this process; folder: its working folder, None for the
    current one; quoted: whether errors quote the last lines exchanged, which say nothing useful
    where the program runs our own code.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str] = NOTHING,
        folder: Path | None = None,
        *,
        quoted: bool = True,
    ) -> None:
        self._quotes = quoted
        self._sent: str | None = None
        self._received: str | None = None
        self._log = _Log()
        self.megabytes = 0.0
        """The most MB that one of its processes held, once it has ended; 0 where not known."""
        self._code: int | None = None
        self._failed = 0
        try:
            self._life = Life(reports=True)
            self._process = self._start(command, {**inherited(), **environment}, folder)
        except OSError as error:
            if error.errno in _SHORTAGES:
                raise _shortage(error.errno) from error
            raise EngineError(f"cannot be started: {error.strerror}") from error
        self._input = cast("IO[bytes]", self._process.stdin)
        self._write_log("$", shlex.join(command))
        # `queue.Queue`, which has a limit, uses locks that a Ctrl-C can leave locked: one Ctrl-C
        # in 240 blocked a match for good.
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._ending = threading.Lock()
        self._ended = self._has_ended = False
        self._discarding = False
        self._errors: deque[str] = deque(maxlen=3)
        self._threads = [
            threading.Thread(target=self._read_output, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True),
        ]
        # A Ctrl-C within a method of `Popen` that waits or sends signals can leave its lock locked,
        # and then all other calls block for good. So only this thread waits for the end.
        self._watching = threading.Thread(target=self._watch, daemon=True)
        try:
            for thread in (*self._threads, self._watching):
                thread.start()
        except RuntimeError as error:  # the system has no room for a thread
            self._life.end()
            raise _shortage(errno.EAGAIN) from error

    @property
    def number(self) -> int:
        """The id of its guard's process; where it has no guard, of its own."""
        return self._process.pid

    def _start(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path | None
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._life.guard(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=self._life.pipes,
                env=environment,
                cwd=folder,
                start_new_session=self._life.can_end,  # Ctrl-C is for this process alone
            )
        except BaseException:
            self._life.leave()
            self._life.end()
            self._life.read_report()  # closes its pipe
            raise
        finally:
            self._life.leave()

    def send(self, line: str) -> None:
        self._sent, self._received = line, None
        self._write_log(">", line)
        try:
            self._input.write(line.encode() + b"\n")
            self._input.flush()
        except (OSError, ValueError) as error:  # ValueError: another thread has ended it
            raise self._how_it_ended() from error

    def receive(self, deadline: float, what: str) -> str:
        """The next line, without white space around it, before `deadline` (`own_seconds()`).

        `what`: the thing we wait for; the error names it.
        """
        line = self.next_line(deadline)
        if line is None:
            raise self.error(f"no {what} in time")
        return line

    def next_line(self, deadline: float) -> str | None:
        """The next line; None where none comes before `deadline`."""
        while True:
            left = max(0.0, deadline - own_seconds())
            # A program that has ended may leave a child that keeps its output open.
            ended = self._has_ended
            try:
                line = self._lines.get(timeout=min(left, _END_SECONDS))
                break
            except queue.Empty:
                if ended:
                    raise self._how_it_ended() from None
                if own_seconds() >= deadline:
                    return None
        if line is None:
            self._lines.put(None)
            raise self._how_it_ended()
        if line.strip():
            self._received = line.strip()
        return line.strip()

    def error(self, text: str) -> EngineError:
        """An error with this text, the last line sent, and the last line received since."""
        return EngineError(f"{text}{_exchange(self._sent, self._received) if self._quotes else ''}")

    def end(self, last_line: str | None = None, seconds_to_end: float = 0.0) -> None:
        """Send `last_line`, wait as long for an end, then kill the program and its children.

        It may be called again, also by another thread than the one that waits for a line.
        """
        if last_line is not None:
            with contextlib.suppress(EvolveError):
                self.send(last_line)
        with contextlib.suppress(OSError):
            self._input.close()
        self._watching.join(seconds_to_end)
        with self._ending:
            if not self._ended:
                self._ended = True
                self._life.end() if self._life.can_end else self._process.kill()
                # A guard takes at most half of that to end what it guards.
                self._watching.join(10.0)
        # Read and drop what the program wrote before its end. A process that cannot be killed may
        # keep our pipes open for ever: leave the reader threads running then.
        self._discarding = True
        end = time.monotonic() + _END_SECONDS
        for thread in self._threads:
            while thread.is_alive() and time.monotonic() < end:
                self._discard_lines()
                thread.join(0.01)
        self._discard_lines()
        self._lines.put(None)  # for a thread that waits for a line
        self._log.close()

    def _discard_lines(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._lines.get_nowait()

    def _watch(self) -> None:
        report = self._life.read_report()
        code = self._process.wait()
        self._code, self.megabytes, self._failed = (code, 0.0, 0) if report is None else report
        self._has_ended = True

    def _read_output(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(_LONGEST_LINE):
                # A program that floods us has to wait.
                while self._lines.qsize() >= 1000 and not self._discarding:
                    time.sleep(0.01)
                text = line.decode("utf-8", "replace").rstrip("\n")
                self._write_log("<", text)
                if not self._discarding:
                    self._lines.put(text)
        self._lines.put(None)

    def _read_errors(self, stream: IO[bytes]) -> None:
        with stream:
            while line := stream.readline(_LONGEST_LINE):
                text = line.decode("utf-8", "replace")
                self._write_log("!", text.rstrip("\n"))
                # Users see this text: leave out what would move the cursor or change colours.
                shown = "".join(sign if sign.isprintable() else " " for sign in text)
                self._errors.append(shown.strip())

    def _how_it_ended(self) -> EvolveError:
        """How the program ended, with the end of its standard error output, as an error."""
        self._watching.join(_END_SECONDS)
        if self._failed in _SHORTAGES:
            return _shortage(self._failed)
        self._threads[1].join(_END_SECONDS)
        code = self._code
        if code is None:
            how = "closed its output"
        elif code < 0:
            how = f"was ended by signal {signal_name(-code)}"
        else:
            how = f"ended with exit code {code}"
        errors = " ".join(filter(None, self._errors))
        return self.error(f"{how}: {errors[-200:]}" if errors else how)

    def _write_log(self, sign: str, line: str) -> None:
        self._log.append(f"{self._process.pid} {sign} {plain(line)}")


class _Log:
    """The exchange with one program, in the file that the user asks for, if any.

    Each line has the time, the process id, and `$` for the command, `>` for a line to the program,
    `<` for one from it, `!` for one on standard error, with what a terminal would obey escaped.
    """

    def __init__(self) -> None:
        path = os.environ.get(LOG)
        self._file = Appender(Path(path)) if path else None
        self._lock = threading.Lock()

    def append(self, text: str) -> None:
        """Append a line; after a failure, which is a warning, no more."""
        clock = f"{datetime.now():%H:%M:%S.%f}"[:-3]
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.append(f"{clock} {text}\n".encode("utf-8", "replace"))
                return
            except OSError as error:
                why = f"{os.environ.get(LOG)}: {error.strerror}; no further lines are written there"
        self.close()
        warnings.warn(why, RuntimeWarning, stacklevel=2)

    def close(self) -> None:
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


def _exchange(sent: str | None, received: str | None) -> str:
    """The last line sent and the last one received since, for the end of an error message.

    It leaves out the numbers of pings, so that the same game fails with the same message.
    """
    if sent is None:
        return ""
    ping, _, number = sent.strip().partition(" ")
    if ping == "ping":
        sent, received = ping, received and received.replace(f"pong {number}", "pong")
    answer = "nothing" if received is None else _quote(received)
    return f"; sent {_quote(sent.strip())}, received {answer}"


def _quote(line: str) -> str:
    shown = plain(line if len(line) <= 200 else f"{line[:199]}…")
    return f"'{shown}'"


_LONGEST_BEAT: Final = 0.2
"""Seconds from one beat to the next that count; less than what programs have for the round trip."""

_beat = (0.0, 0.0)
"""When the last beat was, by `time.monotonic`, and how long this process has not run until then.
One tuple, so that it needs no lock, which a Ctrl-C could leave locked."""
_thread = threading.Thread()


def own_seconds() -> float:
    """Seconds on a clock that stands while this process does not run, for deadlines.

    A process may be stopped (SIGSTOP, `docker pause`) or starved; the time of the programs that it
    waits for must not run on meanwhile. A thread beats, and the clock never goes far beyond a beat.
    """
    global _beat, _thread
    if not _thread.is_alive():  # at first, and in a fork of a process, which has no threads
        _beat = (time.monotonic(), _beat[1])
        _thread = threading.Thread(target=_beat_on, daemon=True)
        _thread.start()
    last, lost = _beat
    return min(time.monotonic(), last + _LONGEST_BEAT) - lost


def _beat_on() -> None:
    global _beat
    while True:
        last, lost = _beat
        now = time.monotonic()
        _beat = (now, lost + max(0.0, now - last - _LONGEST_BEAT))
        time.sleep(0.05)
