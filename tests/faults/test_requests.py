"""Requests that change the service's own files, when the server dies or fails at any change."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest

import evolve
from tests import faults
from tests.cli import done
from tests.faults import Failure, death_points, deaths, hooked, leftovers, named, recorded
from tests.faults.test_runs import SMALL
from tests.service.inside import App

pytestmark = pytest.mark.slow

_CHAMPION: Final = Path(evolve.__file__).parent / "agents/champions/champion-standard.json"
_DATA: Final = base64.b64encode(_CHAMPION.read_bytes()).decode()
_MADE: Final = re.compile(r"[0-9a-f]{8,}(-[0-9a-f]{8})?")
"""Names that are made up, another each time."""
_RUN: Final = {"command": "run", "settings": {"population": 4, "generations": 1}}
_MATCH: Final = {"command": "match", "settings": {"a": "swh", "b": "zero", "games": 2}}


class Server(App):
    """A server that has just been started on a folder, in this process; its jobs wait for ever."""

    def __init__(self, folder: Path, runner: asyncio.Runner) -> None:
        super().__init__(folder, runner, idle=True)
        self.state.jobs.slots = 0
        self.__enter__()

    def listed(self) -> dict[str, Any]:
        """What clients see, without what differs each time."""
        found = self.ask("GET", "jobs").json()["items"]
        uploads = [one for one in self.state.agents.ids([]) if one.startswith("upload:")]
        return {
            "jobs": sorted((job["command"], job["state"], job["run"] or "") for job in found),
            "runs": self.state.index.names(),
            "uploads": uploads,
            "plays": sorted(
                len(self.ask("GET", f"plays/{path.stem}").json()["moves"])
                for path in self.state.folders.plays.iterdir()
            ),
        }


class Request(NamedTuple):
    """A request. done: what it answers where all of it was done before the server died."""

    method: str
    path: str
    document: Any = None
    status: int = 202
    done: tuple[int, ...] = ()


_OTHER: Final = base64.b64encode(_CHAMPION.read_bytes() + b"\n").decode()
_START: Final = {"agent": "swh", "side": "black"}
REQUESTS: Final = {
    "order": Request("POST", "jobs", {**_RUN, "name": "y"}, 202, (409,)),
    "order-unnamed": Request("POST", "jobs", _RUN),
    "match": Request("POST", "jobs", _MATCH),
    "extend": Request("POST", "runs/x/resume", {"settings": {"generations": 3}}, 202, (409,)),
    "stop": Request("POST", "jobs/{waits}/stop", None, 202, (409,)),
    "resume": Request("POST", "jobs/{cancelled}/resume", None, 202, (409,)),
    "forget": Request("DELETE", "jobs/{cancelled}", None, 204, (404,)),
    "delete": Request("DELETE", "runs/x", None, 204, (404,)),
    "upload": Request("POST", "agents", {"name": "b.json", "data": _OTHER}, 201),
    "remove": Request("DELETE", "agents/{uploaded}", None, 204, (404,)),
    "play": Request("POST", "plays", _START, 201),
    "move": Request("POST", "plays/{play}/moves", {"move": "d3", "ply": 0}, 200, (409,)),
    "games": Request("GET", "runs/x/files/games.parquet", None, 200),
}


class Base(NamedTuple):
    """A folder with a run, an upload, jobs that wait and were cancelled, and a game.

    Its jobs belong to its place, so that every server is started there, on a copy of `kept` or of
    what a death has left.
    """

    folder: Path
    kept: Path
    ids: dict[str, str]

    def placed(self, content: Path | None = None) -> Path:
        """The folder, with that content: as it was at first, unless given."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(content or self.kept, self.folder)
        return self.folder


@pytest.fixture(autouse=True, scope="module")
def _own_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A user with a data folder of its own."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOLVE_DATA_DIR", str(folder))
        yield


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, runner: asyncio.Runner) -> Base:
    folder = tmp_path_factory.mktemp("served") / "runs"
    folder.mkdir()
    done(*SMALL[:-1], "--out", folder / "x")
    server = Server(folder, runner)
    upload = {"name": "a.json", "data": _DATA}
    orders = {"uploaded": ("agents", upload), "waits": ("jobs", {**_RUN, "name": "waits"})}
    orders |= {"cancelled": ("jobs", _MATCH), "play": ("plays", _START)}
    ids = {name: server.ask("POST", *order).json()["id"] for name, order in orders.items()}
    server.ask("POST", f"jobs/{ids['cancelled']}/stop")
    server.folders.release()
    kept = folder.parent / "kept"
    shutil.copytree(folder, kept)
    return Base(folder, kept, ids)


