"""Runs over REST: what they say is what is in the folder."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

import pytest

import evolve
from evolve.config.sweep import ProgramSweepSettings
from evolve.config.toml import config_text
from evolve.evolution.lineage import Lineage
from evolve.evolution.tables import elos_at_birth, main_line
from evolve.parsing import json_value
from evolve.service.api.welcome import ARCHIVE
from evolve.sweeps.scatter import scatter_of
from tests.service import Service
from tests.service.inside import App
from tests.service.test_page import sweep_in


@pytest.fixture
def app(tmp_path: Path, runner: asyncio.Runner) -> Iterator[App]:
    with App(tmp_path / "runs", runner) as opened:
        yield opened


def test_a_list_of_runs(service: Service) -> None:
    (run,) = (one for one in service.get("runs")["items"] if one["id"] == "small")
    assert (run["state"], run["done"], run["target"], run["unit"]) == ("done", 3, 3, "generations")
    assert (run["elo_so_far"], run["score"], run["share"]) == (None, None, 1.0)
    assert run["elo_low"] < run["elo"] < run["elo_high"]
    assert "playoff_share" not in run
    assert len(run["curve"]) == 3


@pytest.mark.parametrize("limit", [1, 7, 500])
def test_pages_hold_each_row_once(service: Service, limit: int) -> None:
    pages, after = list[list[str]](), ""
    while after is not None and len(pages) < 500:
        page = service.get(f"runs/small/generations/1/games?limit={limit}{after}")
        pages.append([game["id"] for game in page["items"]])
        after = page["next"] and f"&after={page['next']}"
    assert [len(games) for games in pages[:-1]] == [limit] * (len(pages) - 1)
    assert 0 < len(pages[-1]) <= limit
    assert len({game for games in pages for game in games}) == sum(map(len, pages)) == page["total"]
    page = service.get(f"runs/small/generations/1/games?limit={limit}&after=9999")
    assert (page["items"], page["next"]) == ([], None)


def test_points_are_thinned_evenly_with_both_ends(service: Service) -> None:
    rows = service.get("runs/small/generations?points=2")["items"]
    assert [row["generation"] for row in rows] == [0, 2]
    rows = service.get("runs/small/generations?since=1&limit=1")["items"]
    assert [row["generation"] for row in rows] == [1]


def test_what_is_not_asked_for_is_left_out(service: Service) -> None:
    queries = ("q=nothing", "kind=train", "rules=standard", "state=running")
    assert [service.get(f"runs?{query}")["items"] for query in queries] == [[]] * 4


def test_a_run(service: Service) -> None:
    found = service.get("runs/small")
    assert (found["agent"], found["settings"]["population"]) == ("run:small", 8)
    assert {"population", "generations"} <= {*found["changed"]} - {"rules"} == {*found["changed"]}
    assert found["tables"] == ["generations", "individuals", "games"]
    assert found["playoff_share_low"] < found["playoff_share"] < found["playoff_share_high"]
    assert found["changes"][0]["name"] == "generations"


def test_tables_are_those_of_python(service: Service, runs: Path) -> None:
    run = evolve.load_run(runs / "small")
    individuals, games = run.generation(1)
    page = service.get("runs/small/generations/1/individuals?limit=500")
    scores = [row["score"] for row in page["items"]]
    assert scores == sorted(scores, reverse=True)
    columns = ["individual", "weights", "parents"]
    mine = individuals.sort_values("individual")[columns].to_dict("records")
    rows = sorted(page["items"], key=lambda row: row["individual"])
    assert [{name: row[name] for name in columns} for row in rows] == [
        {name: value if name == "individual" else [*value] for name, value in row.items()}
        for row in mine
    ]
    listed = service.get("runs/small/generations/1/games?limit=500")
    assert listed["total"] == len(games)
    assert [game["moves"] for game in listed["items"]] == list(games["moves"])


@pytest.mark.parametrize(
    "path",
    [
        "runs/none", "runs/small/generations/9/games", "runs/small/games/0:99999",
        "runs/small/lineage/9-9", "runs/small/scatter", "runs/small/files/config.toml",
        "runs/small/individuals/9-9", "runs/small/individuals/mean-39", "runs/small/final",
        "runs/small/metrics", "runs/a b", "runs/small/x", "jobs/nonsense", "plays/zzz", "nothing",
    ],
)  # fmt: skip
def test_what_is_not_there(service: Service, path: str) -> None:
    answer = service.client.get(path)
    problem = answer.json()
    assert (answer.status_code, problem["status"]) == (404, 404)
    assert answer.headers["content-type"] == "application/problem+json"
    assert not re.search(f"pattern|{service.runs}", problem["detail"])


def test_what_is_asked_wrongly(service: Service) -> None:
    wrong = ("runs?after=x", "runs?limit=0", "runs?sort=x", "runs?sort=--name")
    games = "runs/small/generations/0/games?sort=--upset"
    assert all(service.get(path, 422)["detail"] for path in (*wrong, games))


def test_a_damaged_file_is_named_from_that_folder(tmp_path: Path, runner: asyncio.Runner) -> None:
    (tmp_path / "runs/s").mkdir(parents=True)
    (tmp_path / "runs/s/config.toml").write_text('command = "sweep alphabeta"')
    with App(tmp_path / "runs", runner) as app:
        said = app.get("runs/s/trials", 422)["detail"]
    assert said == "s/config.toml is damaged: it has no rules, seed"


def test_a_sweep_has_the_scatter_of_python_and_another_begins_from_it(app: App) -> None:
    folder = app.folders.runs / "one"
    sweep_in(folder)
    found = app.get("runs/one/scatter")
    assert [one["name"] for one in found["settings"]] == ["endgame", "mobility.0"]
    assert found == json_value(asdict(scatter_of(folder)))
    assert (found["winner"], found["defaults"], found["note"]) == (9, 0, "")
    asked = {"settings": {"start_from": "run:one"}}
    line = app.post("commands/sweep alphabeta/check", asked, 200)["line"]
    assert "--start-from runs/one" in line
    settings = ProgramSweepSettings(program="gtp:x {a:1:9}", sampler="spsa")
    text = config_text(settings, {"evolve": "0"}, "sweep program")
    (folder / "config.toml").write_text(text)
    assert {"program", "sampler"} <= {*app.get("runs/one")["changed"]}, "what a form repeats"


def test_games_by_what_they_are(service: Service) -> None:
    some = service.get("runs/small/generations/0/games?limit=500")["items"]
    name = some[0]["black"]
    found = service.get(f"runs/small/generations/0/games?individual={name}&limit=500")["items"]
    assert found == [game for game in some if name in (game["black"], game["white"])]
    won = service.get("runs/small/generations/0/games?winner=black&limit=500")["items"]
    assert won == [game for game in some if game["winner"] == "black"]
    games = service.get("runs/small/generations/0/games?sort=-upset&limit=500")["items"]
    upsets = [game["upset"] for game in games if game["upset"] is not None]
    assert upsets == sorted(upsets, reverse=True)
    assert len(upsets) > 10
    assert service.get(f"runs/small/games/{games[0]['id']}") == games[0]


def test_a_cross_table_is_the_scores(service: Service, runs: Path) -> None:
    individuals, _ = evolve.load_run(runs / "small").generation(2)
    score = dict(zip(individuals["individual"], individuals["score"], strict=True))
    table = service.get("runs/small/generations/2/crosstable")
    assert set(table["individuals"]) == set(score)
    totals = dict(zip(table["individuals"], table["totals"], strict=True))
    assert totals == pytest.approx(score, abs=1e-4)
    assert [row.count(None) for row in table["scores"]] == [1] * len(score)
    playoff = service.get("runs/small/generations/playoff/crosstable")
    assert len(playoff["individuals"]) >= 2


@pytest.mark.slow
def test_ancestors(service: Service, runs: Path) -> None:
    frame = evolve.load_run(runs / "small").individuals.drop_duplicates("individual")
    parents = {row.individual: list(row.parents) for row in frame.itertuples()}
    child = next(name for name, of in reversed(parents.items()) if of)
    nodes = service.get(f"runs/small/lineage/{child}")["items"]
    assert nodes[0]["individual"] == child
    assert [node["parents"] for node in nodes] == [parents[node["individual"]] for node in nodes]
    near = service.get(f"runs/small/lineage/{child}?depth=0")
    assert (len(near["items"]), near["complete"]) == (1, False)
    run = evolve.load_run(runs / "small")
    births = {name: Lineage(run).births[name] for name in (node["individual"] for node in nodes)}
    line = [node["individual"] for node in nodes if node["main"]]
    assert {*line} == {*main_line(births, child)}
    assert {node["individual"]: node["elo"] for node in nodes} == pytest.approx(
        elos_at_birth(run, births)
    )


def test_caches_keep_what_never_changes(service: Service) -> None:
    paths = ("generations/1/games", "generations/1/crosstable", "generations")
    answers = [service.client.get(f"runs/small/{path}").headers for path in paths]
    kept = ["immutable" in headers.get("cache-control", "") for headers in answers]
    assert kept == [True, True, False]


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
    shown = app.get("welcome")["run"]
    first, again = (app.post("welcome/example", {}, 201) for _ in range(2))
    assert first == again == {**shown, "date": first["date"]}
    assert app.get("runs")["total"] == 1
    found = evolve.load_run(app.folders.run("example"))
    assert len(found.generations) == shown["target"] == 12
    assert len(found.individuals) == 12 * 16
    assert app.get("runs/example/generations/playoff/games?limit=1")["items"][0]["winner"]
    app.delete("runs/example")
    assert app.get("runs")["total"] == 0


def test_the_example_leaves_a_name_that_a_job_has(app: App) -> None:
    asked = {"command": "run", "settings": {"generations": 2}, "name": "example"}
    app.post("jobs", asked, 202)
    app.post("welcome/example", {}, 409)
    assert list(app.folders.run("example").iterdir()) == []
