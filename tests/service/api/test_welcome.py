"""What a first visit offers, and the example that comes with evolve."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

import evolve
from evolve.service.api.welcome import ARCHIVE
from tests.service.inside import App


@pytest.fixture
def app(tmp_path: Path, runner: asyncio.Runner) -> Iterator[App]:
    with App(tmp_path / "runs", runner) as opened:
        yield opened


def test_a_first_visit_writes_nothing(app: App) -> None:
    found = app.get("welcome")
    assert app.get("runs")["total"] == 0
    assert (found["run"]["id"], found["run"]["state"]) == ("example", "done")
    moves = found["game"]["moves"].split()
    assert len(found["game"]["discs"]) == len(moves) + 1
    assert found["game"]["discs"][-1] != 0
    assert len(files("evolve.service").joinpath(ARCHIVE).read_bytes()) < 70_000


@pytest.mark.slow
def test_what_a_first_visit_offers_is_offered_under_new_too(app: App) -> None:
    found = app.get("welcome")
    assert [one["name"] for one in found["goals"]] == ["evolve", "teach"]
    goals = {goal["name"]: goal["offers"] for goal in app.get("goals")["items"]}
    offers = {goal["name"]: goal["offers"][0] for goal in found["goals"]}
    assert not [name for name, offer in offers.items() if offer not in goals[name]]
    lines = [
        app.post(f"commands/{one['command']}/check", {"settings": one["settings"]}, 200)["line"]
        for one in offers.values()
    ]
    assert lines == [f"evolve {offer['option']}" for offer in offers.values()]
    assert app.get(f"agents/{found['play']['agent']}")["id"] == "level-5"


def test_the_example_becomes_a_run_like_any_other(app: App) -> None:
    told = app.get("welcome")["run"]
    first, again = (app.post("welcome/example", {}, 201) for _ in range(2))
    assert first == again == {**told, "date": first["date"]}
    assert app.get("runs")["total"] == 1
    found = evolve.load_run(app.folders.run("example"))
    assert len(found.generations) == told["target"] == 12
    assert len(found.individuals) == 12 * 16
    game = app.get("runs/example/generations/playoff/games?limit=1")["items"][0]
    assert game["winner"]
    app.delete("runs/example")
    assert app.get("runs")["total"] == 0


def test_the_example_leaves_a_name_that_a_job_has(app: App) -> None:
    asked = {"command": "run", "settings": {"generations": 2}, "name": "example"}
    app.post("jobs", asked, 202)
    app.post("welcome/example", {}, 409)
    assert list(app.folders.run("example").iterdir()) == []
