"""The app of the service in the process of a test, and job files as a service writes them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from evolve.service.agents import HumanGames
from evolve.service.engine_client import Search
from evolve.service.folders import Folders
from evolve.service.job import JobRecord
from evolve.service.server import make_app
from evolve.service.state import ServiceState
from tests.service import API


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """What runs the app's coroutines."""
    with asyncio.Runner() as runner:
        yield runner


class App:
    """The app on a folder, in this process. No job is started before it has `slots`.

    search: a process that searches for several apps: it takes seconds to start. idle: nothing
    happens between two requests. options: of the app.
    """

    def __init__(
        self,
        runs: Path,
        runner: asyncio.Runner,
        search: Search | None = None,
        *programs: str,
        idle: bool = False,
        **options: Any,
    ) -> None:
        self.folders = Folders(runs)
        self.folders.claim()
        self.state = ServiceState(self.folders, 0, programs)
        self.runner, self._idle, self._shared = runner, idle, search is not None
        if search is not None:
            self.state.search = search
            self.state.human_games = HumanGames(self.folders, search)
        self.app = make_app(self.state, **options)

    def __enter__(self) -> App:
        if self._idle:
            self.state.index.scan()
            self.state.jobs.restore()
        else:
            self.runner.run(self.state.open())
        return self

    def __exit__(self, *error: Any) -> None:
        if self._shared:
            self.state.search = Search()  # the other one goes on
        self.runner.run(self.state.close())
        self.folders.release()

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """The answer to a request to any path."""

        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            base = "http://localhost:1"
            async with httpx.AsyncClient(transport=transport, base_url=base) as client:
                return await client.request(method, path, **options)

        return self.runner.run(answer())

    def ask(
        self, method: str, path: str, document: Any = None, *, below: int = 500, **headers: str
    ) -> httpx.Response:
        """The answer of the API to a request, whose status must be below `below`."""
        found = self.request(method, f"{API}/{path}", json=document, headers=headers)
        assert found.status_code < below, found.text
        return found

    def get(self, path: str, status: int = 200) -> Any:
        return self._checked(self.ask("GET", path), status)

    def delete(self, path: str, status: int = 204) -> None:
        self._checked(self.ask("DELETE", path), status)

    def post(self, path: str, document: Any, status: int) -> Any:
        return self._checked(self.ask("POST", path, document), status)

    @staticmethod
    def _checked(answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, answer.text
        if status >= 400:
            assert answer.headers["content-type"] == "application/problem+json"
        return answer.json() if answer.content else None


def rewrite(runs: Path, job: str, **changes: Any) -> JobRecord:
    """Change what the file of a job says, as this user's service does."""
    place = Folders(runs)
    record = JobRecord.load(place.jobs / job, place)
    for name, value in changes.items():
        setattr(record, name, value)
    record.save(place)
    return record


@pytest.fixture
def local(runs: Path, tmp_path: Path, runner: asyncio.Runner) -> Iterator[App]:
    """An app with the run `small`, in which nothing happens by itself."""
    shutil.copytree(runs / "small", tmp_path / "runs/small")
    with App(tmp_path / "runs", runner, idle=True) as app:
        yield app
