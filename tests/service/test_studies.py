"""Studies over REST and on the page: listed and opened as runs are, their runs beneath them."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import evolve
from benchmarks.pages import visit
from evolve.config.base import option_words
from evolve.runs import run_folder
from evolve.runs.run import Study, load_run
from evolve.runs.study_spec import StudySpec
from evolve.service.folders import Folders
from evolve.service.index import Index
from evolve.studies.comparison import groups_of
from evolve.studies.course import course_of, course_of_group
from tests.cli import done
from tests.service import SMALL, Service
from tests.service.inside import App, crown
from tests.service.test_page import root, window

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RUNS = ["two+crossover-blend-seed-0", "two+crossover-blend-seed-1", "two+crossover-uniform-seed-0"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs with a study of which one run has not begun, and a run."""
    folder = tmp_path_factory.mktemp("studies") / "runs"
    folder.mkdir()
    design = ("--seeds=0-1", "--grid=crossover=blend,uniform", "--bounds=depths=1:2")
    more = ("--bounds=endgame=0:4", "--jobs=1")
    done("run", *option_words(SMALL), *design, *more, "--out", folder / "two")
    shutil.copytree(folder / "two/crossover-blend-seed-0", folder / "alone")
    shutil.rmtree(folder / "two/crossover-uniform-seed-1")
    return folder


@pytest.fixture
def app(folder: Path, runner: asyncio.Runner) -> Iterator[App]:
    with App(folder, runner) as app:
        yield app


def test_a_study_is_listed_and_its_runs_beneath_it(app: App) -> None:
    found = app.get("runs?sort=name")["items"]
    assert [(one["id"], one["kind"]) for one in found] == [("alone", "run"), ("two", "study")]
    _, study = found
    assert (study["done"], study["target"], study["unit"]) == (3, 4, "runs")
    assert (study["state"], study["share"], study["rules"]) == ("stopped", 0.75, "reversed")
    beneath = app.get("runs?study=two&sort=name")["items"]
    elos = {one["id"].partition("+")[2]: one["elo"] for one in beneath}
    cells = [str(one) for row in study["grid"] for one in row]
    assert sorted(cells) == sorted(map(str, [*elos.values(), None]))
    assert study["curves"] == [one["curve"] for one in beneath]
    facts = [(one["id"], one["study"], one["seed"]) for one in beneath]
    assert facts == [(name, "two", seed) for name, seed in zip(RUNS, (0, 1, 0), strict=True)]
    assert app.get("runs?study=alone")["items"] == []
    assert app.get("runs?kind=study")["items"] == [study]


@pytest.mark.slow
def test_a_study_opens_with_its_design_and_its_tables(app: App, folder: Path) -> None:
    found = app.get("runs/two")
    assert found["settings"]["seeds"] == [0, 1]
    assert found["settings"]["grid"] == {"crossover": ["blend", "uniform"]}
    names = {one["name"] for one in found["files"]}
    assert {"generations.csv", "individuals.parquet", "games.csv"} <= names
    text = app.ask("GET", "runs/two/files/generations.csv").text
    frame = pd.read_csv(io.StringIO(text))
    assert len(frame) == len(Study(folder / "two").generations) == 9
    assert list(frame.columns[:3]) == ["setting", "crossover", "seed"]
    changes = {one["name"]: one["type"] for one in found["changes"]}
    assert (changes["generations"], changes["seeds"]) == ("int", "str")
    assert app.get("metrics?run=two&run=alone")["items"][0] == {}


def test_the_design_of_a_study_has_the_ids_of_agents(
    folder: Path, tmp_path: Path, runner: asyncio.Runner
) -> None:
    runs = Path(shutil.copytree(folder, tmp_path / "runs"))
    file, agent = runs / "two/study.toml", json.dumps(str(runs / "alone"))
    text = file.read_text().replace("[grid]", f"[grid]\nstart_from = [{agent}]")
    file.write_text(f"{text}\n[variants.one]\nstart_from = {agent}\n")
    with App(runs, runner) as app:
        settings = app.get("runs/two")["settings"]
        file.write_text(f'{text}\n[variants.one]\nstart_from = "gtp:true"\n')
        assert "gtp:true" in app.post("runs/two/resume", {}, 422)["detail"], "no program of ours"
    assert settings["grid"] == {"start_from": ["run:alone"], "crossover": ["blend", "uniform"]}
    assert settings["variants"] == {"one": {"start_from": "run:alone"}}


