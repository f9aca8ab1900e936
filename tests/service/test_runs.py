"""Runs over REST: what they say is what is in the folder."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

import evolve
from evolve.records.ggf import parse_ggf
from tests.cli import done
from tests.service import Service
from tests.service.inside import App


def test_a_list_of_runs(service: Service) -> None:
    found = service.get("runs")
    (run,) = (one for one in found["items"] if one["id"] == "small")
    assert (run["state"], run["done"], run["target"], run["unit"]) == ("done", 3, 3, "generations")
    assert run["elo_low"] < run["elo"] < run["elo_high"]
    assert (run["elo_so_far"], run["score"]) == (None, None)
    assert "playoff_share" not in run
    assert run["share"] == 1.0
    assert len(run["curve"]) == 3


def test_runs_that_differ_in_their_seeds_are_one_setting(runs: Path, tmp_path: Path) -> None:
    """By the numbers of the command line; runs without such others say nothing."""
    for name, seed, changed in (("a", 0, ""), ("b", 1, ""), ("c", 0, "blend"), ("d", 7, "")):
        folder = Path(shutil.copytree(runs / "small", tmp_path / "runs" / name))
        text = (folder / "config.toml").read_text().replace("seed = 0", f"seed = {seed}")
        if changed:
            text = text.replace(f'crossover = "{changed}"', 'crossover = "uniform"')
        (folder / "config.toml").write_text(text)
        champion = json.loads((folder / "champion.json").read_text())
        champion["provenance"]["elo"] += 10 * seed
        (folder / "champion.json").write_text(json.dumps(champion))
    folders = [tmp_path / "runs" / name for name in "abc"]
    told = done("compare", *folders, "-o", tmp_path / "x.json")
    with asyncio.Runner() as runner, App(tmp_path / "runs", runner) as app:
        found = app.get("seeds?run=a&run=b&run=c")["items"]
        assert found == json.loads((tmp_path / "x.json").read_text()), told.out
        setting, other, difference = found
        assert (setting["seeds"], other["seeds"], difference["seeds"]) == (2, 1, 1)
        assert setting["mean"] - other["mean"] == 5.0
        assert app.get("seeds?run=a&run=b&run=d")["items"][0]["seeds"] == 3
        assert app.get("seeds?run=a&run=b&run=a")["items"][0]["seeds"] == 2
        assert app.get("seeds?run=a&run=c")["items"] == []
        assert app.get("seeds?run=a")["items"] == []
        assert app.ask("GET", "seeds?run=a&run=nobody").status_code == 404


@pytest.mark.parametrize("query", ["q=nothing", "kind=train", "rules=standard", "state=running"])
def test_what_is_not_asked_for_is_left_out(service: Service, query: str) -> None:
    assert service.get(f"runs?{query}")["items"] == []


@pytest.mark.parametrize("sort", ["date", "-date", "name", "-elo", "-score", "share"])
def test_orders_of_runs(service: Service, sort: str) -> None:
    assert service.get(f"runs?sort={sort}&q=SMALL")["total"] == 1


def test_runs_stand_in_the_order_of_their_elo(runs: Path, tmp_path: Path) -> None:
    """Whatever their champions won of the play-offs; those that have no Elo come last."""
    strengths = {"a": (0.61, 310.0), "b": (0.58, 540.0), "c": (0.93, None), "d": (0.7, 120.0)}
    for name, (share, elo) in strengths.items():
        folder = Path(shutil.copytree(runs / "small", tmp_path / "runs" / name))
        champion = json.loads((folder / "champion.json").read_text())
        champion["provenance"] |= {"score": share, "elo": elo}
        if elo is None:
            for key in ("elo", "elo_low", "elo_high"):
                del champion["provenance"][key]
        (folder / "champion.json").write_text(json.dumps(champion))
    with asyncio.Runner() as runner, App(tmp_path / "runs", runner) as app:
        found = app.get("runs?sort=-elo")["items"]
        assert [run["id"] for run in found] == ["b", "a", "d", "c"]
        assert [run["id"] for run in app.get("runs?sort=elo")["items"]] == ["d", "a", "b", "c"]
        rows = evolve.load_run(tmp_path / "runs" / "c").generations
        assert (found[-1]["elo"], found[-1]["elo_so_far"]) == (None, rows["rating"].iloc[-1])
        assert app.get("runs/c")["playoff_share"] == 0.93
        assert app.get("runs?sort=-score")["total"] == 4
        (app.place.run("d") / "games/playoff.parquet").unlink()
        stopped = app.get("runs/d")
        assert [stopped[key] for key in ("state", "elo", "playoff_share")] == [
            "stopped",
            None,
            None,
        ]


def test_a_run(service: Service, runs: Path) -> None:
    found = service.get("runs/small")
    assert found["settings"]["population"] == 8
    assert {"population", "generations"} <= set(found["changed"])
    assert "rules" not in found["changed"]
    assert found["tables"] == ["generations", "individuals", "games"]
    assert found["agent"] == "run:small"
    assert found["playoff_share_low"] < found["playoff_share"] < found["playoff_share_high"]
    assert found["changes"][0]["name"] == "generations"


def test_tables_are_those_of_python(service: Service, runs: Path) -> None:
    run = evolve.load_run(runs / "small")
    rows = service.get("runs/small/generations")["items"]
    assert [row["best"] for row in rows] == list(run.generations["best"])
    assert [row["panel_score"] for row in rows] == pytest.approx(
        list(run.generations["panel_score"])
    )
    individuals, games = run.generation(1)
    page = service.get("runs/small/generations/1/individuals?limit=500")
    assert page["total"] == len(individuals)
    assert {row["individual"] for row in page["items"]} == set(individuals["individual"])
    scores = [row["score"] for row in page["items"]]
    assert scores == sorted(scores, reverse=True)
    for row in page["items"]:
        (mine,) = individuals[individuals["individual"] == row["individual"]].to_dict("records")
        assert row["weights"] == list(mine["weights"])
        assert row["parents"] == list(mine["parents"])
    listed = service.get("runs/small/generations/1/games?limit=500")
    assert listed["total"] == len(games)
    assert [game["moves"] for game in listed["items"]] == list(games["moves"])


def test_pages_hold_each_row_once(service: Service) -> None:
    rows, after = [], ""
    while True:
        page = service.get(f"runs/small/generations/1/games?limit=7{after}")
        assert len(page["items"]) <= 7
        rows += [game["id"] for game in page["items"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert len(rows) == len(set(rows)) == page["total"]


def test_points_are_thinned_evenly_with_both_ends(service: Service) -> None:
    rows = service.get("runs/small/generations?points=2")["items"]
    assert [row["generation"] for row in rows] == [0, 2]
    rows = service.get("runs/small/generations?since=1&limit=1")["items"]
    assert [row["generation"] for row in rows] == [1]


def test_games_by_what_they_are(service: Service) -> None:
    some = service.get("runs/small/generations/0/games?limit=500")["items"]
    name = some[0]["black"]
    found = service.get(f"runs/small/generations/0/games?individual={name}&limit=500")["items"]
    assert found == [game for game in some if name in (game["black"], game["white"])]
    won = service.get("runs/small/generations/0/games?winner=black&limit=500")["items"]
    assert won == [game for game in some if game["winner"] == "black"]
    upsets = service.get("runs/small/generations/0/games?sort=-upset&limit=500")["items"]
    told = [game["upset"] for game in upsets if game["upset"] is not None]
    assert told == sorted(told, reverse=True)
    assert len(told) > 10
    one = service.get(f"runs/small/games/{upsets[0]['id']}")
    assert one == upsets[0]


def test_a_cross_table_is_the_scores(service: Service, runs: Path) -> None:
    individuals, _ = evolve.load_run(runs / "small").generation(2)
    score = dict(zip(individuals["individual"], individuals["score"], strict=True))
    table = service.get("runs/small/generations/2/crosstable")
    assert set(table["individuals"]) == set(score)
    for name, total, row in zip(
        table["individuals"], table["totals"], table["scores"], strict=True
    ):
        assert total == pytest.approx(score[name], abs=1e-4)
        assert [share for share in row if share is None] == [None]
    playoff = service.get("runs/small/generations/playoff/crosstable")
    assert len(playoff["individuals"]) >= 2


def test_ancestors(service: Service, runs: Path) -> None:
    frame = evolve.load_run(runs / "small").individuals.drop_duplicates("individual")
    parents = {row.individual: list(row.parents) for row in frame.itertuples()}
    child = next(name for name, of in reversed(parents.items()) if of)
    found = service.get(f"runs/small/lineage/{child}")
    assert found["items"][0]["individual"] == child
    for node in found["items"]:
        assert node["parents"] == parents[node["individual"]]
    near = service.get(f"runs/small/lineage/{child}?depth=0")
    assert (len(near["items"]), near["complete"]) == (1, False)


def test_what_never_changes_is_not_sent_twice(service: Service) -> None:
    for path in ("generations/1/games", "generations/1/crosstable", "generations"):
        first = service.client.get(f"runs/small/{path}")
        again = service.client.get(
            f"runs/small/{path}", headers={"If-None-Match": first.headers["etag"]}
        )
        assert (again.status_code, again.content) == (304, b"")
        assert ("immutable" in first.headers["cache-control"]) == (path != "generations")


@pytest.mark.parametrize(
    "path",
    [
        "runs/none",
        "runs/..%2f..%2fetc",
        "runs/small/generations/9/games",
        "runs/small/games/0:99999",
        "runs/small/lineage/9-9",
        "runs/small/importances",
        "runs/small/files/config.toml",
        "runs/small/files/..%2fconfig.toml",
        "runs/small/individuals/9-9",
        "runs/small/individuals/mean-39",
        "runs/small/final",
        "runs/small/metrics",
        "runs/a b",
        "runs/small/x",
        "jobs/nonsense",
        "plays/zzz",
        "nothing",
    ],
)
def test_what_is_not_there(service: Service, path: str) -> None:
    answer = service.client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == 404
    assert "pattern" not in answer.json()["detail"]
    assert str(service.runs) not in answer.json()["detail"]


@pytest.mark.parametrize("path", ["runs?after=x", "runs?limit=0", "runs?sort=x"])
def test_what_is_asked_wrongly(service: Service, path: str) -> None:
    found = service.get(path, 422)
    assert found["detail"]


def test_the_champion_as_python(service: Service, runs: Path) -> None:
    answer = service.client.get("runs/small/files/agent.py")
    assert answer.status_code == 200
    names: dict[str, object] = {}
    exec(answer.text, names)  # it is ours
    assert callable(names["AI"])
    assert names["SECONDS"] == 4.5, "it goes by the clock"
    assert not list((runs / ".service/tmp").iterdir())


@pytest.mark.slow
def test_files_of_a_run(service: Service, runs: Path, tmp_path: Path) -> None:
    run = evolve.load_run(runs / "small")
    files = {one["name"]: one["href"] for one in service.get("runs/small")["files"]}
    assert {"champion.json", "agent.py", "games.csv", "games.parquet", "games.ggf"} <= set(files)
    got = {name: service.client.get(href) for name, href in files.items()}
    for name, answer in got.items():
        assert answer.status_code == 200, name
        assert f'filename="small-{name}"' in answer.headers["content-disposition"]
    assert got["champion.json"].content == (runs / "small/champion.json").read_bytes()
    assert len(got["games.csv"].text.splitlines()) == len(run.games) + 1
    (tmp_path / "games.parquet").write_bytes(got["games.parquet"].content)
    import pandas as pd

    assert len(pd.read_parquet(tmp_path / "games.parquet")) == len(run.games)
    assert got["games.ggf"].text.count("(;") == len(run.games)
    rules = run.config["rules"]
    (tmp_path / "games.csv").write_text(got["games.csv"].text)
    assert set(pd.read_csv(tmp_path / "games.csv")["rules"]) == {rules}
    assert {record.rules for record in parse_ggf(got["games.ggf"].text)} == {rules}
    assert not list((runs / ".service/tmp").iterdir())


def test_runs_come_and_go(service: Service, runs: Path) -> None:
    with service.events() as events:
        assert next(events)["event"] == "hello"
        shutil.copytree(runs / "small", runs / "copy", ignore=shutil.ignore_patterns(".lock"))
        come = next(one for one in events if one["event"] == "run")
        assert (come["data"]["id"], come["data"]["state"]) == ("copy", "done")
        assert service.client.delete("runs/copy").status_code == 204
        gone = next(one for one in events if one["event"] == "run")
        assert gone["data"] == {"id": "copy", "gone": True}
    assert not (runs / "copy").exists()
    service.get("runs/copy", 404)


def test_a_damaged_run_is_told(service: Service, runs: Path) -> None:
    shutil.copytree(runs / "small", runs / "bad")
    try:
        (runs / "bad/config.toml").write_text("this is no TOML")
        found = service.get("runs/bad")
        assert found["state"] == "damaged"
        assert "TOML" in found["problem"] or "damaged" in found["problem"]
    finally:
        shutil.rmtree(runs / "bad")


def test_a_link_is_not_deleted_through(service: Service, runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "small", tmp_path / "elsewhere")
    (runs / "link").symlink_to(tmp_path / "elsewhere")
    try:
        assert service.client.delete("runs/link").status_code == 409
        assert (tmp_path / "elsewhere/config.toml").exists()
    finally:
        (runs / "link").unlink()
