"""All parts of a service in one place, for its routes; and its live events.

Server-sent events are encoded once for all viewers, and served by a raw ASGI route: 30 µs of CPU a
delivery to 200 clients (`benchmarks.service viewers`), where FastAPI's own took 216 in a prototype.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from starlette.types import Receive, Scope, Send

from evolve.errors import EvolveError
from evolve.parsing import json_value
from evolve.service.agents import Agents, HumanGames
from evolve.service.costs import Costs
from evolve.service.downloads import Downloads
from evolve.service.engine_client import Search
from evolve.service.folders import Place
from evolve.service.index import Index
from evolve.service.job import ROW_EVENTS
from evolve.service.job_lines import Lines
from evolve.service.jobs import Jobs
from evolve.service.responses import ProblemError, kept_going, outlived
from evolve.version import __version__

_KEPT: Final = 2048
_PING: Final = 15.0
_RETRY: Final = b"retry: 2000\n\n"
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Events:
    """The last events, and the viewers that wait for more.

    Call `tell` only from the server's own thread.
    """

    def __init__(self, version: str, rows: Sequence[str]) -> None:
        """rows: names of the events that report a new row of a run's table."""
        self.boot = secrets.token_hex(4)
        self._version, self._rows = version, rows
        self._kept: deque[bytes] = deque(maxlen=_KEPT)
        self._count = 0
        self._joined = (0, 0, b"")
        """A number, a later one, and the events after the first up to the second, joined."""
        self._watching: set[_Watch] = set()
        self._closed = False

    def tell(self, name: str, document: Mapping[str, Any]) -> None:
        """Send an event to all viewers."""
        self._count += 1
        self._kept.append(self._encoded(name, document, self._count))
        for watch in self._watching:
            watch.news.set()

    async def ping_for_ever(self) -> None:
        """Send a ping at regular intervals, so that readers see that the server is alive."""
        while True:
            await asyncio.sleep(_PING)
            for watch in self._watching:
                watch.due = True
                watch.news.set()

    def close(self) -> None:
        """End all streams, as the server stops."""
        self._closed = True
        for watch in self._watching:
            watch.news.set()

    def _encoded(self, name: str, document: Mapping[str, Any], number: int) -> bytes:
        data = json.dumps(document, separators=(",", ":"), default=str)
        return f"event: {name}\nid: {self.boot}-{number}\ndata: {data}\n\n".encode()

    def _after(self, number: int) -> bytes | None:
        """The events after that number, joined; None where some are no longer kept."""
        missing = self._count - number
        if missing > len(self._kept):
            return None
        if self._joined[:2] != (number, self._count):  # most viewers have seen the same
            new = b"".join(self._kept[place] for place in range(-missing, 0))
            self._joined = (number, self._count, new)
        return self._joined[2]

    def _first(self, last: str) -> tuple[bytes, int]:
        """The first bytes of a stream, and the number of the last event that they cover."""
        boot, _, digits = last.partition("-")
        about = {"boot": self.boot, "version": self._version, "rows": self._rows}
        hello = self._encoded("hello", about, self._count)
        if boot != self.boot or not (digits.isascii() and digits.isdecimal()):
            return hello, self._count
        number = int(digits[:15])
        missed = self._after(number) if number <= self._count else None
        if missed is None:
            return self._encoded("reset", {}, self._count), self._count
        return missed, self._count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one stream until its reader or the server leaves."""
        headers = dict(scope["headers"])
        first, seen = self._first(headers.get(b"last-event-id", b"").decode("latin-1"))
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await send({"type": "http.response.body", "body": _RETRY + first, "more_body": True})
        # One asyncio event for all that happens: waiting for two took half as much again.
        watch = _Watch()
        reader = asyncio.ensure_future(watch.until_gone(receive))
        self._watching.add(watch)
        try:
            while not self._closed and not watch.gone:
                if self._count == seen:
                    await watch.news.wait()
                    watch.news.clear()
                    if watch.gone or self._closed:
                        break
                new = self._after(seen)
                seen = self._count
                if new is None:
                    new = self._encoded("reset", {}, self._count)
                if not new and watch.due:
                    new = b": ping\n\n"
                watch.due = False
                if new:
                    await send({"type": "http.response.body", "body": new, "more_body": True})
        finally:
            self._watching.discard(watch)
            reader.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class _Watch:
    """A viewer: whether there is news, and whether its reader has left."""

    def __init__(self) -> None:
        self.news = asyncio.Event()
        self.gone = False
        self.due = False
        """Whether it is time for a ping."""

    async def until_gone(self, receive: Receive) -> None:
        """Wait until the reader has left; the first message is the request itself."""
        while (await receive())["type"] != "http.disconnect":
            pass
        self.gone = True
        self.news.set()


_LOOK: Final = 2.0
"""Seconds between two scans of the folder of runs; more where a scan is slow."""
_SHARE: Final = 500
"""Scans may take at most one part in this many of a core's time."""
_SELDOM: Final = 10.0
"""Most seconds between two scans."""


