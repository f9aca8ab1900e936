"""Links in a folder of runs from elsewhere: the service follows none, says so, and goes on.

In this process, through the app itself. What the links lead to bears a mark that no answer may
have, and must be as it was afterwards.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from evolve.errors import LinkError
from evolve.runs.run import Run
from evolve.service.folders import Folders
from tests.cli import posix, snapshot
from tests.service import inside
from tests.waits import until

pytestmark = posix
MARK: Final = "stolen-from-elsewhere"


class App(inside.App):
    """The app, which says nothing of what is outside."""

    def ask(self, method: str, path: str, document: Any = None) -> httpx.Response:
        found = super().ask(method, path, document)
        assert MARK not in found.text
        return found


@pytest.fixture
def folder(tmp_path: Path, runs: Path) -> Path:
    """A folder of runs with two of them, `small` and `other`."""
    for name in ("small", "other"):
        shutil.copytree(runs / "small", tmp_path / "runs" / name)
    return tmp_path / "runs"


@pytest.fixture
def app(folder: Path, runner: asyncio.Runner) -> App:
    """The app on it, still to be opened."""
    return App(folder, runner)


def put_link(folder: Path, name: str, outside: Path) -> Path:
    """Somebody's file or folder in place of one of the run `small`."""
    link = folder / "small" / name
    shutil.rmtree(link) if link.is_dir() else link.unlink()
    link.symlink_to(outside / "run" / name)
    return link


@pytest.fixture
def outside(tmp_path: Path, runs: Path) -> Iterator[Path]:
    """Somebody's files, among them a run as good as any. They are as they were afterwards."""
    place = tmp_path / "outside"
    shutil.copytree(runs / "small", place / "run")
    champion = place / "run" / "champion.json"
    champion.write_text(champion.read_text().replace('"name": "', f'"name": "{MARK}-'))
    config = place / "run" / "config.toml"
    config.write_text(config.read_text() + f'\n# {MARK}\n[versions2]\nx = "{MARK}"\n')
    (place / "deep" / "er").mkdir(parents=True)
    for name in ("file", "deep/er/file", "deep/.writing-x", "0123456789abcdef.json"):
        (place / name).write_text(f'{{"{MARK}": 1}}\n')
    before = snapshot(place)
    yield place
    assert snapshot(place) == before


@pytest.mark.parametrize(
    "name",
    [
        *("", "jobs", "plays", "agents", "agents/uploads", "tmp", "lock", "tmp/run/link"),
        *("plays/0123456789abcdef.json", "agents/uploads/0123456789abcdef.json"),
        *("jobs/20260101-00000001", "jobs/20260101-00000002/job.json"),
    ],
)
def test_nothing_of_its_own_is_a_link(folder: Path, outside: Path, name: str) -> None:
    link = folder / ".service" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "deep" if name != "lock" else outside / "file")
    with pytest.raises(LinkError) as raised:
        Folders(folder).claim()
    assert f"{link} is a link to {outside}" in str(raised.value)
    assert link.is_symlink()


def test_an_individual_whose_generation_is_a_link(app: App, folder: Path, outside: Path) -> None:
    with app:
        [row] = app.get("runs/small/generations/1/individuals?limit=1")["items"]
        match = {"a": f"run:small:{row['individual']}", "b": "random", "games": 2}
        born = row["individual"].partition("-")[0].zfill(4)
        link = put_link(folder, f"generations/gen-{born}.parquet", outside)
        assert "is a link" in str(app.post("jobs", {"command": "match", "settings": match}, 422))
        assert link.is_symlink()


GETS: Final = (
    *("runs/small", "runs/small/generations", "runs/small/files/champion.json"),
    *("runs/small/files/games.parquet", "runs/small/generations/1/individuals"),
    *("runs/small/generations/1/games", "runs/small/generations/playoff/games"),
    *("runs/small/generations/1/crosstable", "runs/small/games/1:0", "agents/run:small"),
    *("runs/small/generations/1/champion", "runs/small/lineage/0-1"),
    *("metrics?run=small&run=other", "compare?run=small&run=other", "seeds?run=small&run=other"),
)


LINKS: Final = {
    "config.toml": "damaged", "games/gen-0001.parquet": None,
    ".lock": None, "champion.json": "damaged", "generations": "damaged",
    "generations/gen-0002.parquet": "damaged", "generations/gen-0001.parquet": None,
    "games": None, "games/playoff.parquet": None, "": "damaged",
}  # fmt: skip
"""What may be a link in a run, and the state of that run; None is none that is known."""


@pytest.mark.parametrize(
    ("name", "state"),
    [
        pytest.param(*pair, marks=[pytest.mark.slow] * (number > 1))
        for number, pair in enumerate(LINKS.items())
    ],
)
def test_a_run_with_a_link_is_one_damaged_run(
    app: App, folder: Path, outside: Path, name: str, state: str | None
) -> None:
    link = put_link(folder, name, outside)
    with app:
        found = {one["id"]: one for one in app.get("runs")["items"]}
        assert found["other"]["state"] == "done"
        if state is not None:
            assert found["small"]["state"] == state
            shown = link.relative_to(folder)  # clients are not told where the folder is
            assert f"{shown} is a link to {outside / 'run' / name}" in found["small"]["problem"]
            assert "is a link" in app.get("runs/small")["problem"]
        refusals = 0
        for path in GETS:
            answer = app.ask("GET", path)
            assert answer.status_code in (200, 404, 422), (path, answer.text)
            refusals += "is a link" in answer.text
        assert refusals >= (0 if name == ".lock" else 1)
        answer = app.ask("POST", "runs/small/resume", {"settings": {"generations": 9}})
        assert answer.status_code in (202, 422)
        if answer.status_code == 202:
            app.state.jobs.slots = 1
            job = answer.json()["id"]
            until(lambda: app.get(f"jobs/{job}")["state"] == "failed")
            assert "is a link" in app.get(f"jobs/{job}")["error"]
    assert link.is_symlink()


def test_a_run_with_links_can_be_deleted(app: App, folder: Path, outside: Path) -> None:
    for name in ("config.toml", "games", "generations/gen-0001.parquet"):
        put_link(folder, name, outside)
    with app:
        app.delete("runs/small")
        assert [one["id"] for one in app.get("runs")["items"]] == ["other"]
    assert not os.path.lexists(folder / "small")


def test_a_link_is_not_deleted_through_and_no_place_for_a_new_run(
    app: App, folder: Path, outside: Path
) -> None:
    (folder / "wanted").symlink_to(outside / "run")
    (folder / "standard-001").symlink_to(outside / "deep" / "er")
    with app:
        app.delete("runs/wanted", 422)
        asked = {"command": "run", "settings": {"rules": "standard"}}
        app.post("jobs", {**asked, "name": "wanted"}, 409)
        assert app.post("jobs", asked, 202)["run"] == "standard-002"


def test_the_folder_may_be_a_link(folder: Path, tmp_path: Path, runner: asyncio.Runner) -> None:
    (tmp_path / "link").symlink_to(folder)
    with App(tmp_path / "link", runner) as app:
        assert {one["state"] for one in app.get("runs")["items"]} == {"done"}
        assert app.get("runs/small/files/champion.json")["format"]
    assert Run(tmp_path / "link" / "small").generation_count == 3