def assert_nothing_left(server: Server) -> None:
    place = server.state.folders
    assert leftovers(place.runs) == []
    assert list(place.temporary.iterdir()) == []
    assert {path.name for path in place.jobs.iterdir()} == {
        record.id for record in server.state.jobs.all()
    }


class Case:
    """A request that meets faults; its points, and what is listed before and after it, when
    nothing disturbs it."""

    def __init__(self, base: Base, name: str, runner: asyncio.Runner) -> None:
        self._name, self._base, self._runner = name, base, runner
        self.request = REQUESTS[name]
        folder = base.placed()
        server = self.start(folder)
        self.before = server.listed()
        with recorded(folder) as self.points:
            answer = self.send(server)
        assert answer.status_code == self.request.status, answer.text
        server.state.index.scan()
        self.after = server.listed()
        assert_nothing_left(server)
        server.folders.release()

    def start(self, folder: Path) -> Server:
        return Server(folder, self._runner)

    def send(self, server: Server) -> httpx.Response:
        path = self.request.path.format(**self._base.ids)
        return server.ask(self.request.method, path, self.request.document, below=600)

    def assert_taken_again(self, server: Server) -> None:
        """It was done whole or not at all; sent again, it has been done once."""
        found = server.listed()
        assert found in (self.before, self.after)
        # What has no name of its own would be another one.
        if found == self.before or self._name not in ("play", "order-unnamed", "match"):
            answer = self.send(server)
            ways = () if found == self.before else self.request.done
            assert answer.status_code in (self.request.status, *ways), answer.text
        server.state.index.scan()
        assert server.listed() == self.after
        server.folders.release()

    def assert_kept(self, folder: Path) -> None:
        """The next server finds it done, and nothing else."""
        server = self.start(folder)
        assert server.listed() == self.after
        assert_nothing_left(server)
        server.folders.release()


@pytest.fixture
def case(name: str, base: Base, runner: asyncio.Runner) -> Case:
    return Case(base, name, runner)


def remove_claims(folder: Path) -> None:
    """A folder is how a name is taken. Whether one that is empty is of a server that died or of a
    command that is just beginning cannot be seen: it stays, and the next run has another name."""
    for claim in folder.glob("reversed-*"):
        with contextlib.suppress(OSError):
            claim.rmdir()


@pytest.mark.parametrize("name", REQUESTS)
def test_a_server_may_die_in_a_request(case: Case, base: Base, tmp_path: Path) -> None:
    assert case.points
    numbers = death_points(case.points)
    dies = base.placed()
    server = case.start(dies)
    with deaths(dies, tmp_path, numbers) as copies:
        case.send(server)
    server.folders.release()
    assert copies.keys() == numbers
    for number, left in copies.items():
        folder = base.placed(left)
        with faults.explained(case.points[number], number):
            server = case.start(folder)
            assert_nothing_left(server)
            remove_claims(folder)
            case.assert_taken_again(server)
            case.assert_kept(folder)


@pytest.mark.parametrize("name", REQUESTS)
def test_any_change_of_a_request_may_fail(case: Case, base: Base) -> None:
    for number, point in enumerate(case.points):
        folder = base.placed()
        server = case.start(folder)
        with faults.explained(point, number):
            with hooked(Failure(number)):
                answer = case.send(server)
            server.state.index.scan()
            if answer.status_code == 507:
                name = _MADE.sub("N", Path(named(case.points, number).place).name)
                said = _MADE.sub("N", answer.json()["detail"])
                assert said.startswith(f"{name} could not be written or read: "), (name, said)
                assert server.listed() == case.before or point.change == "sync"
            else:
                assert answer.status_code == case.request.status, answer.text
                assert server.listed() == case.after
            case.assert_taken_again(server)
            case.assert_kept(folder)
