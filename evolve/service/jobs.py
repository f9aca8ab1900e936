"""All jobs: which wait, which work, and what they are told. For the server's own thread."""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from evolve.errors import LinkError, RunError
from evolve.files.changes import move, remove, remove_tree
from evolve.files.folder import FolderPath
from evolve.service import process
from evolve.service.job import ROW_EVENTS, JobRecord
from evolve.service.models.jobs import Job
from evolve.service.place import Place
from evolve.service.problems import ProblemError, not_found
from evolve.service.tail import Tail
from evolve.tables.folder import check_new, discard

PROGRESS_FILE: Final = "progress.jsonl"
LOG_FILE: Final = "log.txt"
SETTINGS_FILE: Final = "settings.toml"
_EVERY: Final = 0.5
"""Seconds between two looks at what jobs tell."""

_LIVES: Final = 1.0
"""Seconds between two looks at whether their processes live."""

Tell = Callable[[str, Mapping[str, Any]], None]


class Jobs:
    """Jobs in the order in which they were asked for; `slots` of them work at once.

    tell(name, document) sends an event; rested(run) hears of a run that no job is at work on any
    more.
    """

    def __init__(self, place: Place, slots: int, tell: Tell, rested: Callable[[str], None]) -> None:
        self._place, self.slots, self._tell, self._rested = place, slots, tell, rested
        self._records: dict[str, JobRecord] = {}
        self._of_run: dict[str, JobRecord] = {}
        self._tails: dict[str, Tail] = {}
        self._kills: set[str] = set()
        self._next_look = 0.0
        self.damaged: list[str] = []

    def restore(self) -> None:
        """Find the jobs of before: those alive are followed, those that died are interrupted."""
        for folder in self._place.folders_of_jobs():
            if {path.name for path in folder.iterdir()} <= {SETTINGS_FILE}:
                remove_tree(folder, ignore_errors=True)  # killed before it was a job
                continue
            try:
                record = JobRecord.load(folder)
            except RunError as error:
                self.damaged.append(str(error))
                continue
            self._records[record.id] = record
        for record in self._ordered():
            if record.run is not None:
                self._of_run[record.run] = record
            if record.state in ("running", "stopping"):
                if record.process is None:  # killed between the start and its being written down
                    record.process = process.find(str(self.file(record, PROGRESS_FILE)))
                self._tails[record.id] = Tail(self.file(record, PROGRESS_FILE))
                record.progress = record.progress.model_copy(update={"left": None})
        self.follow()

    async def follow_for_ever(self) -> None:
        """Look at what jobs tell, again and again."""
        while True:
            await asyncio.sleep(_EVERY)
            with suppress(OSError):  # a full disk: files are written when there is room again
                self.follow()

    def __contains__(self, name: str) -> bool:
        return name in self._records

    def all(self) -> list[JobRecord]:
        """The newest first."""
        return list(reversed(self._ordered()))

    def get(self, name: str) -> JobRecord:
        """The job of that id; ProblemError where there is none."""
        record = self._records.get(name)
        if record is None:
            raise not_found(f"job {name}")
        return record

    def of_key(self, key: str) -> JobRecord | None:
        """The job that a request with this key has made."""
        return next((one for one in self._records.values() if one.key == key), None)

    def of_run(self, run: str) -> JobRecord | None:
        """The last job that had to do with a run."""
        return self._of_run.get(run)

    def counts(self) -> tuple[int, int]:
        """How many work, and how many wait."""
        states = [record.state for record in self._records.values()]
        return states.count("running") + states.count("stopping"), states.count("queued")

    def document(self, record: JobRecord) -> Job:
        """A job as clients get it."""
        waiting = [one.id for one in self._ordered() if one.state == "queued"]
        place = waiting.index(record.id) + 1 if record.id in waiting else None
        found = record.document(place)
        if record.over and record.run and not self._place.has_run(record.run):
            return found.model_copy(update={"run": None})  # it never came to be, or is gone
        return found

    def file(self, record: JobRecord, name: str) -> FolderPath:
        """A file of a job."""
        return self._place.jobs / record.id / name

    def log(self, record: JobRecord, most: int = 100_000) -> str:
        """The end of what a job has printed; of a link, that it is one."""
        try:
            with self.file(record, LOG_FILE).open("rb") as file:
                file.seek(0, 2)
                file.seek(max(0, file.tell() - most))
                text: str = file.read().decode(errors="replace")
                return text
        except LinkError as error:
            return str(error)
        except OSError:
            return ""

    def add(self, record: JobRecord) -> None:
        """Queue a new job, and start it where there is a slot. OSError: it cannot be kept."""
        try:
            record.save(self._place.jobs)
        except OSError:
            self.give_up(record)
            raise
        self._records[record.id] = record
        if record.run is not None:
            self._of_run[record.run] = record
        self._changed(record)
        self._fill_if_possible()

    def give_up(self, record: JobRecord) -> None:
        """Remove what there is of a job that could not be kept, and give back its run's name."""
        remove_tree(self._place.jobs / record.id, ignore_errors=True)
        if record.words[0] != "resume":
            self._empty_folder(record)

    def stop(self, record: JobRecord) -> None:
        """End it after what is in hand; one that waits is cancelled."""
        if record.state == "queued":
            with self._undone(record):
                record.state, record.ended = "cancelled", round(time.time(), 3)
                self._empty_folder(record)
                self._keep(record)
            return
        if record.state in ("running", "stopping") and record.process is not None:
            record.state = "stopping"
            record.process.stop()
        else:
            raise ProblemError(409, f"job {record.id} is {record.state}: nothing is at work")
        self._keep(record)

    def kill(self, record: JobRecord) -> None:
        """End it at once: what was in hand is lost."""
        if record.state not in ("running", "stopping") or record.process is None:
            raise ProblemError(409, f"job {record.id} is {record.state}: nothing is at work")
        self._kills.add(record.id)
        record.process.kill()
        self._next_look = 0.0
        self.follow()

    def resume(self, record: JobRecord) -> None:
        """Queue it again, to go on where it ended."""
        if record.state not in ("stopped", "interrupted", "failed", "cancelled"):
            raise ProblemError(409, f"job {record.id} is {record.state}: it cannot be resumed")
        other = None if record.run is None else self.of_run(record.run)
        if other is not None and not other.over:
            raise ProblemError(409, f"job {other.id} is at work on {record.run}")
        with self._undone(record):
            record.begin_anew()
            self._keep(record)
        self._kills.discard(record.id)
        if record.run is not None:
            self._of_run[record.run] = record
        self._fill_if_possible()

    def remove(self, record: JobRecord) -> None:
        """Forget a job that has ended, and its files. Its run stays."""
        if not record.over:
            raise ProblemError(409, f"job {record.id} is {record.state}: stop it first")
        folder = self._place.jobs / record.id
        gone = self._place.lent / secrets.token_hex(8)
        if folder.exists():  # it is gone where the disk failed only to confirm that
            move(folder, gone)  # in one step: half of a job would be a damaged one
        remove_tree(gone, ignore_errors=True)
        del self._records[record.id]
        if record.run is not None and self._of_run.get(record.run) is record:
            del self._of_run[record.run]
        self._tell("job", {"id": record.id, "gone": True})

    def follow(self) -> None:
        """Learn what jobs have told, notice those that have ended, and start the next."""
        now = time.monotonic()
        look = now >= self._next_look
        if look:  # dearer than the rest of it together
            self._next_look = now + _LIVES
            process.reap()
        for name, tail in list(self._tails.items()):
            record = self._records[name]
            alive, news = True, False
            for event in tail.read():
                news |= self._take(record, event)
                look |= event["event"] in ("done", "error")
            if look:
                alive = record.process is not None and record.process.alive
            if not alive:
                for event in tail.rest():
                    self._take(record, event)
                self._end(record)
            elif news:
                self._keep(record)
        self._fill()

    def _take(self, record: JobRecord, event: Mapping[str, Any]) -> bool:
        """Learn from an event, and tell it on; whether the job's file must say so."""
        news = record.take(event)
        name = event["event"]
        if name in ROW_EVENTS:
            self._tell(name, {"run": record.run, "job": record.id, "row": event.get("row")})
            self._changed(record)
            return False  # to be kept: what the process tells is kept by itself
        if name == "match":
            self._tell("match", {"job": record.id, "result": record.result})
        if not news:
            self._tell(
                "progress",
                {"job": record.id, "run": record.run, **record.progress.model_dump()},
            )
        return news

    def _end(self, record: JobRecord) -> None:
        del self._tails[record.id]
        lines = [line for line in self.log(record).splitlines() if line.strip()]
        kept = self._place.has_run(record.run)
        record.end(lines[-1] if lines else "", kept)
        if record.id in self._kills and record.state in ("failed", "cancelled"):
            record.state, record.error = "interrupted", None
        self._kills.discard(record.id)
        if record.run is not None:
            self._rested(record.run)
        if record.state in ("cancelled", "failed"):
            self._empty_folder(record)
        self._keep(record)

    def _empty_folder(self, record: JobRecord) -> None:
        """Give back the name of a run that never began."""
        if record.run is not None:
            folder = self._place.run(record.run)
            with suppress(RunError, OSError):
                check_new(folder)
                discard(folder, made=True)

    def _fill(self) -> None:
        """Start what waits, as far as there are slots."""
        for record in self._ordered():
            if self.counts()[0] >= self.slots:
                return
            if record.state == "queued":
                self._start(record)

    def _fill_if_possible(self) -> None:
        """The same for a job that has just been kept: `follow` starts it when there is room."""
        with suppress(OSError):
            self._fill()

    @contextmanager
    def _undone(self, record: JobRecord) -> Iterator[None]:
        """Let a job be as it was where the change of it cannot be kept: its client hears of a
        failure, and after a restart it would be so as well."""
        before = dict(vars(record))
        try:
            yield
        except OSError:
            vars(record).update(before)
            self._changed(record)
            raise

    def _start(self, record: JobRecord) -> None:
        progress = self.file(record, PROGRESS_FILE)
        try:
            self._refuse_links(record)
        except LinkError as error:
            record.state, record.error = "failed", str(error)
            record.ended = round(time.time(), 3)
            self._keep(record)
            return
        words = [sys.executable, "-m", "evolve", *self._words(record, progress)]
        with self._undone(record):
            record.state, record.started = "running", round(time.time(), 3)
            record.save(self._place.jobs)  # before it is started: a job is never started twice
            remove(progress, missing_ok=True)
        try:
            record.process = process.start(
                words, self._place.runs.parent, self.file(record, LOG_FILE)
            )
        except OSError as error:
            why = error.strerror or error
            record.state, record.error = "failed", f"it could not be started: {why}"
        else:
            self._tails[record.id] = Tail(progress)
        self._keep(record)

    def _refuse_links(self, record: JobRecord) -> None:
        """Raise LinkError where a file of the job, or its run, is a link: its process is given the
        names of these, and would follow them."""
        folder = self._place.jobs / record.id
        if folder.is_dir():
            folder.refuse_links()
        if record.run is not None:
            self._place.run(record.run).exists()

    def _words(self, record: JobRecord, progress: Path) -> Sequence[str]:
        """The words of the command line that starts it, or goes on."""
        threads = [] if record.threads is None else ["--jobs", str(record.threads)]
        words = record.words
        if record.run is not None and words[0] != "resume":
            folder = self._place.run(record.run)
            if self._place.has_run(record.run):
                words = ["resume", str(folder)]
        return [*words, *threads, "--progress", str(progress)]

    def _keep(self, record: JobRecord) -> None:
        self._changed(record)
        record.save(self._place.jobs)

    def _changed(self, record: JobRecord) -> None:
        self._tell("job", self.document(record).model_dump())

    def _ordered(self) -> list[JobRecord]:
        return sorted(self._records.values(), key=lambda record: (record.created, record.id))
