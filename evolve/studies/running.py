"""Runs the runs of a study, several at a time, until all are done."""

from __future__ import annotations

import os
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Final

import tomli_w

from evolve.engine.games.first_use import compile_first
from evolve.errors import EvolveError, RunError
from evolve.files.atomic import Tail, write_text
from evolve.files.changes import open_to_append, remove
from evolve.programs.forks import start
from evolve.runs import run_folder
from evolve.runs.progress import COMPILING, Observer, RunEnding, TimeLeft
from evolve.runs.run import Study
from evolve.runs.study_spec import Member
from evolve.runs.summary import row_of
from evolve.tables.paths import CONFIG_FILE, LOGS, SETTINGS

_Main = Callable[[list[str]], Any]


class Working(ABC):
    """A run that is executing, seen from the process that started it.

    sentinel: becomes ready when the run has ended; for `multiprocessing.connection.wait`. share: of
    the run that is done, 0 to 1. error: why it failed, if it did. stopped: whether it ended on
    request, so that it can be resumed. lost: why no worker is left for any run, on a cluster.
    """

    sentinel: Any
    share = 0.0
    error: str | None = None
    stopped = False
    lost: EvolveError | None = None

    def look(self) -> None:  # noqa: B027  # nothing to read where a thread does the work
        """Read what it has reported since the last time."""

    @abstractmethod
    def stop(self) -> None:
        """Ask it to end after its current step, as Ctrl-C does."""

    @abstractmethod
    def kill(self) -> None:
        """End it now."""

    @abstractmethod
    def ended(self) -> int:
        """Wait for its end; return the exit code, negative where a signal ended it."""


class RunProcess(Working):
    """A process that executes a run, seen from the process that started it.

    main: the command line, a function of its words without `evolve`. modules: imports of its work.
    log: its output is appended to this file. progress: it reports here, in the format of
    `--progress`. The process has no terminal and gets no Ctrl-C of its own. It ends with the
    process that started it.
    """

    def __init__(
        self, main: _Main, modules: Sequence[str], words: Sequence[str], log: Path, progress: Path
    ) -> None:
        remove(progress, missing_ok=True)
        self._progress, self._tail = progress, Tail(progress)
        arguments = (main, [*words, "--progress", str(progress)], log)
        self._process = start(_work, arguments, modules)
        self.sentinel = self._process.sentinel

    def look(self) -> None:
        for event in self._tail.read():
            if "row" in event or event.get("whole"):
                self.share = min(1.0, event["done"] / max(1e-9, event["total"]))
            elif event["event"] == "error":
                self.error = event["message"]
            elif event["event"] == "done":
                self.stopped = bool(event.get("stopped"))

    def stop(self) -> None:
        """See Working. On Windows the console sends Ctrl-C to its processes; we could only kill."""
        if sys.platform != "win32" and self._process.pid is not None and self._process.is_alive():
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGINT)

    def kill(self) -> None:
        """End it now: by SIGTERM, and by SIGKILL where that does not help."""
        self._process.terminate()
        self._process.join(10.0)
        self._process.kill()
        self.ended()

    def ended(self) -> int:
        self._process.join()
        code = self._process.exitcode
        self._process.close()
        self.look()
        remove(self._progress, missing_ok=True)
        return 0 if code is None else code


def _work(main: _Main, words: list[str], log: Path) -> None:
    try:
        sink = open_to_append(log)
    except OSError as error:
        raise RunError(f"{log}: {error.strerror}") from error
    os.dup2(sink, sys.stdout.fileno())
    os.dup2(sink, sys.stderr.fileno())
    os.close(sink)
    main(words)


_PROGRESS: Final = ".progress"  # suffix of the file in which a run reports


class StudyEnding(RunEnding):
    """Why the work on a study ended."""

    DONE = "all runs are done"
    FAILED = "some runs have failed"
    STOPPED = "stopped"


