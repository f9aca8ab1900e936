"""One job: its work, how far it is, its small file, and whether its process runs.

A folder of runs may come from anywhere, and its files may claim anything. So each
job of this user's service has the random text that the user's list has for the folder
(`evolve.runs.agreements`). Any other job is left alone.

Its process is started apart from the server. Process ids are used again, so a process counts as a
job's only where it has the job's id in its environment. Any other gets no signal.
"""

from __future__ import annotations

import json
import secrets
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, get_args

import psutil
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolve.config.matches import CONTESTS
from evolve.files.atomic import write_text
from evolve.files.changes import make_folder
from evolve.parsing import (
    faults,
    finite_number,
    parse_json,
    read_document,
    with_texts,
)
from evolve.runs.agreements import agree, nonce_of
from evolve.runs.run_types import RUN_TYPES
from evolve.service.folders import RUN_ID, Folders

JOB_ID: Final = "EVOLVE_JOB"
"""The environment variable that holds a job's id."""
_FILE: Final = "job.json"
ROW_EVENTS: Final = tuple(kind.row_event for kind in RUN_TYPES)
"""Events of `--progress` that report a new row of a table."""
_AtWork = Literal["queued", "running", "stopping"]
_Ended = Literal["done", "stopped", "interrupted", "failed", "cancelled", "damaged"]
JobState = Literal[_AtWork, _Ended]
"""`damaged`: its file cannot be read."""
if TYPE_CHECKING:
    New: TypeAlias = str  # a type checker does not look into the registries
    _Command: TypeAlias = str
else:
    _NEW = (*(kind.name for kind in RUN_TYPES), *CONTESTS)
    New = Literal[_NEW]
    """First word of a command that jobs run."""
    _Command = Literal[(*_NEW, "resume")]
Threads = Annotated[int | None, Field(ge=1, le=1024)]


class JobProgress(BaseModel):
    """How far a job is: the whole of it, and its current stage."""

    model_config = ConfigDict(allow_inf_nan=False)

    done: float | None = None
    total: float | None = None
    stage: str | None = None
    stage_done: float | None = None
    stage_total: float | None = None
    left: float | None = Field(default=None, description="seconds that are left, as it looks")


class Job(BaseModel):
    """A job: one process of the command line at a time."""

    id: str
    command: _Command | None = Field(description="null of a damaged one")
    settings: dict[str, Any]
    seeds: str | None = Field(default=None, description="of a study")
    grid: dict[str, list[Any]] = Field(default={}, description="of a study")
    state: JobState = "queued"
    line: str = Field(default="", description="the equal command line; empty where there is none")
    run: str | None = Field(default=None, pattern=RUN_ID, description="once there is one")
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    process: int | None = Field(default=None, gt=0)
    place: int | None = Field(default=None, description="in the queue, from 1")
    progress: JobProgress = JobProgress()
    result: dict[str, Any] | None = Field(default=None, description="of a match or rating, so far")
    ending: str | None = Field(default=None, description="why it ended")
    error: str | None = None
    notes: list[str] = []