@pytest.mark.slow
def test_a_run_in_a_study_is_a_run(app: App) -> None:
    name = RUNS[1]
    found = app.get(f"runs/{name}")
    assert (found["kind"], found["state"], found["done"]) == ("run", "done", 3)
    assert len(app.get(f"runs/{name}/generations")["items"]) == 3
    assert app.get(f"agents/{found['agent']}")["name"] == found["champion"]
    assert app.get(f"agents/run:{name}:0-1")["name"] == "0-1"
    app.get("runs/two+crossover-uniform-seed-1", 404)


def test_what_is_in_no_study_is_not_found(app: App) -> None:
    names = ("", "nobody", ".lock", "study.toml", "..", "alone")
    paths = [*(f"runs/two+{name}" for name in names), "runs/nobody+alone"]
    found = {app.ask(how, path).status_code for how in ("GET", "DELETE") for path in paths}
    assert found <= {404, 422}


def test_a_run_in_a_study_goes_on_in_its_place(app: App) -> None:
    job = app.post(f"runs/{RUNS[0]}/resume", {"settings": {"generations": 4}}, 202)
    assert job["run"] == RUNS[0]
    assert job["line"] == "evolve resume runs/two/crossover-blend-seed-0 --generations 4"
    app.post(f"jobs/{job['id']}/stop", {}, 202)


def test_a_study_goes_on_with_changes(app: App, folder: Path) -> None:
    changes = {"settings": {"generations": 5, "seeds": "2-3"}, "threads": 1}
    job = app.post("runs/two/resume", changes, 202)
    assert (job["command"], job["run"], job["state"]) == ("resume", "two", "queued")
    assert job["line"] == "evolve resume runs/two --generations 5 --seeds 2-3"
    assert app.get("runs/two")["job"] == job["id"]
    for name in ("two", RUNS[0]):
        app.delete(f"runs/{name}", 409)
        app.post(f"runs/{name}/resume", {}, 409)
    app.post(f"jobs/{job['id']}/stop", {}, 202)
    wrong = [{"seeds": "-1"}, {"seeds": 3}, {"trials": 3}, {"generations": 0}]
    found = [app.post("runs/two/resume", {"settings": one}, 422)["errors"] for one in wrong]
    places = [f"/settings/{name}" for one in wrong for name in one]
    assert [error["pointer"] for (error,) in found] == places
    with run_folder.locked(folder / RUNS[0].replace("+", "/")):
        detail = app.post("runs/two/resume", {}, 409)["detail"]
        assert detail == f"{RUNS[0]} is being written to by another process"


@pytest.mark.slow
def test_the_rest_of_a_study_is_done_as_a_job(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "runs")
    with Service(tmp_path / "runs").start() as service:
        job = service.wait(service.post("runs/two/resume", {"threads": 1}))
        assert (job["run"], job["error"], job["ending"]) == ("two", None, "all runs are done")
        found = service.get("runs/two")
        assert (found["state"], found["done"], found["job"]) == ("done", 4, job["id"])
        answer = service.client.post("runs/two/resume", json={})
        assert answer.status_code == 422
        assert "is finished" in answer.json()["detail"]


