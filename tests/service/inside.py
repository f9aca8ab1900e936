"""The app of the service in the process of a test, and job files as a service writes them."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio._backends import _asyncio

from evolve.service.folders import Folders
from evolve.service.job import JobRecord
from evolve.service.server import make_app
from evolve.service.state import ServiceState
from tests.service import API


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """What runs the app's coroutines, one after the other: the first ends no process of others."""
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        patch.setattr(_asyncio, "_forcibly_shutdown_process_pool_on_exit", lambda *_: None)
        yield runner


class App:
    """The app on a folder, in this process. No job is started before it has `slots`.

    Processes that search stay for the next app of the runner. idle: nothing happens between two
    requests. options: of the app.
    """

    def __init__(
        self, runs: Path, runner: asyncio.Runner, *programs: str, idle: bool = False, **options: Any
    ) -> None:
        runs.mkdir(exist_ok=True)
        self.folders = Folders(runs)
        self.folders.claim()
        self.state = ServiceState(self.folders, 0, programs)
        self.runner, self._idle, self._running = runner, idle, self.state.running()
        self.app = make_app(self.state, **options)

    def __enter__(self) -> App:
        if self._idle:
            self.state.index.scan()
            self.state.jobs.restore()
        else:
            self.runner.run(self._running.__aenter__())
        return self

    def __exit__(self, *error: Any) -> None:
        if not self._idle:
            self.runner.run(self._running.__aexit__(None, None, None))
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


def crown(source: Path, folder: Path, weights: Any = None, **provenance: Any) -> None:
    """A copy of a run whose champion has something else; what is None is left out."""
    shutil.copytree(source, folder)
    champion = json.loads((folder / "champion.json").read_text())
    champion["parameters"]["weights"] = weights or champion["parameters"]["weights"]
    facts = {**champion["provenance"], **provenance}
    champion["provenance"] = {key: value for key, value in facts.items() if value is not None}
    (folder / "champion.json").write_text(json.dumps(champion))


@pytest.fixture
def local(runs: Path, tmp_path: Path, runner: asyncio.Runner) -> Iterator[App]:
    """An app with the run `small`, in which nothing happens by itself."""
    shutil.copytree(runs / "small", tmp_path / "runs/small")
    with App(tmp_path / "runs", runner, idle=True) as app:
        yield app
