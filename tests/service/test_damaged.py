"""Files of another shape: each is listed as damaged, alone, with its reason; nothing else fails."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any, Final
from unittest.mock import Mock

import pytest
import tomli_w

from evolve.service.job import JobRecord
from tests.cli import posix
from tests.service.inside import App

pytestmark = [posix, pytest.mark.usefixtures("own_user")]

GOOD: Final = "20260101-0000000b"
MATCH: Final = {"a": "swh", "b": "random", "games": 2}
JSON: Final = [None, True, 7, -1, 1e300, "text", [], [1], {}, {"a": {"b": [1]}}]
"""A value of each type, and some more."""
RAW: Final = ["Infinity", "-Infinity", "NaN", "1e999", '"\\ud800"', "[" * 100 + "]" * 100, "9" * 99]
"""What JSON's reader takes besides."""
TOML: Final = [True, 7, -1, 1.5, float("nan"), float("inf"), "text", [], ["x", 1], {}, {"a": 1}]


@pytest.fixture
def sound(tmp_path: Path, runs: Path, runner: asyncio.Runner) -> App:
    """An app that is still to be opened, on a folder with a run and a job that are sound."""
    shutil.copytree(runs / "small", tmp_path / "runs" / "good")
    app = App(tmp_path / "runs", runner)
    job = JobRecord(id=GOOD, command="match", settings=MATCH, state="done", created=1.0)
    job.save(app.folders)
    return app


def others_of(app: App, *, runs: int) -> list[dict[str, Any]]:
    """The jobs but for the sound one, which is there as ever, as is the run, one of so many."""
    found = app.get("jobs?limit=500")
    assert len(found["items"]) == found["total"]
    assert [one["state"] for one in found["items"] if one["id"] == GOOD] == ["done"]
    listed = app.get("runs?limit=500&q=good")
    assert [one["state"] for one in listed["items"]] == ["done"]
    assert app.get("runs?limit=500")["total"] == runs
    return [one for one in found["items"] if one["id"] != GOOD]


def test_a_field_of_a_job_of_another_type_costs_that_job_alone(sound: App) -> None:
    place = sound.folders.jobs
    good = json.loads((place / GOOD / "job.json").read_text())
    texts: list[str] = []
    for field in good:
        texts += [json.dumps({**good, field: value}) for value in JSON]
        texts += [json.dumps({**good, field: "?"}).replace('"?"', raw) for raw in RAW]
        texts += [json.dumps({key: value for key, value in good.items() if key != field})]
    for number, text in enumerate(texts):
        bad = place / f"20260101-{number + 256:08x}"
        bad.mkdir()
        (bad / "job.json").write_text(text.replace(GOOD, bad.name))
    with sound as app:
        found = others_of(app, runs=1)
        assert len(found) > 0.9 * len(texts)  # others have another id or folder: they are no jobs
        damaged = [one for one in found if one["state"] == "damaged"]
        assert len(damaged) > len(found) / 2
        assert all("is damaged: " in one["error"] for one in damaged)
        for one in damaged[::20]:
            app.get(f"jobs/{one['id']}/log")
            app.post(f"jobs/{one['id']}/resume", None, 409)
            app.delete(f"jobs/{one['id']}")


def test_a_job_file_that_is_none_costs_that_job_alone(sound: App) -> None:
    place, texts = sound.folders.jobs, ("", "{", "null", "[]", "7", '"x"', "\x00", "{}")
    files = [place / f"20260101-{number:08x}/job.json" for number in range(len(texts) + 1)]
    for file, text in zip(files, texts, strict=False):
        file.parent.mkdir()
        file.write_text(text)
    files[-1].mkdir(parents=True)
    (place / "other").mkdir()
    (place / "a-file").write_text("x")
    with sound as app:
        assert [one["state"] for one in others_of(app, runs=1)] == ["damaged"] * len(files)


