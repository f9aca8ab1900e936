"""All parts of a service in one place, for its routes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from evolve.errors import EvolveError
from evolve.parsing import json_value
from evolve.service.agents import Agents
from evolve.service.command_lines import Lines
from evolve.service.downloads import Downloads
from evolve.service.engine_client import Search
from evolve.service.events import Events
from evolve.service.folders import Place
from evolve.service.human_games import HumanGames
from evolve.service.index import Index
from evolve.service.job import ROW_EVENTS
from evolve.service.jobs import Jobs
from evolve.service.problems import ProblemError, kept_going, outlived
from evolve.version import __version__

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
        self.downloads = Downloads(place)
        self.human_games = HumanGames(place, self.agents, self.search)
        self.ordering = asyncio.Lock()
        """Held while a request becomes a job: the same request twice at once makes one job."""
        self._tasks: list[asyncio.Task[None]] = []

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
            with suppress(ProblemError):
                await asyncio.to_thread(self.index.summary, name, fresh=False)
        while True:
            changed, gone, cost = await asyncio.to_thread(self._look)
            for name in gone:
                self.events.tell("run", {"id": name, "gone": True})
            for name in changed:
                with outlived(f"looking at run {name}"), suppress(ProblemError):  # deleted again
                    self.events.tell("run", await asyncio.to_thread(self._drawn, name))
            await asyncio.sleep(min(_SELDOM, max(_LOOK, _SHARE * cost)))

    def _look(self) -> tuple[list[str], list[str], float]:
        """Scan the folder: names of changed and of deleted runs, and the seconds of CPU it took."""
        begin = time.thread_time()
        changed, gone = self.index.scan()
        return changed, gone, time.thread_time() - begin


def _service(request: Request) -> ServiceState:
    found: ServiceState = request.app.state.service
    if not found.place.is_there:  # otherwise every run would seem unknown
        gone = f"the folder of runs, {found.place.runs.name}, is gone: put it back"
        raise ProblemError(503, gone, retry=_SELDOM)
    return found


Inside = Annotated[ServiceState, Depends(_service)]
"""The service, as a parameter of routes."""


def cores() -> int:
    """Cores that jobs may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
