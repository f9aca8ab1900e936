"""The app of the service in the process of a test, and job files as a service writes them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from evolve.service.agents import HumanGames
from evolve.service.engine_client import Search
from evolve.service.folders import Place
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
    """The app on a folder, in this process. No job is started before it has `slots`."""

    def __init__(
        self, runs: Path, runner: asyncio.Runner, search: Search | None = None, *programs: str
    ) -> None:
        self.place = Place(runs)
        self.place.claim()
        self.state = ServiceState(self.place, 0, programs)
        self._runner = runner
        if search is not None:
            self.state.search = search
            self.state.human_games = HumanGames(self.place, search)
        self._app = make_app(self.state)

    def __enter__(self) -> App:
        self._runner.run(self.state.open())
        return self

    def __exit__(self, *error: Any) -> None:
        self.state.search = Search()  # the other one goes on
        self._runner.run(self.state.close())
        self.place.release()

    def ask(self, method: str, path: str, document: Any = None, below: int = 500) -> httpx.Response:
        """The answer to a request, whose status must be below `below`."""

        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, raise_app_exceptions=False)
            base = f"http://localhost{API}/"
            async with httpx.AsyncClient(transport=transport, base_url=base) as client:
                return await client.request(method, path, json=document)

        found = self._runner.run(answer())
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
    place = Place(runs)
    record = JobRecord.load(place.jobs / job, place)
    for name, value in changes.items():
        setattr(record, name, value)
    record.save(place)
    return record


class Local(NamedTuple):
    """A service in this process."""

    state: ServiceState
    app: Any
    runner: asyncio.Runner

    def ask(self, method: str, path: str, document: Any = None, **headers: str) -> httpx.Response:
        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            base = f"http://localhost{API}/"
            async with httpx.AsyncClient(transport=transport, base_url=base) as client:
                return await client.request(method, path, json=document, headers=headers)

        return self.runner.run(answer())


@contextmanager
def serving(folder: Path) -> Iterator[Local]:
    state = ServiceState(Place(folder), 0, ())
    state.place.claim()
    state.index.scan()
    state.jobs.restore()
    with asyncio.Runner() as runner:
        try:
            yield Local(state, make_app(state), runner)
        finally:
            runner.run(state.search.close())
            state.place.release()


@pytest.fixture
def local(runs: Path, tmp_path: Path) -> Iterator[Local]:
    shutil.copytree(runs / "small", tmp_path / "runs/small")
    with serving(tmp_path / "runs") as found:
        yield found