class ServiceState:
    """A running service of one folder."""

    def __init__(self, place: Place, slots: int, programs: Sequence[str]) -> None:
        self.place, self.slots = place, slots
        self.events = Events(__version__, ROW_EVENTS)
        self.agents = Agents(place, programs)
        self.lines = Lines(place, self.agents)
        self.jobs = Jobs(place, self.lines, slots, self._tell, self._tell_of_run)
        self.index = Index(place, self._job_of)
        self.search = Search()
        self.costs = Costs(self.search, lambda: self.jobs.counts()[0] > 0)
        self.downloads = Downloads(place)
        self.human_games = HumanGames(place, self.search)
        self.ordering = asyncio.Lock()
        """Held while a request becomes a job: the same request twice at once makes one job."""
        self._tasks: list[asyncio.Task[None]] = []

    def check_idle(self, run: str) -> None:
        """Raise ProblemError where something works on a run, on its study, or on a run in it."""
        study = self.index.study_of(run)
        for name in (run, *self.index.names(run), *([] if study is None else [study])):
            job = self.jobs.of_run(name)
            if job is not None and not job.over:
                raise ProblemError(409, f"job {job.id} is at work on {name}: stop it first")
            if self.index.is_running(name):
                raise ProblemError(409, f"{name} is being written to by another process")

    def _job_of(self, run: str) -> tuple[str, str] | None:
        record = self.jobs.of_run(run)
        return None if record is None else (record.id, record.state)

    def _tell(self, name: str, document: Mapping[str, Any]) -> None:
        """Send an event; a new row comes from its table, where rows can be read one by one."""
        if name in ROW_EVENTS:
            with outlived("a new row"), suppress(ProblemError, EvolveError, OSError):
                run = self.index.open(document["run"])
                table = run.kind.tables[0]
                rows = run.kind.reading.tables[table.name].rows
                if rows is not None:
                    (row,) = rows(run, [document["row"][table.key]]).to_pylist()
                    document = {**document, "row": json_value(row)}
        self.events.tell(name, document)

    def _tell_of_run(self, run: str) -> None:
        """Send the current state of a run."""
        with outlived(f"looking at run {run}"), suppress(ProblemError):
            self.events.tell("run", self._drawn(run))

    def _drawn(self, run: str) -> dict[str, Any]:
        return self.index.drawn(self.index.summary(run)).model_dump()

    async def open(self) -> None:
        """Start: scan the folder, restore the jobs, and begin to follow what happens."""
        await asyncio.to_thread(self.index.scan)
        self.jobs.restore()
        endless = {
            "following jobs": self.jobs.follow_for_ever,
            "looking for runs": self._look_for_ever,
            "events": self.events.ping_for_ever,
        }
        self._tasks = [
            asyncio.create_task(kept_going(what, work)) for what, work in endless.items()
        ]

    async def close(self) -> None:
        """Stop; jobs continue by themselves."""
        for task in self._tasks:
            task.cancel()
        self.events.close()
        await self.search.close()

    async def _look_for_ever(self) -> None:
        """Send events of runs that come, change and go.

        Before that, read all runs, for filters and sorting.
        """
        for name in self.index.names():
            await asyncio.to_thread(self.index.summaries, [name], fresh=False)
        while True:
            cost = await self.look()
            await asyncio.sleep(min(_SELDOM, max(_LOOK, _SHARE * cost)))

    async def look(self) -> float:
        """Scan the folder and send events of its news; the seconds of CPU that the scan took."""
        changed, gone, cost = await asyncio.to_thread(self._scan)
        for name in gone:
            self.events.tell("run", {"id": name, "gone": True})
        for name in changed:
            with outlived(f"looking at run {name}"), suppress(ProblemError):  # deleted again
                self.events.tell("run", await asyncio.to_thread(self._drawn, name))
        return cost

    def _scan(self) -> tuple[list[str], list[str], float]:
        """Scan the folder: names of changed and of deleted runs, and the seconds of CPU it took."""
        begin = time.thread_time()
        changed, gone = self.index.scan()
        return changed, gone, time.thread_time() - begin


def _service(request: Request) -> ServiceState:
    service: ServiceState = request.app.state.service
    if not service.place.is_there:  # otherwise every run would seem unknown
        gone = f"the folder of runs, {service.place.runs.name}, is gone: put it back"
        raise ProblemError(503, gone, retry=_SELDOM)
    return service


Inside = Annotated[ServiceState, Depends(_service)]
"""The service, as a parameter of routes."""


def cores() -> int:
    """Cores that jobs may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