@pytest.mark.slow
def test_settings_of_a_study_are_compared_over_their_seeds(app: App, folder: Path) -> None:
    found = app.get("seeds?run=two")
    first, second, difference = found["items"]
    assert (first["seeds"], second["seeds"], difference["seeds"]) == (2, 1, 1)
    told = evolve.compare(folder / "two")
    assert [row["setting"] for row in (first, second)] == list(told["setting"])[:2]
    assert [row["mean"] for row in (first, second, difference)] == list(told["mean"])
    assert r"crossover=blend & 2 & " in found["latex"]
    assert found["latex"].count(r"\begin{tabular}") == 2
    assert found["csv"].startswith("metric,setting,against,seeds,mean,")
    page = app.ask("GET", "compare/report.html?run=two&run=alone")
    assert page.headers["content-type"].startswith("text/html")
    assert "<h1>two · alone</h1>" in page.text
    both = app.get("compare?run=two&run=alone")
    assert len(both["champions"]) == len(RUNS) + 1
    assert [run["id"] for run in both["runs"]] == ["two", "alone"]
    assert both["line"] == "evolve compare runs/two runs/alone --games 400"
    differing = {row["name"]: row["values"] for row in both["settings"]}
    assert differing == {"crossover": [["blend", "uniform"], "blend"], "seed": [[0, 1], 0]}
    assert {row["label"] for row in app.get("seeds?run=two&run=alone")["items"]} == {
        "two with blend crossover", "two with uniform crossover", "alone"
    }  # fmt: skip


def test_curves_are_those_of_the_picture(app: App, folder: Path) -> None:
    two = app.get("runs/two/courses")["items"]
    about = ("label", "setting", "seeds", "metric", "over")
    assert [[one[name] for name in about] for one in two] == [
        ["blend crossover", "crossover=blend", 2, "rating", "generation"],
        ["uniform crossover", "crossover=uniform", 1, "rating", "generation"],
    ]
    course = course_of_group(groups_of([Study(folder / "two")])[0])
    assert course is not None
    names = ("x", "y", "low", "high")
    assert [two[0][name] for name in names] == [getattr(course, name).tolist() for name in names]
    (alone,) = app.get("runs/alone/courses?metric=best_score&over=games")["items"]
    run = load_run(folder / "alone")
    assert run.form == "run"
    course = course_of(run, "best_score", "games")
    assert (alone["x"], alone["y"]) == (course.x.tolist(), course.y.tolist())
    assert [alone[name] for name in about] == ["alone", "alone", 1, "best_score", "games"]
    assert "nothing" in app.get("runs/alone/courses?metric=nothing", 422)["detail"]


def test_a_run_with_the_name_of_one_in_a_study_comes_first(app: App, folder: Path) -> None:
    own = folder / "two+crossover-blend-seed-0"
    shutil.copytree(folder / "two/crossover-blend-seed-1", own)
    try:
        assert app.get(f"runs/{own.name}")["seed"] == 1
    finally:
        shutil.rmtree(own)
    assert app.get(f"runs/{own.name}")["seed"] == 0


def test_links_in_a_study_are_no_runs(app: App, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "alone", tmp_path / "elsewhere")
    link = folder / "two/crossover-uniform-seed-1"
    link.symlink_to(tmp_path / "elsewhere")
    try:
        found = {one["id"]: one for one in app.get("runs?study=two")["items"]}
        assert found.get("two+crossover-uniform-seed-1", {"state": "damaged"})["state"] == "damaged"
        assert app.ask("GET", "runs/two+crossover-uniform-seed-1/generations").status_code >= 400
    finally:
        link.unlink()


def test_a_study_goes_with_its_runs(folder: Path, tmp_path: Path, runner: asyncio.Runner) -> None:
    shutil.copytree(folder, tmp_path / "runs", dirs_exist_ok=True)
    with App(tmp_path / "runs", runner) as app:
        app.delete("runs/two+crossover-blend-seed-1")
        assert app.get("runs/two")["done"] == 2
        app.delete("runs/two")
        assert [one["id"] for one in app.get("runs")["items"]] == ["alone"]
        assert not (tmp_path / "runs/two").exists()


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_of_a_study(browser: Browser, folder: Path) -> None:
    with Service(folder).start() as service, window(browser, service, "") as page:
        assert page.get_by_role("link", name="two", exact=True).count() == 1
        visit(page, root(service), "run/two")
        page.get_by_role("heading", name="The comparison").wait_for()
        grid = page.get_by_role("region", name="settings and seeds")
        assert grid.get_by_role("rowheader").all_inner_texts() == ["Blend", "Uniform"]
        assert grid.locator("a[href*=crossover-uniform-seed-0]").count() == 1
        assert grid.get_by_text("to come").count() == 1, "the run that is not begun"
        page.locator(".headrow").get_by_text("Undecided").wait_for()
        page.get_by_text("1 seed cannot say whether its settings are better").wait_for()
        rose = page.locator("figure", has_text="How they rose")
        rose.get_by_text("Blend, n = 2").first.wait_for()
        visit(page, root(service), "run/two/settings")
        visit(page, root(service), f"run/{RUNS[2]}/settings")
        page.get_by_role("heading", name="Metrics").wait_for()
        visit(page, root(service), f"run/{RUNS[2]}")
        assert page.get_by_role("link", name="two", exact=True).count() == 1
        assert page.get_by_role("link", name="Generations").count() == 1


