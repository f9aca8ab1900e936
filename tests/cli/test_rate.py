"""`evolve rate`: figures that add up, and a folder to go on from; `evolve agents`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evolve.agents.calibration.ratings import ratings_of
from tests.cli import done, fails


def rate(*arguments: object) -> dict[str, Any]:
    document = done("rate", *arguments, "--json").document
    assert isinstance(document, dict)
    return document


def test_figures_add_up() -> None:
    found = rate("swh", "zero", "random", "--games", 20)
    assert found["rules"] == "standard"
    agents = found["agents"]
    assert sum(row["elo"] for row in agents) == pytest.approx(0, abs=1e-6)
    assert [row["wins"] + row["draws"] + row["losses"] for row in agents] == [40] * 3
    assert not [row for row in agents if not row["elo_low"] < row["elo"] < row["elo_high"]]
    means = [sum(found["cross"][row["agent"]].values()) / 2 for row in agents]
    assert [row["score"] for row in agents] == pytest.approx(means)
    assert [row["elo"] for row in agents] == sorted((r["elo"] for r in agents), reverse=True)
    assert agents[0]["agent"] == "swh"


def test_who_wins_everything_has_no_elo_but_a_lower_end() -> None:
    strong = "swh-mobility?depth=4&endgame=8"
    found = rate(strong, "random", "zero", "--games", 20, "--seed", 4)
    best = found["agents"][0]
    assert (best["score"], best["elo"], best["elo_high"]) == (1, None, None)
    assert best["elo_low"] > 0
    assert not found["comparable"]


def test_an_agent_file_that_changed_is_noticed() -> None:
    done("export", "swh", "-o", "a.json")
    rate("a.json", "zero", "--games", 4, "--out", "rated")
    document = json.loads(Path("a.json").read_text())
    document["parameters"]["mobility"] = [5]
    Path("a.json").write_text(json.dumps(document))
    assert "changed" in fails("rate", "a.json", "zero", "--games", 4, "--out", "rated")


def test_a_file_gets_the_ratings() -> None:
    tables, folders = ["x.CSV", "x.json", "x.txt", "x.parquet"], ["rating-0.2", "v1.beta"]
    for name in tables + folders:
        done("rate", "swh", "random", "--games=2", "--out", name)
    assert [Path(name).is_file() for name in tables] == [True] * 4
    assert [Path(name, "games").is_dir() for name in folders] == [True] * 2


def test_a_gauntlet_plays_the_anchors_alone(tmp_path: Path) -> None:
    anchors = ("--against=swh?depth=2", "--against=zero?depth=2")
    words = (*anchors, "--games=20", "--seed=2", "--out", tmp_path / "g")
    found = rate("swh-mobility", *words)
    assert found["cross"]["swh-mobility"].keys() == {"swh?depth=2", "zero?depth=2"}
    rows = {row["agent"]: row for row in found["agents"]}
    assert rows["swh?depth=2"]["elo"] + rows["zero?depth=2"]["elo"] == pytest.approx(0, abs=1e-6)
    assert rows["swh?depth=2"]["elo_low"] is None, "fixed"
    assert rows["swh-mobility"]["elo_low"] < rows["swh-mobility"]["elo"]
    more = rate("swh-mobility", "random", *words)
    again = {row["agent"]: row["elo"] for row in more["agents"]}
    assert "random" not in more["cross"]["swh-mobility"]
    assert {name: again[name] for name in rows} == {name: rows[name]["elo"] for name in rows}


def test_anchors_have_the_elo_that_is_given_or_that_of_the_ladder() -> None:
    given = rate("swh-mobility", "--against=swh", "--against=zero", "--elos=1200,900", "--games=20")
    assert [row["elo"] for row in given["agents"] if row["agent"] != "swh-mobility"] == [1200, 900]
    assert "swh" not in given["cross"]["zero"], "nothing to find out"
    rated = rate("zero", "--games=4", "--against=swh", "--against=random")["agents"]
    listed = {row["agent"]: row["elo"] for row in rated if row["agent"] != "zero"}
    assert listed == {name: ratings_of(name)["standard"].elo for name in ("swh", "random")}