@pytest.mark.parametrize(
    "every", [pytest.param(1, marks=pytest.mark.slow, id="all"), pytest.param(40, id="some")]
)
def test_a_setting_of_a_run_of_another_type_costs_that_run_alone(every: int, sound: App) -> None:
    folder = sound.folders.runs
    whole = tomllib.loads((folder / "good/config.toml").read_text())
    assert len(whole) > 30
    keys = {*list(whole)[::every], "command", "rules", "seed", "versions"}
    changed = [(key, value) for key in keys for value in TOML]
    for number, (key, value) in enumerate(changed):
        bad = folder / f"bad-{number}"
        bad.mkdir()
        (bad / "config.toml").write_text(tomli_w.dumps({**whole, key: value}))
    damaged, unnamed = 0, list[str]()
    with sound as app:
        assert others_of(app, runs=len(changed) + 1) == []
        for number, (key, _) in enumerate(changed):
            found = app.get(f"runs/bad-{number}")
            if found["state"] == "damaged":
                damaged += 1
                unnamed += [key] * (not re.search(rf"config\.toml.*{key}", found["problem"]))
            app.ask("GET", f"runs/bad-{number}/generations")
            app.ask("GET", f"compare?run=good&run=bad-{number}")
        app.get("runs?sort=-score")
    assert damaged > len(changed) / 2
    assert not unnamed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "command = None is unknown"),
        ('command = "run"\n', "it has no rules, seed"),
        ("[", "is damaged: "),
        ('command = "run"\nrules = "standard"\nseed = "abc"\n', "seed = 'abc': it must be a whole"),
        ('command = "run"\nrules = 3\nseed = 1\n', "rules = 3: "),
        ('command = "dance"\n', "command = 'dance' is unknown"),
        ('command = "run"\nrules = "standard"\nseed = 1\npopulation = nan\n', "population = nan: "),
    ],
)
def test_a_config_that_is_none_is_damaged_and_says_why(text: str, said: str, sound: App) -> None:
    folder = sound.folders.runs / "bad"
    folder.mkdir()
    (folder / "config.toml").write_text(text)
    with sound as app:
        assert others_of(app, runs=2) == []
        found = app.get("runs/bad")
        assert found["state"] == "damaged"
        assert said in found["problem"]
        assert said in app.get("runs/bad/generations", 422)["detail"]
        app.post("runs/bad/resume", {}, 422)


def test_settings_of_another_version_are_no_damage(sound: App) -> None:
    config = sound.folders.runs / "good/config.toml"
    config.write_text("of_another_version = 3\n" + config.read_text())
    with sound as app:
        assert app.get("runs/good")["state"] == "done"


def test_an_error_that_nobody_foresaw_is_a_problem_with_an_id_of_the_log(
    sound: App, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ZeroDivisionError("nobody foresaw it")

    with sound as app:
        monkeypatch.setattr(app.state.jobs, "all", fail)
        answers = [app.ask("GET", "jobs", below=501) for _ in range(3)]
    kinds = {(answer.status_code, answer.headers["content-type"]) for answer in answers}
    assert kinds == {(500, "application/problem+json")}
    details = {answer.json()["detail"] for answer in answers}
    ((name,),) = [re.findall("^internal error (....); see", detail) for detail in details]
    assert f"failure {name} of GET " in caplog.text
    assert caplog.text.count("Traceback") == 1, "once, however often it happens"


def test_endless_work_continues_where_it_fails(
    sound: App, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.service.jobs._EVERY", 0.0)
    fail = Mock(side_effect=LookupError("again"))
    with sound as app:
        monkeypatch.setattr(app.state.jobs, "follow", fail)
        app.runner.run(asyncio.sleep(0.05))
    assert fail.call_count > 2
    assert caplog.text.count("of following jobs") == 1


@pytest.mark.slow
def test_a_final_of_another_shape_costs_that_table_alone(sound: App) -> None:
    sweep = sound.folders.runs / "sweep"
    sweep.mkdir()
    text = 'command = "sweep alphabeta"\nrules = "standard"\nseed = 0\nunknown = nan\n'
    (sweep / "config.toml").write_text(text)
    row = {"agent": "trial-1", "score": 0.5, "games": 2, "wins": 1, "elo": 1.5}
    whole = {"trials": 1, "over": True, "finalists": [row], "winner": 1, "defaults": 1}
    documents = [{**whole, key: value} for key in whole for value in JSON]
    documents += [{**whole, "finalists": [{**row, key: one}]} for key in row for one in JSON]
    unknown = []
    with sound as app:
        for document in documents:
            (sweep / "final.json").write_text(json.dumps(document))
            unknown.append(app.get("runs/sweep")["settings"]["unknown"])
            app.ask("GET", "runs/sweep/final")
            app.ask("GET", "runs/sweep/trials")
            app.ask("GET", "compare?run=sweep&run=good")
        assert app.get("runs")["total"] == 2
    assert unknown == [None] * len(documents)


def test_a_damaged_game_is_a_problem_of_its_own(sound: App) -> None:
    said = []
    with sound as app:
        for text in ("", "[]", "{}", '{"id": 3}', "NaN"):
            (app.folders.plays / "0123456789abcdef.json").write_text(text)
            said.append(app.get("plays/0123456789abcdef", 422)["detail"])
    assert said == ["game 0123456789abcdef is damaged: it cannot be read"] * 5