class StudyWork:
    """The unfinished work of a study, done by processes. Make it inside the folder's lock.

    jobs: threads of all runs together. At most that many runs execute at a time. Each has its share
    of the threads, or the number of workers in its settings where results depend on that number.
    process: RunProcess, with the command line. more: its words for resumed runs, such as
    --generations 300. elsewhere: starts or resumes the run in a folder with its settings on other
    machines, which have `jobs` slots. Results depend on none of these.
    """

    def __init__(
        self,
        study: Study,
        jobs: int,
        process: Callable[..., Working],
        more: Sequence[str] = (),
        elsewhere: Callable[[Path, Any], Working] | None = None,
    ) -> None:
        # What a killed study left: finished runs are not started again, so nothing else removes it.
        run_folder.sweep_orphans(study.path, (LOGS, SETTINGS))
        for path in (study.path / LOGS).glob(f"*{_PROGRESS}"):
            remove(path, missing_ok=True)
        self.study, self._process, self._more, self._elsewhere = study, process, more, elsewhere
        self._jobs = jobs
        self.rows = {member: row_of(study, member) for member in study.design.members}
        self.left = [member for member, row in self.rows.items() if row["state"] != "done" or more]
        self._workers = {
            member: getattr(study.design.resolved(member), "jobs", None) for member in self.left
        }
        self.threads = max(map(self._threads_of, self.left), default=1)
        self.failed: dict[Member, str] = {}
        self._working: dict[Member, Working] = {}

    @property
    def at_once(self) -> int:
        """Runs that execute at a time."""
        each = max((count or 1 for count in self._workers.values()), default=1)
        return max(1, min(self._jobs // each, len(self.left)))

    def _threads_of(self, member: Member) -> int:
        """Return the threads of a run: its share of them, or its workers; one on a slot."""
        share = 1 if self._elsewhere else max(1, self._jobs // self.at_once)
        return self._workers[member] or share

    def run(self, observer: Observer) -> StudyEnding:
        """Do the work. Runs that fail are reported and left; the others continue."""
        if self._elsewhere is None:  # not in the first runs
            compile_first(partial(observer.stage, COMPILING))
        waiting, stopping = list(self.left), False
        self._done = float(len(self.rows) - len(waiting))
        # A run's first share says little: its process starts, and a play-off ends it.
        observer.expect(TimeLeft(at_once=self.at_once, by_rows=True))
        observer.whole("runs", self._done, len(self.rows))
        try:
            while self._working or (waiting and not stopping):
                # Elsewhere they take turns, so that the last ones end together.
                begun = 2 * self._jobs if self._elsewhere else self.at_once
                while waiting and len(self._working) < begun and not stopping:
                    member = waiting.pop(0)
                    self._working[member] = self._begin(member)
                ended = wait([process.sentinel for process in self._working.values()], 0.25)
                for member, process in list(self._working.items()):
                    process.look()
                    if process.sentinel in ended:
                        del self._working[member]
                        self._end(member, process, observer)
                        if process.lost is not None:
                            raise process.lost
                done = self._done + sum(process.share for process in self._working.values())
                observer.whole("runs", min(done, len(self.rows)), len(self.rows))
                if observer.stop() and not stopping:
                    stopping = True
                    for process in self._working.values():
                        process.stop()
        finally:
            for process in self._working.values():
                process.kill()
        if stopping and any(row["state"] != "done" for row in self.rows.values()):
            return StudyEnding.STOPPED
        return StudyEnding.FAILED if self.failed else StudyEnding.DONE

    def _begin(self, member: Member) -> Working:
        folder, name = self.study.folder_of(member), member.name
        if self._elsewhere is not None:
            return self._elsewhere(folder, self.study.design.resolved(member))
        if (folder / CONFIG_FILE).exists():
            words = ["resume", str(folder), *self._more]
        else:
            file = self.study.path / SETTINGS / f"{name}.toml"
            design = self.study.design
            # With its rules: the default ones for new runs may have changed since.
            rules = getattr(design.resolved(member), "rules", None)
            write_text(file, tomli_w.dumps({"rules": rules, **design.values_of(member)}))
            words = [*design.command.split(), "--config", str(file), "--out", str(folder)]
        logs = self.study.path / LOGS
        words += ["--jobs", str(self._threads_of(member))]
        log, progress = logs / f"{name}.log", logs / f"{name}{_PROGRESS}"
        return self._process(words, log, progress)

    def _end(self, member: Member, process: Working, observer: Observer) -> None:
        code = process.ended()
        row = self.rows[member] = row_of(self.study, member)
        stopped = process.stopped or code in (130, 143, 129)  # of one ended from outside
        if code != 0 and not stopped:
            log = self.study.path / LOGS / f"{member.name}.log"
            reason = process.error or f"its process ended with {code}; see {log}"
            self.failed[member] = reason
            observer.note(f"{member.name}: {reason}")
        elif not stopped:
            self._done += 1
            observer.row(row, self._done, len(self.rows))
