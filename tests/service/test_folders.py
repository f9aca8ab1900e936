"""Names in a folder of runs, and what a server that was killed has left in it: the next one takes
or removes it, or says that it stays."""

from __future__ import annotations

import asyncio
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from evolve.files.changes import Change
from evolve.service.folders import Folders
from tests.cli import posix
from tests.faults import hooked
from tests.service import Service, until
from tests.service.inside import App

pytestmark = [posix, pytest.mark.usefixtures("own_user")]
MANY: Final = 3_000
JOB: Final = "20260101-0000000a"


def fill(folder: Path) -> dict[str, Path]:
    """All kinds of leftovers, by name."""
    own = folder / ".service"
    left = {
        "run": own / "tmp/0123456789abcdef",
        "file": own / "tmp/0123456789abcdef.csv",
        "half": own / "plays/.writing-0123.json",
        "upload": own / "agents/uploads/.writing-0123.npz",
        "job": own / "jobs" / JOB,
    }
    for sub in ("games", "generations/deep"):
        (left["run"] / sub).mkdir(parents=True)
        (left["run"] / sub / "a").write_text("x")
    left["job"].mkdir(parents=True)
    for name in ("file", "half", "upload"):
        left[name].parent.mkdir(parents=True, exist_ok=True)
        left[name].write_text("x")
    return left


def test_all_that_is_left_goes(tmp_path: Path, runner: asyncio.Runner) -> None:
    left = fill(tmp_path / "runs")
    with App(tmp_path / "runs", runner) as app:
        assert app.get("jobs")["total"] == 0
    assert [name for name, path in left.items() if path.exists()] == []


def test_what_cannot_be_removed_keeps_nothing_from_starting(tmp_path: Path) -> None:
    left = fill(tmp_path / "runs")

    def refuse(change: Change, path: Path, piece: bytes) -> None:
        if change == "remove":
            raise PermissionError(1, "not permitted", str(path))

    with hooked(refuse):
        Folders(tmp_path / "runs").claim()
    assert all(path.exists() for path in left.values())


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.0, 0.02, 0.1])
def test_a_kill_amid_the_removal_of_a_large_run(fresh: Service, runs: Path, wait: float) -> None:
    large = fresh.runs / "large"
    shutil.copytree(runs / "small", large)
    for number in range(MANY):
        (large / "games" / f"more-{number}").touch()
    until(lambda: fresh.get("runs")["total"] == 1)
    own = fresh.runs / ".service/tmp"
    with ThreadPoolExecutor() as threads:
        threads.submit(fresh.client.delete, "runs/large")
        until(lambda: any(own.iterdir()) or not large.exists())
        time.sleep(wait)  # what is tried is the moment of the kill
        fresh.stop(signal.SIGKILL)
    fresh.start()
    assert fresh.get("runs")["total"] == 0
    assert list(own.iterdir()) == []


def test_a_folder_that_is_gone_is_said_to_be(local: App) -> None:
    place = local.folders.runs
    moved = place.with_name("elsewhere")
    place.rename(moved)
    paths = ("runs", "runs/small", "runs/small/generations", "jobs", "agents", "health")
    answers = [local.ask("GET", path, below=504) for path in paths]
    place.mkdir()  # another folder in its place
    answers.append(local.ask("GET", "runs/small", below=504))
    assert {answer.status_code for answer in answers} == {503}
    assert {answer.json()["detail"].count("runs") for answer in answers} == {2}
    assert all(answer.headers["retry-after"] for answer in answers)
    place.rmdir()
    moved.rename(place)
    local.get("runs/small")