class JobRecord(Job):
    """A job: what was asked for, and how it goes. Its file has this, but for its place.

    settings: as the client gave them, agents by their ids. line: for people; what is started is
    made from command and settings each time, see `line_of`. names: ids of agents, keyed
    by their names on the command line at the time of the request. nonce: of the folder, see
    `evolve.runs.agreements`.
    """

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)

    names: dict[str, str] = Field(default={})
    threads: Threads = None
    nonce: str = ""
    _killed: bool = False
    _stopped: bool = False

    @classmethod
    def new(cls, **facts: Any) -> JobRecord:
        now = time.time()
        name = f"{time.strftime('%Y%m%d', time.gmtime(now))}-{secrets.token_hex(4)}"
        return cls(id=name, created=round(now, 3), **facts)

    @classmethod
    def load(cls, folder: Path, folders: Folders) -> JobRecord | None:
        """The job in a folder, also a damaged one; None if this user's service did not make it."""
        file = folder / _FILE
        try:
            record = cls.model_validate_json(json.dumps(parse_json(read_document(file))))
        except (OSError, ValueError) as error:
            wrong = faults(error)[:3] if isinstance(error, ValidationError) else []
            text = "; ".join(fault.text for fault in wrong) or str(error)
            facts: dict[str, Any] = {"state": "damaged", "error": f"{file} is damaged: {text}"}
            date = folder.lstat().st_mtime
            return cls(id=folder.name, command=None, settings={}, created=date, **facts)
        own = record.id == folder.name and record.nonce == nonce_of(folders.own)
        return record if own else None

    def save(self, folders: Folders) -> None:
        """Write its file in one step; OSError where that fails."""
        self.nonce = nonce_of(folders.own) or agree(folders.own, ())
        folder = folders.jobs / self.id
        make_folder(folder, exist_ok=True)
        text = json.dumps(self.model_dump(exclude={"place"}), indent=1) + "\n"
        try:
            write_text(folder / _FILE, text)
        except OSError:  # where only its confirmation failed, the next server reads it
            if not (folder / _FILE).exists() or (folder / _FILE).read_text() != text:
                raise

    def _found(self) -> psutil.Process | None:
        """Its process, if it runs: one that has ended and was not waited for does not count."""
        with suppress(psutil.Error):
            process = None if self.process is None else psutil.Process(self.process)
            if process is not None and process.status() != psutil.STATUS_ZOMBIE:
                # Linux shows none for a moment at the start of a program.
                environment: Mapping[str, str] = process.environ() or {JOB_ID: self.id}
                return process if environment.get(JOB_ID) == self.id else None
        return None

    @property
    def alive(self) -> bool:
        return self._found() is not None

    def stop(self) -> None:
        """Ask its process to end after its current step, as Ctrl-C does.

        Windows sends no Ctrl-C to a process apart: there it ends at once, and a run can be resumed
        from its last step.
        """
        if sys.platform == "win32":
            self.kill()
        elif (process := self._found()) is not None:
            with suppress(psutil.Error):
                process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End its process and all that it started, at once."""
        self._killed = True
        if (process := self._found()) is not None:
            with suppress(psutil.Error):
                for member in [process, *process.children(recursive=True)]:
                    with suppress(psutil.Error):
                        member.kill()

    @property
    def over(self) -> bool:
        """Whether it has no process and does not wait for one."""
        return self.state in get_args(_Ended)

    @property
    def label(self) -> str:
        """Its id and state, for messages."""
        return f"job {self.id} is {self.state}"

    def restart(self) -> None:
        self.state, self.started, self.ended, self.process = "queued", None, None, None
        self.ending = self.error = None
        self.progress, self._killed = JobProgress(), False

    def take(self, event: Mapping[str, Any]) -> bool:
        """Update it from an event of its process; returns whether that is more than a step."""
        name, left = event["event"], finite_number(event.get("left"))
        done, total = finite_number(event.get("done")), finite_number(event.get("total"))
        facts = {key: value for key, value in event.items() if key not in ("event", "time", "left")}
        if name == "progress":
            stage = str(event.get("stage"))
            changes = {"stage": stage, "stage_done": done, "stage_total": total, "left": left}
            changes |= {"done": done, "total": total} if event.get("whole") is True else {}
            self.progress = self.progress.model_copy(update=changes)
            return False
        if name == "match":
            done, total = finite_number(event.get("games")), self.progress.total
            self.result = {**(self.result or {}), **facts}
            self.progress = JobProgress(done=done, total=total, left=left)
            return False
        if "row" in event:
            self.progress = JobProgress(done=done, total=total, left=left)
        elif name == "note":
            self.notes = [*self.notes, str(event.get("text"))][-20:]
        elif name == "started" and self.run is None:
            self.result = {name: event[name] for name in ("rules", "sprt") if name in event}
            self.progress = JobProgress(total=finite_number(event.get("games")))
        elif name == "done":
            self.ending = str(event.get("ending") or "done")
            self._stopped = bool(facts.get("stopped"))
            if (games := finite_number(facts.get("games"))) is not None:
                self.progress = JobProgress(done=games, total=games)  # a test may end early
            if "score" in facts or "cross" in facts:
                shown = with_texts(facts, lambda text: self.names.get(text, text))
                self.result = {**(self.result or {}), **shown}
        elif name == "error":
            self.error = str(event.get("message"))
        return True

    def end(self, log: str, has_run: bool) -> None:
        """Record how its process ended: by its events, or else by the last line of its log.

        log: that line. has_run: whether there is a run to resume.
        """
        stopping = self.state == "stopping"
        self.ended, self.process = round(time.time(), 3), None
        if self.ending is not None:
            self.state = "stopped" if self._stopped else "done"
        elif stopping:
            self.state, self.error = "stopped" if has_run else "cancelled", None
        elif self.error is not None:
            self.state = "failed"
        elif log.startswith("error: "):
            self.state, self.error = "failed", log.removeprefix("error: ")
        else:
            self.state = "interrupted"
        if self._killed and self.state in ("failed", "cancelled"):
            self.state, self.error = "interrupted", None
