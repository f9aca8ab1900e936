"""Lists of runs: their order, what comes and goes, and what is damaged."""

from __future__ import annotations

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import evolve
from evolve.number_text import elo_text
from evolve.parsing import json_value
from evolve.service.folders import Folders
from evolve.service.index import Index
from evolve.tables.columns import without_nan
from evolve.terminal_text import plain
from tests.cli import done
from tests.service import Service
from tests.service.inside import App, crown


def test_a_run_is_served_whatever_its_name(local: App) -> None:
    names = {"my run", "Zoë", "it's", "a=b", "100%", "a%20b", "-x", "x,y"}
    for name in names:
        shutil.copytree(local.folders.run("small"), local.folders.runs / name)
    local.state.index.scan()
    assert names < {run["id"] for run in local.get("runs")["items"]}
    paths = {name: quote(name, safe="") for name in names}
    assert {local.get(f"runs/{path}")["id"] for path in paths.values()} == names
    assert {local.get(f"runs/{path}/generations")["total"] for path in paths.values()} == {3}
    agents = {name: local.get(f"agents/run:{path}")["id"] for name, path in paths.items()}
    assert agents == {name: f"run:{name}" for name in names}


def test_a_run_that_no_address_can_name_says_so(local: App) -> None:
    names = ("a:b", "what?", "a\\b", "two\nlines", "\u202eevil", "\udcff")
    for name in names:
        shutil.copytree(local.folders.run("small"), local.folders.runs / name)
    local.state.index.scan()
    runs = local.get("runs")["items"]
    assert {run["id"] for run in runs if "rename" in (run["problem"] or "")} == {*map(plain, names)}
    assert [run["id"] for run in runs if run["state"] != "damaged"] == ["small"]


def test_runs_stand_by_their_elo(runs: Path, tmp_path: Path, runner: asyncio.Runner) -> None:
    """Whatever their champions won of the play-offs; those that have no Elo come last."""
    strengths = {"a": (0.61, 310.0), "b": (0.58, 540.0), "c": (0.93, None), "d": (0.7, 120.0)}
    for name, (share, elo) in strengths.items():
        interval = {} if elo else {"elo_low": None, "elo_high": None}
        crown(runs / "small", tmp_path / "runs" / name, score=share, elo=elo, **interval)
    with App(tmp_path / "runs", runner) as app:
        found = app.get("runs?sort=-elo")["items"]
        assert [run["id"] for run in found] == ["b", "a", "d", "c"]
        assert [run["id"] for run in app.get("runs?sort=elo")["items"]] == ["d", "a", "b", "c"]
        rows = evolve.load_run(tmp_path / "runs" / "c").generations
        assert (found[-1]["elo"], found[-1]["elo_so_far"]) == (None, rows["rating"].iloc[-1])
        assert app.get("runs/c")["playoff_share"] == 0.93
        assert app.get("runs?sort=-score")["total"] == 4
        (app.folders.run("d") / "games/playoff.parquet").unlink()
        stopped = app.get("runs/d")
        keys = ("state", "elo", "playoff_share")
        assert [stopped[key] for key in keys] == ["stopped", None, None]


def test_a_run_says_what_its_elo_means(runs: Path, tmp_path: Path, runner: asyncio.Runner) -> None:
    weights = [list(range(at, at + 10)) for at in (0, 10, 20)]
    elo = {"elo": 624.0, "elo_low": 569.0, "elo_high": 679.0}
    crown(runs / "small", tmp_path / "runs" / "a", weights, **elo)
    with App(tmp_path / "runs", runner) as app:
        (run,) = app.get("runs")["items"]
        assert run["beats"] == "published champion, 4 plies"
        assert run["weights"] == list(range(10, 20))
        assert run["gain"] is None
        rungs = next(one["rungs"] for one in app.get("meta")["rules"] if one["name"] == "reversed")
        assert run["beats"] in [one["label"] for one in rungs]
        assert app.get("health")["elsewhere"] == 0


