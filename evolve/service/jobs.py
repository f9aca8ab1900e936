"""All jobs: the queue, the running ones, and the signals sent to them.

Only for the server's own thread.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import tomli_w

from evolve.errors import EvolveError, RunError
from evolve.files.atomic import Tail, write_text
from evolve.files.changes import remove, remove_tree
from evolve.parsing import json_value
from evolve.runs.run_folder import check_new, discard
from evolve.service.agents import Agents
from evolve.service.folders import Folders
from evolve.service.job import ROW_EVENTS, Job, JobRecord
from evolve.service.job_line import SETTINGS_FILE, line_of
from evolve.service.processes import reap, start_process
from evolve.service.responses import ProblemError, log_errors, log_failure, not_found
from evolve.terminal_text import count_of

_PROGRESS_FILE: Final = "progress.jsonl"
_LOG_FILE: Final = "log.txt"
_log: Final = logging.getLogger(__name__)
_EVERY: Final = 0.5  # seconds between two readings of the jobs' progress files


class Jobs:
    """Jobs in the order of their requests; at most `slots` of them run at once.

    tell(name, document) sends an event; on_idle(run) is called when no job works on a run any more.
    """

    def __init__(
        self,
        folders: Folders,
        agents: Agents,
        slots: int,
        tell: Callable[[str, Mapping[str, Any]], None],
        on_idle: Callable[[str], None],
    ) -> None:
        self._folders, self._agents, self.slots = folders, agents, slots
        self._tell, self._on_idle = tell, on_idle
        self._records: dict[str, JobRecord] = {}  # in the order of their requests
        self._tails: dict[str, Tail] = {}

    def restore(self) -> None:
        """Load the jobs of earlier servers: follow those alive, mark dead ones as interrupted.

        Jobs that this user's service did not make in this folder are left alone, as the log says.
        """
        for folder in self._folders.folders_of_jobs():
            with suppress(OSError):
                if not any(folder.iterdir()):
                    remove_tree(folder, ignore_errors=True)  # killed before it was saved
        loaded = [JobRecord.load(path, self._folders) for path in self._folders.folders_of_jobs()]
        found = sorted(filter(None, loaded), key=lambda record: (record.created, record.id))
        if others := len(loaded) - len(found):
            text = count_of(others, "job")
            _log.warning("%s: %s of another folder or user", self._folders.jobs, text)
        for record in found:
            self._records[record.id] = record
            if record.state in ("running", "stopping"):
                self._tails[record.id] = Tail(self.file(record, _PROGRESS_FILE))
                record.progress = record.progress.model_copy(update={"left": None})
        with log_errors("the first look at jobs"):  # such as a full disk: the next try may work
            self.follow()

    async def follow_for_ever(self) -> None:
        """Follow the jobs at regular intervals, without end."""
        while True:
            await asyncio.sleep(_EVERY)
            with log_errors("following jobs"):
                self.follow()

    def all(self) -> list[JobRecord]:
        """All jobs, the newest first."""
        return [*reversed(self._records.values())]

    def get(self, name: str) -> JobRecord:
        """The job of that id; ProblemError where there is none."""
        record = self._records.get(name)
        if record is None:
            raise not_found(f"job {name}")
        return record

    def of_run(self, run: str) -> JobRecord | None:
        """The job at work on a run, or else the last one; None where there is none."""
        jobs = [job for job in list(self._records.values()) if job.run == run]
        return max(jobs, key=lambda job: (not job.over, job.started or job.created), default=None)

    def counts(self) -> tuple[int, int]:
        """The number of running jobs, and of waiting ones."""
        states = [record.state for record in self._records.values()]
        return states.count("running") + states.count("stopping"), states.count("queued")

    def document(self, record: JobRecord) -> Job:
        """A job as clients get it."""
        waiting = [other.id for other in self._records.values() if other.state == "queued"]
        values = json_value(record.model_dump(include={*Job.model_fields}))
        values["place"] = waiting.index(record.id) + 1 if record.id in waiting else None
        if record.over and not self._folders.has_run(record.run):
            values["run"] = None  # a run that never began, or was deleted, is none
        return Job(**values)

    def file(self, record: JobRecord, name: str) -> Path:
        return self._folders.jobs / record.id / name

    def log(self, record: JobRecord) -> str:
        """The last 100 000 bytes that a job printed."""
        try:
            with self.file(record, _LOG_FILE).open("rb") as file:
                file.seek(0, 2)
                file.seek(max(0, file.tell() - 100_000))
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def add(self, record: JobRecord) -> None:
        """Queue a new job, and start it where a slot is free.

        Raises OSError where it cannot be saved, ProblemError where its settings are wrong.
        """
        try:
            line = line_of(self._folders, self._agents, record)
            record.line = self._folders.line_of(line.shown)
            record.save(self._folders)
        except (OSError, EvolveError, ProblemError):
            remove_tree(self._folders.jobs / record.id, ignore_errors=True)
            self._empty_folder(record)
            raise
        self._records[record.id] = record
        self._changed(record)
        with suppress(OSError):  # `follow` tries again
            self._fill()

    def stop(self, record: JobRecord, *, at_once: bool = False) -> None:
        """End a job after its current step, or at once: that step is lost. Cancel one that waits.

        Raises ProblemError where nothing is at work.
        """
        if record.state == "queued" and not at_once:
            with self._undone(record):
                record.state, record.ended = "cancelled", round(time.time(), 3)
                self._empty_folder(record)
                self._keep(record)
            return
        if record.state not in ("running", "stopping") or record.process is None:
            raise ProblemError(409, f"{record.label}: nothing is at work")
        if at_once:
            record.kill()
            self.follow()
        else:
            record.state = "stopping"
            record.stop()
            self._keep(record)

    def resume(self, record: JobRecord) -> None:
        """Queue a job that has ended again; ProblemError where that cannot be."""
        if record.state not in ("stopped", "interrupted", "failed", "cancelled"):
            raise ProblemError(409, f"{record.label}: it cannot be resumed")
        other = None if record.run is None else self.of_run(record.run)
        if other is not None and not other.over:
            raise ProblemError(409, f"job {other.id} is at work on {record.run}")
        line_of(self._folders, self._agents, record)  # raises where it cannot be made
        with self._undone(record):
            record.restart()
            self._keep(record)
        with suppress(OSError):
            self._fill()

    def remove(self, record: JobRecord) -> None:
        """Delete a job that has ended, and its files. Its run stays."""
        if not record.over:
            raise ProblemError(409, f"{record.label}: stop it first")
        folder = self._folders.jobs / record.id
        if folder.exists():  # missing where the disk only failed to confirm its removal
            self._folders.throw_away(folder)
        del self._records[record.id]
        self._tell("job", {"id": record.id, "gone": True})

    def follow(self) -> None:
        """Read the events of jobs, notice those that have ended, and start the next."""
        reap()
        for name, tail in list(self._tails.items()):
            with log_errors(f"following job {name}"):
                self._follow(self._records[name], tail)
        self._fill()

    def _follow(self, record: JobRecord, tail: Tail) -> None:
        alive = record.alive  # before its events: what it said at its end is read, too
        events = tail.read(1 << 20) if alive else tail.read()
        news = [self._take(record, event) for event in events]
        if not alive:
            self._end(record)
        elif any(news):
            self._keep(record)

    def _take(self, record: JobRecord, event: Mapping[str, Any]) -> bool:
        """Take in an event and send it on; returns whether the job's file must be saved."""
        news = record.take(event)
        name = event["event"]
        if name in ROW_EVENTS:
            self._tell(name, {"run": record.run, "job": record.id, "row": event.get("row")})
            self._changed(record)
            return False  # nothing to save: the progress file has it
        if name == "match":
            self._tell("match", {"job": record.id, "result": record.result})
        if not news:
            self._tell(
                "progress", {"job": record.id, "run": record.run, **record.progress.model_dump()}
            )
        return news

    def _end(self, record: JobRecord) -> None:
        del self._tails[record.id]
        lines = [line for line in self.log(record).splitlines() if line.strip()]
        kept = self._folders.has_run(record.run)
        record.end(lines[-1] if lines else "", kept)
        if record.run is not None:
            self._on_idle(record.run)
        if record.state in ("cancelled", "failed"):
            self._empty_folder(record)
        self._keep(record)

    def _empty_folder(self, record: JobRecord) -> None:
        if record.run is not None:
            with suppress(RunError, OSError):
                folder = self._folders.run(record.run)
                check_new(folder)
                discard(folder, made=True)

    def _fill(self) -> None:
        for record in self._records.values():
            if self.counts()[0] >= self.slots:
                return
            if record.state == "queued":
                self._start(record)

    @contextmanager
    def _undone(self, record: JobRecord) -> Iterator[None]:
        """Restore a job where a change of it cannot be saved.

        Its client sees a failure, and the job is as it would be after a restart.
        """
        before = record.model_copy()
        try:
            yield
        except OSError:
            vars(record).update(vars(before))
            self._changed(record)
            raise

    def _start(self, record: JobRecord) -> None:
        progress = self.file(record, _PROGRESS_FILE)
        try:
            if record.run is not None:
                self._folders.run(record.run)
            line = line_of(self._folders, self._agents, record)
        except (EvolveError, ProblemError) as error:
            self._fail(record, str(error))
            return
        except Exception as error:  # one job must not keep those behind it from starting
            failure = log_failure(f"starting job {record.id}", error)
            self._fail(record, f"an unexpected error; the log has failure {failure}")
            return
        with self._undone(record):
            record.state, record.started = "running", round(time.time(), 3)
            record.names = {**record.names, **line.names}
            record.line = self._folders.line_of(line.shown)
            if line.file is not None:
                write_text(self.file(record, SETTINGS_FILE), tomli_w.dumps(dict(line.file)))
            record.save(self._folders)  # before the start: no job starts twice
            remove(progress, missing_ok=True)
        words = [sys.executable, "-m", "evolve", *line.words]
        words += [] if record.threads is None else ["--jobs", str(record.threads)]
        words += ["--progress", str(progress)]
        log = self.file(record, _LOG_FILE)
        try:
            record.process = start_process(words, self._folders.runs.parent, log, record.id)
        except OSError as error:
            self._fail(record, f"it could not be started: {error.strerror or error}")
            return
        self._tails[record.id] = Tail(progress)
        self._keep(record)

    def _fail(self, record: JobRecord, why: str) -> None:
        record.state, record.error, record.ended = "failed", why, round(time.time(), 3)
        self._empty_folder(record)
        self._keep(record)

    def _keep(self, record: JobRecord) -> None:
        self._changed(record)
        record.save(self._folders)

    def _changed(self, record: JobRecord) -> None:
        self._tell("job", self.document(record).model_dump())
