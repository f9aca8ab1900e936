"""The service's own files, when the server dies at any change of them and is started again."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from evolve.runs.agreements import agree
from evolve.runs.ids import SERVICE
from evolve.service.agents import Agents
from evolve.service.api.runs import _delete
from evolve.service.folders import Folders
from evolve.service.job import JobRecord
from evolve.service.jobs import LOG_FILE
from evolve.service.state import ServiceState
from tests.cli import done
from tests.faults import Deaths, Failure, Point, hooked, leftovers, recorded
from tests.faults.test_runs import SMALL

_AGENT: Final = b"an agent"
JOB: Final = "20260101-00000000"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run."""
    folder = tmp_path_factory.mktemp("served") / "runs"
    folder.mkdir()
    done(*SMALL[:-1], "--out", folder / "x")
    return folder


@pytest.fixture(autouse=True, scope="module")
def _own_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A user with a data folder of its own."""
    folder = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOLVE_DATA_DIR", str(folder))
        yield


def own_copy(runs: Path, folder: Path) -> None:
    """A copy of a folder of runs in which this user has had jobs before."""
    shutil.copytree(runs, folder)
    (folder / SERVICE).mkdir()
    agree(folder / SERVICE, ())


def opened(folder: Path) -> ServiceState:
    """The state of a server that has just been started there."""
    place = Folders(folder)
    place.claim()
    state = ServiceState(place, 1, ())
    state.index.scan()
    state.jobs.restore()
    assert [record.state for record in state.jobs.all() if record.is_foreign] == []
    return state


def work(folder: Path) -> None:
    """A job is kept and forgotten, an agent uploaded and removed, a run deleted, whatever of it
    was done before."""
    state = opened(folder)
    try:
        record = JobRecord(id=JOB, command="run", settings={}, state="cancelled")
        state.jobs._records.setdefault(record.id, record).save(state.folders)
        state.jobs.file(record, LOG_FILE).write_text("it began")  # half of a job is a damaged one
        agents = Agents(state.folders, ())
        agents.remove_upload(agents.keep_upload(_AGENT, ".json"))
        state.jobs.remove(state.jobs.get(record.id))
        if (folder / "x").exists():
            _delete(state, state.folders.run("x"))
    finally:
        state.folders.release()


def assert_clean(folder: Path) -> None:
    assert leftovers(folder) == []
    assert not (folder / "x").exists()
    for name in ("jobs", "plays", "agents/uploads", "tmp"):
        assert list((folder / ".service" / name).iterdir()) == [], name


def assert_goes_on(folder: Path, point: Point) -> None:
    """The next server takes what a fault at a point has left."""
    try:
        work(folder)
        assert_clean(folder)
    except Exception as error:
        error.add_note(f"the fault was at {point}")
        raise


@pytest.fixture
def points(runs: Path, tmp_path: Path) -> list[Point]:
    own_copy(runs, tmp_path / "whole")
    with recorded(tmp_path) as found:
        work(tmp_path / "whole")
    assert_clean(tmp_path / "whole")
    return found


@pytest.mark.parametrize("torn", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_server_that_dies_anywhere_starts_again(
    torn: bool, points: list[Point], runs: Path, tmp_path: Path
) -> None:
    assert len(points) >= 25
    numbers = {n for n, point in enumerate(points) if point.change == "write" or not torn}
    own_copy(runs, tmp_path / "dies")
    deaths = Deaths(tmp_path / "dies", tmp_path, numbers, torn=torn)
    with hooked(deaths):
        work(tmp_path / "dies")
    for number, left in deaths.copies.items():
        shutil.rmtree(tmp_path / "dies")  # its jobs belong to its place
        left.rename(tmp_path / "dies")
        assert_goes_on(tmp_path / "dies", points[number])
    assert deaths.copies.keys() == numbers


@pytest.mark.slow
def test_a_server_in_which_any_change_fails_goes_on(
    points: list[Point], runs: Path, tmp_path: Path
) -> None:
    for number, point in enumerate(points):
        folder = tmp_path / f"{number}"
        own_copy(runs, folder)
        with hooked(Failure(number)), contextlib.suppress(Exception):
            work(folder)
        assert_goes_on(folder, point)
