"""Goals, what they cost, studies and programs, as the page begins with them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from evolve.parsing import parse_toml
from evolve.runs.run_types import RUN_TYPES
from evolve.service.api.welcome import Goal, Offer
from evolve.service.forms import forms
from evolve.service.job_line import line_of
from tests.service import Service
from tests.service.inside import App

PROGRAM = f"gtp:{sys.executable} tuned.py --corner {{corner:1:50}}"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, runner: asyncio.Runner) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("offers") / "runs"
    folder.mkdir()
    with App(folder, runner, "gtp:other", PROGRAM) as app:
        yield app


def checked(app: App, command: str, **document: Any) -> dict[str, Any]:
    found: dict[str, Any] = app.ask("POST", f"commands/{command}/check", document).json()
    return found


@pytest.mark.slow
def test_every_command_that_makes_runs_is_offered(app: App) -> None:
    offers = [offer for goal in app.get("goals")["items"] for offer in goal["offers"]]
    assert len({offer["name"] for offer in offers}) == len(offers)
    commands = {offer["command"] for offer in offers}
    assert commands >= {name for kind in RUN_TYPES for name in kind.commands}
    keys = ("settings", "seeds", "grid")
    for offer in offers:
        if offer["command"] is not None and not offer["needs"]:
            found = checked(app, offer["command"], **{key: offer[key] for key in keys})
            offer["begins"] = "evolve " if offer["seeds"] else f"evolve {offer['option'][:12]}"
            offer["line"] = found["line"]
    ready = [offer for offer in offers if "line" in offer]
    assert not [offer for offer in ready if not offer["line"].startswith(offer["begins"])]


def test_offers_have_only_fields_that_are_read() -> None:
    goals = parse_toml((files("evolve.service") / "goals.toml").read_bytes())["goals"]
    assert {frozenset(goal) for goal in goals} == {frozenset(Goal.model_fields)}
    assert {key for goal in goals for offer in goal["offers"] for key in offer} <= {
        *Offer.model_fields
    }


def test_a_study_has_the_line_of_the_command(app: App) -> None:
    grid = {"crossover": ["blend", "uniform"], "bounds.depths": [[1, 2], [1, 3]]}
    found = checked(app, "run", settings={"generations": 2, "seed": 4}, grid=grid)
    assert found["line"] == (
        "evolve run --generations 2 --seeds 4 --grid crossover=blend,uniform "
        "--grid 'bounds.depths=1,2|1,3'"
    )
    assert found["runs"] == 4
    asked = {"command": "run", "settings": {"generations": 2}, "seeds": "0-1"}
    job = app.ask("POST", "jobs", asked).json()
    assert (job["run"], job["seeds"], job["state"]) == ("study-001", "0-1", "queued")
    record = app.state.jobs.get(job["id"])
    line = line_of(app.folders, app.state.agents, record)
    assert line.words[0] == "study"
    assert line.file is not None
    assert (line.file["command"], list(line.file["seeds"])) == ("run", [0, 1])


def test_a_program_with_parameters_is_tuned_by_its_id(app: App) -> None:
    form = next(one for one in app.get("commands")["items"] if one["command"] == "sweep program")
    assert (form["fields"][0]["name"], form["fields"][0]["type"]) == ("program", "agent")
    closed = {"set_by", "set_command", "space", "fix"}
    assert not closed & {field["name"] for field in form["fields"]}
    found = checked(app, "sweep program", settings={"program": "program:2", "games": 600})
    assert found["line"] == f"evolve sweep program '{PROGRAM}' --games 600"
    given = [{"program": "program:2", name: {"x": {"low": 1}}} for name in closed]
    wrong = [checked(app, "sweep program", settings=settings)["errors"] for settings in given]
    assert [{one["pointer"] for one in errors} for errors in wrong] == [
        {f"/settings/{name}"} for name in closed
    ]
    offers = [offer for goal in app.get("goals")["items"] for offer in goal["offers"]]
    mine = next(offer for offer in offers if offer["command"] == "sweep program")
    assert (mine["settings"]["program"], mine["needs"]) == ("program:2", None)
    assert forms()["sweep program"].needs(()) == "a program"


@pytest.mark.slow
@pytest.mark.learning
def test_a_network_is_taught_and_its_file_is_checked(fresh: Service) -> None:
    """From the start to a file that may be handed in, with convolutions."""
    settings = {"kind": "dqn", "preset": "s3-dqn", "games": 60, "panel_openings": 2}
    job = fresh.wait(fresh.order("train", **settings))
    run = fresh.get(f"runs/{job['run']}")
    assert run["score"] is not None
    assert [one["line"].split()[1] for one in run["lines"]] == ["match", "hand-in"]
    found = fresh.post(f"runs/{job['run']}/hand-in", {"seconds": 1}, 200)
    assert found["good"], found["lines"]