def test_a_run_has_one_summary_on_all_faces(each_kind: Path, runner: asyncio.Runner) -> None:
    """`runs --json`, Python, the lists of REST, one run there; and the text of the terminal."""
    listed = {Path(run.pop("run")).name: run for run in done("runs", each_kind, "--json").document}
    with App(each_kind, runner) as app:
        served = {run["id"]: run for run in app.get("runs")["items"]}
        alone = {name: app.get(f"runs/{name}") for name in listed}
    assert {"grid", "small", "swept", "taught"} <= served.keys() == listed.keys()
    assert "defaults" in alone["swept"]["verdict"]
    assert {"final.csv", "final.parquet"} <= {one["name"] for one in alone["swept"]["files"]}
    python = {name: evolve.summary(each_kind / name).model_dump() for name in listed}
    faces = [
        {name: {key: face[name][key] for key in listed[name]} for name in listed}
        for face in (served, alone, python)
    ]
    dates = [{name: run.pop("date") for name, run in face.items()} for face in (listed, *faces)]
    assert dates[1:] == [pytest.approx(dates[0], abs=1e-3)] * 3
    assert faces == [listed] * 3
    _, *lines = done("runs", each_kind).lines
    shown = {Path(line.split()[0]).name: line for line in lines}
    strengths = {
        name: f"{run['score']:.3f}"
        if run["elo"] is None
        else elo_text(run["elo"], run["elo_low"], run["elo_high"])
        for name, run in listed.items()
        if (run["elo"], run["score"]) != (None, None)
    }
    assert {"small", "swept", "taught"} <= strengths.keys()
    assert [text for name, text in strengths.items() if text not in shown[name]] == []


@pytest.mark.parametrize("name", ["small", "swept", "taught"])
def test_tables_are_equal_on_all_faces(each_kind: Path, runner: asyncio.Runner, name: str) -> None:
    """`show --json`, Python, and REST, for each table that is read whole.

    REST adds the search depths of each generation's best, which the page draws.
    """
    run: Any = evolve.load_run(each_kind / name)
    whole = [table.name for table in run.kind.tables if not table.generations]
    whole = [table for table in whole if table in run.tables]
    with App(each_kind, runner) as app:
        served = {table: app.get(f"runs/{name}/{table}")["items"] for table in whole}
    added = [row.pop("depths", None) for row in served.get("generations", ())]
    assert (len(added), None in added) == (3 if name == "small" else 0, False)
    assert [len(rows) > 0 for rows in served.values()] == [True] * len(whole)
    words = ("show", run.path, "--json", "--table")
    assert {table: done(*words, table).document for table in whole} == served
    frames = {table: without_nan(run.table(table)) for table in whole}
    assert {
        table: json_value(frame.to_dict("records")) for table, frame in frames.items()
    } == served


def test_runs_come_and_go(service: Service, runs: Path) -> None:
    with service.events() as events:
        shutil.copytree(runs / "small", runs / "copy", ignore=shutil.ignore_patterns(".lock"))
        come = next(one for one in events if one["event"] == "run")
        assert (come["data"]["id"], come["data"]["state"]) == ("copy", "done")
        assert service.client.delete("runs/copy").status_code == 204
        gone = next(one for one in events if one["event"] == "run")
        assert gone["data"] == {"id": "copy", "gone": True}
    assert not (runs / "copy").exists()
    service.get("runs/copy", 404)


def test_a_run_that_is_deleted_by_hand_is_missing_in_a_list_and_hides_no_other(local: App) -> None:
    shutil.copytree(local.folders.run("small"), local.folders.runs / "other")
    local.state.index.scan()
    shutil.rmtree(local.folders.run("small"))
    lists = [local.get(f"runs{query}")["items"] for query in ("", "?sort=-elo", "?kind=run")]
    assert [[run["id"] for run in found] for found in lists] == [["other"]] * 3


def test_changes_are_sent_after_a_run_is_deleted(
    local: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(local.state.events, "tell", lambda name, document: sent.append(document))
    folder = local.folders.runs
    shutil.copytree(folder / "small", folder / "copy", ignore=shutil.ignore_patterns(".lock"))
    assert local.ask("DELETE", "runs/small").status_code == 204
    gone, come = sent
    assert gone == {"id": "small", "gone": True}
    assert (come["id"], come["state"]) == ("copy", "done")


def test_an_older_scan_brings_no_deleted_run_back(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "small", tmp_path / "runs/a")
    index = Index(Folders(tmp_path / "runs"), lambda run: None)
    look = index._stamps_of

    def interrupted(*given: Any) -> Any:
        stamps = look(*given)
        patch.setattr(index, "_stamps_of", look)
        shutil.rmtree(tmp_path / "runs/a")
        wait([threads.submit(index.scan)], timeout=0.2)
        return stamps

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor() as threads:
        patch.setattr(index, "_stamps_of", interrupted)
        index.scan()
    assert index.names() == []
