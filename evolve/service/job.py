"""One job: what it is to do, how far it is, and the small file that says so."""

from __future__ import annotations

import json
import secrets
import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from evolve.documents import parse_json, read_document
from evolve.errors import RunError
from evolve.files.atomic import write_text
from evolve.files.changes import make_folder
from evolve.service.models.jobs import ENDED, Job, JobProgress, JobState
from evolve.service.process import Process

_FILE: Final = "job.json"
_NOTES: Final = 20
ROW_EVENTS: Final = ("generation", "check", "trial")
"""Of `--progress`: a row of a table is there."""


@dataclass
class JobRecord:
    """A job, as its file has it.

    words: of the command line, after `evolve`; shown: the same for people, settings as options.
    settings: as the client gave them, agents by their ids. key, asked: of the request that made it,
    which makes none twice, and a digest of what it said. names: ids of agents by what the command
    line calls them.
    """

    id: str
    command: str
    settings: dict[str, Any]
    words: list[str]
    shown: list[str]
    names: dict[str, str] = field(default_factory=dict)
    run: str | None = None
    threads: int | None = None
    key: str | None = None
    asked: str | None = None
    state: JobState = "queued"
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    process: Process | None = None
    progress: JobProgress = field(default_factory=lambda: JobProgress())
    result: dict[str, Any] | None = None
    ending: str | None = None
    error: str | None = None
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._stopped = False
        self._pace = _Pace()

    @classmethod
    def new(
        cls, command: str, settings: Mapping[str, Any], words: Sequence[str], **facts: Any
    ) -> JobRecord:
        """A job that has just been asked for."""
        now = time.time()
        name = f"{time.strftime('%Y%m%d', time.gmtime(now))}-{secrets.token_hex(4)}"
        listed = list(words)
        return cls(name, command, dict(settings), listed, [*listed], created=round(now, 3), **facts)

    @property
    def over(self) -> bool:
        """Whether it has no process and waits for none."""
        return self.state in ENDED

    def document(self, place: int | None) -> Job:
        """As clients get it."""
        return Job(
            id=self.id,
            command=self.command,  # type: ignore[arg-type]
            settings=self.settings,
            state=self.state,
            line=shlex.join(["evolve", *self.shown]),
            run=self.run,
            created=self.created,
            started=self.started,
            ended=self.ended,
            process=None if self.process is None else self.process.number,
            place=place,
            progress=self.progress,
            result=self.result,
            ending=self.ending,
            error=self.error,
            notes=self.notes,
        )

    def named(self, value: Any) -> Any:
        """What the command line told, with agents by their ids."""
        if isinstance(value, dict):
            return {self.names.get(key, key): self.named(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.named(one) for one in value]
        return self.names.get(value, value) if isinstance(value, str) else value

    def begin_anew(self) -> None:
        """Forget how it went, to go on."""
        self.state, self.started, self.ended, self.process = "queued", None, None, None
        self.ending = self.error = None
        self.progress = JobProgress()
        self._pace = _Pace()

    def take(self, event: Mapping[str, Any]) -> bool:
        """Learn from an event of its process; whether there is more to it than a step."""
        name, now = event["event"], _number(event.get("time")) or 0.0
        done, total = _number(event.get("done")), _number(event.get("total"))
        facts = {key: value for key, value in event.items() if key not in ("event", "time")}
        if name == "progress":
            changes = {"stage": str(event.get("stage")), "stage_done": done, "stage_total": total}
            if self.progress.total is None:  # nothing else says how long it takes
                changes["left"] = self._pace.left(done, total, now)
            self.progress = self.progress.model_copy(update=changes)
            return False
        if name == "match":
            done, total = _number(event.get("games")), self.progress.total
            self.result = {**(self.result or {}), **facts}
            self.progress = JobProgress(
                done=done, total=total, left=self._pace.left(done, total, now)
            )
            return False
        if name in ROW_EVENTS:
            left = self._pace.left(done, total, now)
            self.progress = JobProgress(done=done, total=total, left=left)
        elif name == "note":
            self.notes = [*self.notes, str(event.get("text"))][-_NOTES:]
        elif name == "started" and self.run is None:
            self.result = {"rules": event.get("rules")}
            if self.command == "match":
                self.progress = JobProgress(total=_number(event.get("games")))
        elif name == "done":
            self.ending = str(event.get("ending") or "done")
            self._stopped = bool(facts.get("stopped"))
            if (games := _number(facts.get("games"))) is not None:
                self.progress = JobProgress(done=games, total=games)  # a test may end early
            if "score" in facts or "cross" in facts:
                self.result = {**(self.result or {}), **self.named(facts)}
        elif name == "error":
            self.error = str(event.get("message"))
        return True

    def end(self, log: str, kept: bool) -> None:
        """Its process has ended: say how, by what it told; where it told nothing, by the last line
        of its log. kept: whether there is anything to go on from."""
        stopping = self.state == "stopping"
        self.ended, self.process = round(time.time(), 3), None
        if self.ending is not None:
            self.state = "stopped" if self._stopped else "done"
        elif stopping:
            self.state, self.error = "stopped" if kept else "cancelled", None
        elif self.error is not None:
            self.state = "failed"
        elif log.startswith("error: "):
            self.state, self.error = "failed", log.removeprefix("error: ")
        else:
            self.state = "interrupted"

    def save(self, folder: Path) -> None:
        """Write its file in one step; OSError where that fails."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        values["progress"] = self.progress.model_dump(exclude_none=True)
        values["process"] = None if self.process is None else asdict(self.process)
        place = folder / self.id
        make_folder(place, exist_ok=True)
        text = json.dumps(values, indent=1) + "\n"
        try:
            write_text(place / _FILE, text)
        except OSError:
            if not _holds(place / _FILE, text):
                raise

    @classmethod
    def load(cls, folder: Path) -> JobRecord:
        """The job in a folder; RunError where there is none."""
        try:
            found = parse_json(read_document(folder / _FILE))
            process = found["process"]
            record = cls(
                **{
                    **found,
                    "progress": JobProgress(**found["progress"]),
                    "process": None if process is None else Process(**process),
                }
            )
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise RunError(f"{folder / _FILE} is damaged: {error}") from error
        return replace(record, id=folder.name)


def _holds(path: Path, text: str) -> bool:
    """Whether a file has that text already: the disk failed only to confirm that. To say that
    nothing was done would be wrong: what the file says is done after the next start."""
    try:
        return path.read_text(encoding="utf-8") == text
    except (OSError, ValueError):
        return False


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None


class _Pace:
    """How fast it goes, since it was first seen."""

    def __init__(self) -> None:
        self._first: tuple[float, float] | None = None

    def left(self, done: float | None, total: float | None, now: float) -> float | None:
        """Seconds that are left at the pace so far; None where there is none yet."""
        if done is None or not total:
            return None
        if self._first is None or done < self._first[0]:
            self._first = (done, now)
        gained = done - self._first[0]
        return None if gained <= 0 else round((total - done) * (now - self._first[1]) / gained, 1)
