"""`evolve rate`: figures that add up, and a folder to go on from; `evolve agents`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evolve.agents.calibration.ratings import RATINGS, ratings_of
from tests.cli import done, fails, misused


def rate(*arguments: object) -> dict[str, Any]:
    document = done("rate", *arguments, "--json").document
    assert isinstance(document, dict)
    return document


def test_figures_add_up() -> None:
    found = rate("swh", "zero", "random", "--games", 20)
    assert found["rules"] == "standard"
    agents = found["agents"]
    assert {"agent", "elo", "elo_low", "elo_high", "score", "games"} <= set(agents[0])
    assert sum(row["elo"] for row in agents) == pytest.approx(0, abs=1e-6)
    assert sum(row["score"] for row in agents) == pytest.approx(1.5)
    assert [row["games"] for row in agents] == [40] * 3
    assert [row["wins"] + row["draws"] + row["losses"] for row in agents] == [40] * 3
    assert not [row for row in agents if not row["elo_low"] < row["elo"] < row["elo_high"]]
    means = [sum(found["cross"][row["agent"]].values()) / 2 for row in agents]
    assert [row["score"] for row in agents] == pytest.approx(means)
    assert [row["elo"] for row in agents] == sorted((r["elo"] for r in agents), reverse=True)
    assert agents[0]["agent"] == "swh"


def test_who_wins_everything_has_no_elo_but_a_lower_end() -> None:
    strong, seed = "swh-mobility?depth=4&endgame=8", 4
    found = rate(strong, "random", "zero", "--games", 20, "--seed", seed)
    best = found["agents"][0]
    assert best["score"] == 1
    assert best["elo"] is best["elo_high"] is None
    assert best["elo_low"] > 0
    assert not found["comparable"]


def test_an_agent_file_that_changed_is_noticed() -> None:
    done("export", "swh", "-o", "a.json")
    rate("a.json", "zero", "--games", 4, "--out", "rated")
    document = json.loads(Path("a.json").read_text())
    document["parameters"]["mobility"] = [5]
    Path("a.json").write_text(json.dumps(document))
    assert "changed" in fails("rate", "a.json", "zero", "--games", 4, "--out", "rated")


def test_damaged_files_are_named() -> None:
    words = ("swh", "zero", "--games", 4, "--out", "rated")
    rate(*words)
    whole = Path("rated/rating.json").read_text()
    said = []
    for text in ("{", "[]", '{"agents": null}', '{"agents": [1]}'):
        Path("rated/rating.json").write_text(text)
        said.append(fails("rate", *words))
    assert not [line for line in said if "rating.json" not in line]
    Path("rated/rating.json").write_text(whole)
    Path("rated/games/pair-000-001.parquet").write_bytes(b"nothing")
    assert "pair-000-001.parquet" in fails("rate", *words)


def test_a_file_gets_the_ratings() -> None:
    words = ("rate", "swh", "random", "--games=2", "--out")
    names = [Path(name) for name in ("x.CSV", "x.json", "x.txt", "x.parquet")]
    for name in names:
        done(*words, name)
    assert [name.is_file() for name in names] == [True] * 4
    folders = [Path("rating-0.2"), Path("v1.beta")]
    for name in folders:
        done(*words, name)
    assert [(name / "games").is_dir() for name in folders] == [True] * 2


def test_a_gauntlet_plays_the_anchors_alone(tmp_path: Path) -> None:
    words = (
        "--against=swh?depth=2",
        "--against=zero?depth=2",
        "--games=20",
        "--seed=2",
        "--out",
        tmp_path / "g",
    )
    found = rate("swh-mobility", *words)
    assert found["cross"]["swh-mobility"].keys() == {"swh?depth=2", "zero?depth=2"}
    rows = {row["agent"]: row for row in found["agents"]}
    assert rows["swh?depth=2"]["elo"] + rows["zero?depth=2"]["elo"] == pytest.approx(0, abs=1e-6)
    assert rows["swh?depth=2"]["elo_low"] is None, "fixed"
    assert rows["swh-mobility"]["elo_low"] < rows["swh-mobility"]["elo"]
    more = rate("swh-mobility", "random", *words)
    again = {row["agent"]: row for row in more["agents"]}
    assert "random" not in more["cross"]["swh-mobility"]
    names = ("swh?depth=2", "zero?depth=2")
    assert [again[name]["elo"] for name in names] == [rows[name]["elo"] for name in names]
    assert again["swh-mobility"]["elo"] == rows["swh-mobility"]["elo"]
    assert "positional" not in str(more)


def test_anchors_have_the_elo_that_is_given_or_that_of_the_ladder() -> None:
    given = rate("swh-mobility", "--against=swh", "--against=zero", "--elos=1200,900", "--games=20")
    assert [row["elo"] for row in given["agents"] if row["agent"] != "swh-mobility"] == [1200, 900]
    assert "swh" not in given["cross"]["zero"], "nothing to find out"
    rated = rate("zero", "--games=4", "--against=swh", "--against=random")["agents"]
    listed = {row["agent"]: row["elo"] for row in rated if row["agent"] != "zero"}
    assert listed == {name: ratings_of(name)["standard"].elo for name in ("swh", "random")}


def test_a_gauntlet_goes_on_with_the_same_anchors_alone(tmp_path: Path) -> None:
    words = ("rate", "zero", "--games=4", "--out", tmp_path / "g")
    done(*words, "--against=swh", "--against=swh-mobility")
    assert "agents," in fails(*words, "--against=swh", "--against=random")
    same = ("--against=swh", "--against=swh-mobility")
    assert "anchors," in fails(*words, *same, "--elos=1,2")
    assert "agents," in fails("rate", "zero", "swh", "--games=4", "--out", tmp_path / "g")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--against", "swh"), "name the AGENTS that play them before --against"),
        (("zero", "--against", "swh", "--elos=1,2"), "2 numbers, and 1 agents in --against"),
        (("zero", "swh", "--elos=1,2"), "2 numbers, and 0 agents"),
        (("zero",), "name two AGENTS"),
    ],
)
def test_gauntlets_that_cannot_be(words: tuple[str, ...], said: str) -> None:
    assert said in misused("rate", *words)


def test_agents_are_listed_from_the_weakest_on() -> None:
    said = done("agents")
    assert said.lines[0] == "standard (most discs wins), Elo 0 is swh"
    assert len(said.lines) == 2 + len(RATINGS["standard"])
    assert said.lines[2].startswith("random")
    assert "patterns-standard?nodes=16000000" in said.lines[-1]
    assert done("agents", "--rules", "reversed").lines[0].startswith("reversed (fewest discs")


def test_the_document_has_every_figure() -> None:
    found = json.loads(done("agents", "--rules", "reversed", "--json").out)
    assert found["rules"] == "reversed"
    rows = {row["agent"]: row for row in found["agents"]}
    assert rows["anti-swh-mobility"]["elo"] == 0
    assert rows["level-2"]["step"] == RATINGS["reversed"]["level-2"].step
    assert rows["level-2"]["plays"].startswith("patterns-reversed?")
    assert rows["random"]["step"] is None
    assert [row["elo"] for row in found["agents"]] == sorted(row["elo"] for row in rows.values())
