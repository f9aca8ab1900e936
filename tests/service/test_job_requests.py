"""Requests for jobs: what is wrong is told with its place, and nothing is made twice."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.runs.run import load_run
from evolve.service.job_line import changed, changes_of
from evolve.service.responses import ProblemError
from tests.cli import snapshot
from tests.service import SMALL, Service
from tests.service.inside import App


@pytest.mark.slow
def test_going_on_past_the_end_with_a_run_of_the_command_line(service: Service, runs: Path) -> None:
    shutil.copytree(runs / "small", runs / "longer")
    assert "say how far" in service.post("runs/longer/resume", {}, 422)["detail"]
    job = service.post("runs/longer/resume", {"settings": {"generations": 4}})
    service.wait(job)
    assert evolve.load_run(runs / "longer").generation_count == 4
    wrong = ({"panel": "x", "patience": "a"}, {"generations": 3}, {"generations": -5})
    found = [service.post("runs/small/resume", {"settings": one}, 422)["errors"] for one in wrong]
    pointers = [{one["pointer"] for one in errors} for errors in found]
    assert pointers == [{f"/settings/{key}" for key in settings} for settings in wrong]


SETTINGS: list[tuple[str, dict[str, Any], str]] = [
    ("run", {"seed": True}, "seed"),
    ("run", {"population": 2}, "population"),
    ("run", {"nothing": 2}, "nothing"),
    ("run", {"start_from": "/etc/passwd"}, "start_from"),
    ("run", {"start_from": "gtp:sh"}, "start_from"),
    ("run", {"start_from": "runs/x"}, "start_from"),
    ("train", {}, "kind"),
    ("train", {"kind": "patterns", "budget": -1}, "budget"),
    ("train", {"kind": "dqn", "opponents": {"gtp:sh": 1}}, "opponents/gtp:sh"),
    ("sweep", {"kind": "patterns", "panel": ["/x"]}, "panel/0"),
    ("sweep", {"kind": "patterns", "start_from": "/etc/passwd"}, "start_from"),
    ("sweep", {"kind": "patterns", "start_from": "run:small"}, "start_from"),
    ("sweep", {"kind": "dqn", "fix": {"opponents": "gtp:sh"}}, "fix/opponents"),
    ("sweep", {"kind": "dqn", "space": {"agent": "swh|gtp:sh"}}, "space/agent"),
    ("match", {"a": "swh", "b": "nboard:x"}, "b"),
    ("match", {"a": "swh", "b": "swh", "openings": "/etc/passwd"}, "openings"),
    ("rate", {"agents": ["swh", "../x"]}, "agents/1"),
    ("rate", {"agents": ["swh"]}, "agents"),
    ("match", {"a": "swh?depth=99", "b": "swh"}, "a"),
    ("match", {"a": "swh", "b": "swh", "sprt": [5, 0]}, "sprt"),
    ("sweep", {"kind": "alphabeta", "budget": 3}, "budget"),
    ("sweep", {"kind": "alphabeta", "fix": {"nonsense": 1}}, "fix"),
    ("match", {"a": "swh?games=3", "b": "swh"}, "a"),
    ("match", {"a": "swh", "b": "swh", "games": 10**20}, "games"),
    ("sweep", {"kind": "alphabeta", "fix": {"depths": "gtp:sh"}}, "fix/depths"),
    ("sweep", {"kind": "program"}, "program"),
    ("sweep", {"kind": "program", "program": "gtp:sh {x:1:2}"}, "program"),
]
"""Wrong ones of commands, with the place of each."""


@pytest.mark.parametrize(
    ("command", "more", "pointer"),
    [
        *((command, {"settings": one}, f"/settings/{name}") for command, one, name in SETTINGS),
        ("run", {"name": "../x"}, "/name"),
        ("shell", {}, "/command"),
        ("run", {"seeds": "9-0"}, "/seeds"),
        ("run", {"seeds": ""}, "/seeds"),
        ("match", {"settings": {"a": "swh", "b": "random"}, "seeds": "0-1"}, "/seeds"),
        ("run", {"grid": {"crossover": ["blend", "nope"]}}, "/grid"),
        ("run", {"grid": {"start_from": ["gtp:sh"]}}, "/grid/start_from"),
        ("run", {"grid": {"population": [None]}}, "/grid/population"),
        ("run", {"grid": {"fix": [{"depths": "gtp:sh"}]}}, "/grid/fix"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_nothing_is_written(
    local: App, command: str, more: dict[str, Any], pointer: str
) -> None:
    before = snapshot(local.folders.runs)
    found = local.post("jobs", {"command": command, **more}, 422)
    assert pointer in [one["pointer"] for one in found["errors"]], found
    assert snapshot(local.folders.runs) == before


def test_names_of_runs(local: App) -> None:
    asked = {"command": "run", "settings": SMALL, "name": "mine"}
    checked = local.post("commands/run/check", {"settings": SMALL, "name": "mine"}, 200)
    job = local.post("jobs", asked, 202)
    assert (job["run"], job["line"]) == ("mine", checked["line"])
    local.post("jobs", asked, 409)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("alphabeta", "space", "/etc/passwd"),
        *(("alphabeta", "trials", value) for value in ([3, 4], True, 10**9)),
        ("alphabeta", "panel", "swh"),
        ("program", "space", "style=--anything|x"),  # what it is started with is its owner's
    ],
)
def test_a_client_gets_to_no_file_agent_or_program_by_a_change(
    tmp_path: Path, kind: str, name: str, value: Any
) -> None:
    (tmp_path / "config.toml").write_text(f'command = "sweep {kind}"\n')
    run = load_run(tmp_path)
    assert run.form == "run"
    assert "trials" in {change.name for change in changes_of(run)}
    with pytest.raises(ProblemError) as found:
        changed(run, {name: value})
    assert [place for place, _ in found.value.errors] == [f"/settings/{name}"]