DECIDED = {"blend 8": 100, "blend 16": 110, "uniform 8": 390, "uniform 16": 410}


@pytest.fixture
def grid(folder: Path, tmp_path: Path) -> Path:
    """Runs with a study of two factors and six seeds, where one of them matters."""
    runs = tmp_path / "runs"
    shutil.copytree(folder / "alone", runs / "alone")
    (runs / "grid").mkdir()
    design = StudySpec(
        seeds=range(6), grid={"crossover": ["blend", "uniform"], "population": [8, 16]}
    )
    (runs / "grid/study.toml").write_text(design.text({}))
    for member in design.members:
        run = runs / "grid" / member.name
        elo = DECIDED[" ".join(map(str, member.setting.varied.values()))]
        elo += member.seed * elo % 17
        crown(folder / "alone", run, elo=elo, elo_low=elo - 20, elo_high=elo + 20)
        config = (run / "config.toml").read_text()
        (run / "config.toml").write_text(config.replace("seed = 0", f"seed = {member.seed}"))
    return runs


@pytest.mark.slow
@pytest.mark.browser
def test_what_a_study_has_found_is_the_same_everywhere(browser: Browser, grid: Path) -> None:
    phone = {"width": 390, "height": 800}
    with (
        Service(grid).start() as service,
        window(browser, service, "run/grid", viewport=phone) as page,
    ):
        page.get_by_text("Uniform crossover with 8 individuals beats blend").wait_for()
        page.get_by_text("Uniform · 8 less Blend · 8, seed by seed").wait_for()
        assert page.get_by_role("button", name="Add").count() == 0, "more seeds of a decided study"
        page.get_by_role(
            "img", name=re.compile("Crossover alone, Elo: blend − uniform −")
        ).wait_for()
        page.get_by_role("img", name=re.compile("Population alone, Elo: 8 − 16 −")).wait_for()
        heads = page.get_by_role("region", name="settings and seeds").get_by_role("columnheader")
        assert heads.all_inner_texts()[:3] == ["Crossover · population", "Mean", "Seed 0"]
        assert heads.nth(1).bounding_box()["x"] < 390  # type: ignore[index]
        found = page.locator(".headrow .elo").inner_text()
        assert found == "Uniform crossover with 8 individuals is better"
        visit(page, root(service), "")
        page.get_by_text(found).wait_for()
        for name in ("grid", "alone"):
            page.get_by_label(f"Choose {name}").check()
        page.get_by_role("link", name="Compare", exact=True).last.click()
        page.get_by_role("button", name="Generations", exact=True).click()
        chart = page.locator("figure", has_text="Strength, Elo over generations")
        chart.get_by_role("button", name="grid: blend · 8, n = 6").wait_for()
        chart.get_by_role("button", name="alone", exact=True).wait_for()
        page.get_by_text("evolve compare runs/grid runs/alone --games 400").wait_for()
        page.get_by_text("Their 25 champions meet in 300 pairs").wait_for()


def test_a_study_is_summed_up_from_its_runs_as_they_are(folder: Path, tmp_path: Path) -> None:
    """Not from those of the last scan."""
    shutil.copytree(folder, tmp_path / "runs")
    index = Index(Folders(tmp_path / "runs"), lambda run: None)
    index.scan()
    before = index.summary("two")
    name = next(run for run in index.names("two") if index.summary(run).state == "done")
    config = tmp_path / "runs" / "two" / name.partition("+")[2] / "config.toml"
    config.write_text("seed =")
    after = index.summary("two")
    assert after.done == (before.done or 0) - 1
