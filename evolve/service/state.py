"""All parts of a service in one place, for its routes; and its live events."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from fastapi.responses import StreamingResponse

from evolve import __version__
from evolve.errors import EvolveError
from evolve.parsing import json_value
from evolve.runs.run_folder import is_locked
from evolve.service.agents import Agents
from evolve.service.folders import Folders
from evolve.service.index import Index
from evolve.service.job import ROW_EVENTS
from evolve.service.jobs import Jobs
from evolve.service.processes import Downloads, Search
from evolve.service.responses import ProblemError, log_errors


class Events:
    """The last events, each encoded once, and the streams that wait for more.

    Call `tell` only from the server's own thread.
    """

    def __init__(self) -> None:
        self.boot = secrets.token_hex(4)
        self._kept: deque[bytes] = deque(maxlen=2048)
        self._count = 0
        self._news = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def tell(self, name: str, document: Mapping[str, Any]) -> None:
        """Send an event to all readers."""
        self._count += 1
        self._kept.append(self._encoded(name, document))
        self._wake()

    def close(self) -> None:
        """End all streams; also from a signal handler, which may run within any line."""
        self._closed = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _encoded(self, name: str, document: Mapping[str, Any]) -> bytes:
        data = json.dumps(document, separators=(",", ":"), default=str)
        return f"event: {name}\nid: {self.boot}-{self._count}\ndata: {data}\n\n".encode()

    async def response(self, request: Request) -> StreamingResponse:
        """The stream for a reader, from the event after its last one on."""
        stream = self.stream(request.headers.get("last-event-id", ""))
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(stream, headers=headers, media_type="text/event-stream")

    async def stream(self, last: str) -> AsyncIterator[bytes]:
        """The events after `last`, until the reader or the server leaves."""
        self._loop = asyncio.get_running_loop()
        yield b"retry: 2000\n\n"
        boot, _, digits = last.partition("-")
        if boot == self.boot and digits.isascii() and digits.isdecimal():
            seen = int(digits[:15])
        else:
            seen = self._count
            about = {"boot": self.boot, "version": __version__, "rows": ROW_EVENTS}
            yield self._encoded("hello", about)
        while not self._closed:
            news = self._news
            missing = self._count - seen
            if 0 < missing <= len(self._kept):
                seen += 1
                yield self._kept[-missing]
            elif missing:
                seen = self._count
                yield self._encoded("reset", {})
            else:
                try:
                    await asyncio.wait_for(news.wait(), _PING)
                except TimeoutError:
                    yield b": ping\n\n"


_PING: Final = 15.0  # seconds without an event after which a reader gets a ping
_SELDOM: Final = 10.0  # most seconds between two scans of the folder of runs


class ServiceState:
    """A running service of one folder."""

    def __init__(self, folders: Folders, slots: int, programs: Sequence[str]) -> None:
        self.folders = folders
        self.events = Events()
        self.agents = Agents(folders, programs)
        self.jobs = Jobs(folders, self.agents, slots, self._tell, self._send_run)
        self.index = Index(folders, self.jobs.of_run)
        self.search = Search()
        self.downloads = Downloads(folders)
        self.ordering = asyncio.Lock()
        """Held while a request becomes a job: the same request twice at once makes one job."""

    def check_idle(self, run: str) -> None:
        """Raise ProblemError where something works on a run, on its study, or on a run in it."""
        study = self.index.study_of(run)
        for name in (run, *self.index.names(run), *([] if study is None else [study])):
            job = self.jobs.of_run(name)
            if job is not None and not job.over:
                raise ProblemError(409, f"job {job.id} is at work on {name}: stop it first")
            if is_locked(self.folders.run(name)):
                raise ProblemError(409, f"{name} is being written to by another process")

    def _tell(self, name: str, document: Mapping[str, Any]) -> None:
        """Send an event; a new row comes from its table, where rows can be read one by one."""
        if name in ROW_EVENTS:
            with log_errors("a new row"), suppress(ProblemError, EvolveError, OSError):
                run = self.index.open(document["run"])
                table = run.kind.tables[0]
                rows = run.kind.reading.tables[table.name].rows
                if rows is not None:
                    (row,) = rows(run, [document["row"][table.key]]).to_pylist()
                    document = {**document, "row": json_value(row)}
        self.events.tell(name, document)

    def _send_run(self, run: str) -> None:
        with log_errors(f"looking at run {run}"), suppress(ProblemError):
            self.events.tell("run", self._drawn(run))

    def _drawn(self, run: str) -> dict[str, Any]:
        return self.index.drawn(self.index.summary(run)).model_dump()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Scan the folder, restore the jobs, and follow what happens; jobs continue after it."""
        await asyncio.to_thread(self.index.scan)
        self.jobs.restore()
        endless = (self.jobs.follow_for_ever(), self._look_for_ever())
        tasks = [asyncio.create_task(work) for work in endless]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            self.events.close()

    async def _look_for_ever(self) -> None:
        """Read all runs, for filters and sorting; then send events of what comes and goes."""
        for name in self.index.names():
            with log_errors(f"reading run {name}"):
                await asyncio.to_thread(self.index.summaries, [name])
        while True:
            begin = time.monotonic()
            with log_errors("looking for runs"):
                await self.look()
            spent = time.monotonic() - begin
            # Every 2 s, less often where scans would take more than a hundredth of the time.
            await asyncio.sleep(min(_SELDOM, max(2.0, 100 * spent)))

    async def look(self) -> None:
        """Scan the folder and send events of its news."""
        changed, gone = await asyncio.to_thread(self.index.scan)
        for name in gone:
            self.events.tell("run", {"id": name, "gone": True})
        for name in changed:
            with log_errors(f"looking at run {name}"), suppress(ProblemError):  # deleted again
                self.events.tell("run", await asyncio.to_thread(self._drawn, name))


def _service(request: Request) -> ServiceState:
    service: ServiceState = request.app.state.service
    if not service.folders.exists:  # otherwise every run would seem unknown
        gone = f"the folder of runs, {service.folders.runs.name}, is gone: put it back"
        raise ProblemError(503, gone, retry=_SELDOM)
    return service


Service = Annotated[ServiceState, Depends(_service)]
"""The service, as a parameter of routes."""
