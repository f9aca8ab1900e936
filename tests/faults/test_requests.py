"""Requests that change the service's own files, when the server dies or fails at any change."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest

import evolve
from evolve.service.app import make_app
from evolve.service.house import House
from evolve.service.place import Place
from evolve.service.plays import Plays
from evolve.service.search import Search
from tests.cli import done
from tests.faults import Death, Died, Failure, Point, hooked, leftovers, recorded
from tests.faults.test_runs import SMALL

pytestmark = pytest.mark.slow

_CHAMPION: Final = Path(evolve.__file__).parent / "agents/champions/champion-standard.json"
_DATA: Final = base64.b64encode(_CHAMPION.read_bytes()).decode()
_RUN: Final = {"command": "run", "settings": {"population": 4, "generations": 1}}
_MATCH: Final = {"command": "match", "settings": {"a": "swh", "b": "zero", "games": 2}}


class Server:
    """A server that has just been started on a folder, in this process.

    Jobs wait for ever, unless it has slots. The process that searches is the same for all.
    """

    def __init__(
        self, folder: Path, runner: asyncio.Runner, search: Search, *, slots: int = 0
    ) -> None:
        self.house = House(Place(folder), slots, ())
        self.house.search = search
        self.house.plays = Plays(self.house.place, self.house.agents, search)
        self._runner = runner
        self._app = make_app(self.house)
        self.house.place.claim()
        self.house.index.scan()
        self.house.jobs.restore()

    def ask(self, method: str, path: str, document: Any = None, **headers: str) -> httpx.Response:
        """The answer to a request."""

        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            base = "http://localhost/api/v1/"
            async with httpx.AsyncClient(transport=transport, base_url=base) as client:
                return await client.request(method, path, json=document, headers=headers)

        return self._runner.run(answer())

    def listed(self) -> dict[str, Any]:
        """What clients see, without what differs each time."""
        found = self.ask("GET", "jobs").json()["items"]
        uploads = [one for one in self.house.agents.ids([]) if one.startswith("upload:")]
        return {
            "jobs": sorted((job["command"], job["state"], job["run"] or "") for job in found),
            "runs": self.house.index.names(),
            "uploads": uploads,
            "plays": sorted(
                len(self.ask("GET", f"plays/{path.stem}").json()["moves"])
                for path in self.house.place.plays.iterdir()
            ),
        }


class Request(NamedTuple):
    """A request. done: what it answers where all of it was done before the server died."""

    method: str
    path: str
    document: Any = None
    status: int = 202
    done: tuple[int, ...] = ()


class Base(NamedTuple):
    """A folder with a run, an upload, jobs that wait and were cancelled, and a game."""

    folder: Path
    requests: dict[str, Request]


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def search(runner: asyncio.Runner) -> Iterator[Search]:
    search = Search()
    yield search
    runner.run(search.close())


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, runner: asyncio.Runner, search: Search) -> Base:
    folder = tmp_path_factory.mktemp("served") / "runs"
    folder.mkdir()
    done(*SMALL[:-1], "--out", folder / "x")
    server = Server(folder, runner, search)
    upload = {"name": "a.json", "data": _DATA}
    kept = server.ask("POST", "agents", upload).json()["id"]
    waits = server.ask("POST", "jobs", {**_RUN, "name": "waits"}).json()["id"]
    cancelled = server.ask("POST", "jobs", _MATCH).json()["id"]
    server.ask("POST", f"jobs/{cancelled}/stop")
    start = {"agent": "swh", "side": "black"}
    play = server.ask("POST", "plays", start).json()["id"]
    server.house.place.release()
    other = base64.b64encode(_CHAMPION.read_bytes() + b"\n").decode()
    moved = {"move": "d3", "ply": 0}
    return Base(
        folder,
        {
            "order": Request("POST", "jobs", {**_RUN, "name": "y"}),
            "order-unnamed": Request("POST", "jobs", _RUN),
            "match": Request("POST", "jobs", _MATCH),
            "extend": Request(
                "POST", "runs/x/resume", {"settings": {"generations": 3}}, 202, (409,)
            ),
            "stop": Request("POST", f"jobs/{waits}/stop", None, 202, (409,)),
            "resume": Request("POST", f"jobs/{cancelled}/resume", None, 202, (409,)),
            "forget": Request("DELETE", f"jobs/{cancelled}", None, 204, (404,)),
            "delete": Request("DELETE", "runs/x", None, 204, (404,)),
            "upload": Request("POST", "agents", {"name": "b.json", "data": other}, 201),
            "remove": Request("DELETE", f"agents/{kept}", None, 204, (404,)),
            "play": Request("POST", "plays", start, 201),
            "move": Request("POST", f"plays/{play}/moves", moved, 200, (409,)),
            "games": Request("GET", "runs/x/files/games.parquet", None, 200),
        },
    )


NAMES: Final = [
    *("order", "order-unnamed", "match", "extend", "stop", "resume", "forget", "delete"),
    *("upload", "remove", "play", "move", "games"),
]


def sent(server: Server, request: Request) -> httpx.Response:
    return server.ask(request.method, request.path, request.document, **{"Idempotency-Key": "k"})


class Whole(NamedTuple):
    """A request that nothing disturbs: its points, and what is listed before and after."""

    points: list[Point]
    before: dict[str, Any]
    after: dict[str, Any]


def whole(base: Base, name: str, place: Path, runner: asyncio.Runner, search: Search) -> Whole:
    folder = place / "whole"
    shutil.copytree(base.folder, folder)
    server = Server(folder, runner, search)
    before = server.listed()
    with recorded(folder) as points:
        answer = sent(server, base.requests[name])
    assert answer.status_code == base.requests[name].status, answer.text
    server.house.index.scan()
    after = server.listed()
    assert_nothing_left(server)
    server.house.place.release()
    return Whole(points, before, after)


def assert_nothing_left(server: Server) -> None:
    place = server.house.place
    assert leftovers(place.runs) == []
    assert list(place.lent.iterdir()) == []
    assert server.house.jobs.damaged == []
    assert {path.name for path in place.jobs.iterdir()} == {
        record.id for record in server.house.jobs.all()
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("torn", [False, True], ids=["whole", "torn"])
def test_a_server_that_dies_in_a_request_starts_again_and_takes_it_again(
    name: str, torn: bool, base: Base, tmp_path: Path, runner: asyncio.Runner, search: Search
) -> None:
    request = base.requests[name]
    undisturbed = whole(base, name, tmp_path, runner, search)
    assert undisturbed.points
    for number, point in enumerate(undisturbed.points):
        if torn and point.change != "write":
            continue
        folder = tmp_path / f"{number}"
        shutil.copytree(base.folder, folder)
        dying = Server(folder, runner, search)
        death = Death(number, torn=torn)
        with hooked(death), contextlib.suppress(Died):
            sent(dying, request)
        assert death.reached
        dying.house.place.release()
        try:
            server = Server(folder, runner, search)
            assert_nothing_left(server)
            if name == "order-unnamed":  # a name that was claimed, and of no job, stays empty
                for empty in folder.glob("reversed-*"):
                    with contextlib.suppress(OSError):
                        empty.rmdir()
            found = server.listed()
            assert found in (undisturbed.before, undisturbed.after)
            # Without a key of its own, a new game is another one.
            if found == undisturbed.before or name != "play":
                answer = sent(server, request)
                again = () if found == undisturbed.before else request.done
                assert answer.status_code in (request.status, *again), answer.text
            server.house.index.scan()
            assert server.listed() == undisturbed.after
            assert_nothing_left(server)
            server.house.place.release()
        except Exception as error:
            error.add_note(f"at point {number}: {point}")
            raise
        shutil.rmtree(folder)


@pytest.mark.parametrize("name", NAMES)
def test_a_request_in_which_any_change_fails_says_so_and_may_be_sent_again(
    name: str, base: Base, tmp_path: Path, runner: asyncio.Runner, search: Search
) -> None:
    request = base.requests[name]
    undisturbed = whole(base, name, tmp_path, runner, search)
    for number, point in enumerate(undisturbed.points):
        folder = tmp_path / f"{number}"
        shutil.copytree(base.folder, folder)
        server = Server(folder, runner, search)
        try:
            with hooked(Failure(number)):
                answer = sent(server, request)
            server.house.index.scan()
            found = server.listed()
            if answer.status_code == 507:
                assert "could not be written or read" in answer.json()["detail"]
                assert found == undisturbed.before or point.change == "sync"
            else:
                assert answer.status_code == request.status, answer.text
                assert found == undisturbed.after
            if found == undisturbed.before or name != "play":
                again = sent(server, request)
                ways = () if found == undisturbed.before else request.done
                assert again.status_code in (request.status, *ways), again.text
            server.house.index.scan()
            assert server.listed() == undisturbed.after
            server.house.place.release()
            server = Server(folder, runner, search)
            assert server.listed() == undisturbed.after
            assert_nothing_left(server)
            server.house.place.release()
        except Exception as error:
            error.add_note(f"at point {number}: {point}")
            raise
        shutil.rmtree(folder)
