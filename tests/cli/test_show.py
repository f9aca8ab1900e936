"""`evolve show`: tables and agents, and that looking changes nothing; `evolve lineage`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest

import evolve
from tests.cli import QUICK, done, fails, misused, snapshot

COLUMNS = {
    "individuals": [
        "generation", "individual", "born", "origin", "parents", "score", "disc_difference",
        "games", "weights", "mobility", "depths", "endgame",
    ],
    "games": [
        "generation", "kind", "game", "black", "white", "opening", "moves", "discs_black",
        "discs_white", "winner", "plies", "nodes_black", "nodes_white", "reason",
    ],
    "generations": [
        "generation", "best", "best_score", "mean_score", "games", "panel_score", "panel_elo",
        "panel_elo_low", "panel_elo_high", "seconds",
    ],
}  # fmt: skip
"""Columns that others rely on, as DESIGN.md has them."""


ROWS = {"individuals": 18, "generations": 3}


each_table = pytest.mark.parametrize("table", ["generations", "individuals", "games"])


@each_table
def test_json_csv_and_tables_for_people_have_every_row(first: Path, table: str) -> None:
    words = ("show", first, "--table", table)
    rows = done(*words, "--format", "json").document
    text = io.StringIO(done(*words, "--format", "csv").out)
    columns = list(pd.read_csv(text, keep_default_na=False))
    assert len(rows) == ROWS.get(table, len(rows)) > 0
    assert text.getvalue().count("\n") == len(rows) + 1
    assert set(COLUMNS[table]) <= set(columns)
    assert list(rows[0]) == columns
    shown = done(*words)
    assert shown.lines[0].split()[0] == "generation"
    assert len(shown.lines) > 3
    frame = getattr(evolve.load_run(first), table).astype(object)
    for row, kept in zip(rows, frame.to_dict("records"), strict=True):
        for column, value in kept.items():
            missing = isinstance(value, float) and value != value
            assert row[column] == (None if missing else value), column


def test_generations_are_the_default_and_name_the_champion(first: Path) -> None:
    shown = done("show", first)
    assert shown == done("show", first, "--table", "generations")
    assert evolve.load_agent(first).name in shown.lines[-1]


def test_top_is_the_best_first(first: Path) -> None:
    every = evolve.load_run(first).individuals
    for options, generation in (((), 2), (("--generation", 1), 1)):
        among = every[every["generation"] == generation]["score"]
        words = ("show", first, "--table", "individuals", "--top", 4, *options)
        rows = done(*words, "--format", "json").document
        assert [row["score"] for row in rows] == sorted(among, reverse=True)[:4]
    rows = done("show", first, "--top", 2, "--format", "json").document
    panel = evolve.load_run(first).generations["panel_score"]
    assert [row["panel_score"] for row in rows] == pytest.approx(sorted(panel, reverse=True)[:2])


def test_generation_alone(first: Path) -> None:
    for table in ("individuals", "games", "generations"):
        arguments = ("show", first, "--table", table, "--generation", 1, "--format", "json")
        rows = done(*arguments).document
        assert {row["generation"] for row in rows} == {1}
    last = done("show", first, "--table", "games", "--generation", 2, "--format", "json").document
    assert {row["kind"] for row in last} >= {"fitness", "panel", "playoff"}


def test_a_generation_that_is_not_there(first: Path) -> None:
    for table in ("generations", "individuals", "games"):
        message = fails("show", first, "--table", table, "--generation", 9)
        assert "9" in message
        assert "0 to 2" in message


def test_a_table_that_a_run_does_not_have(first: Path) -> None:
    for table in ("trials", "metrics"):
        for style in ("table", "json"):
            said = fails("show", first, "--table", table, "--format", style)
            assert f"has no {table}; it has {', '.join(evolve.load_run(first).tables)}" in said


def test_an_agent_as_json(first: Path, tmp_path: Path) -> None:
    document = done("show", first / "champion.json", "--format", "json").document
    assert document == json.loads((first / "champion.json").read_text(encoding="utf-8"))
    done("show", "swh", "--format", "json", "-o", "swh.json")
    assert evolve.load_agent("swh.json") == evolve.load_agent("swh")
    assert "table" in misused("show", "swh", "--format", "csv")
    assert "table" in misused("show", "swh", "-o", "swh.csv")
    done("show", "swh", "-o", "other.json")
    assert evolve.load_agent("other.json") == evolve.load_agent("swh")
    assert "run" in misused("show", "swh", "--table", "games")


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("level-7", "level-7 · any rules · 7000 nodes a move · exact from"),
        ("patterns-standard?nodes=7000&depth=8", "7000 nodes a move · depth 8 at most · exact"),
        ("swh?mistakes=0.1", "10 % of its moves at random"),
        ("random", "random · any rules"),
    ],
)
def test_an_agent_that_no_file_could_hold_is_shown_as_well(agent: str, text: str) -> None:
    assert text in done("show", agent).out
    assert "file" in fails("show", agent, "--json")


def test_a_run_without_a_generation(copy: Path) -> None:
    for part in ("generations", "games"):
        for path in (copy / part).iterdir():
            path.unlink()
    (copy / "champion.json").unlink()
    for table in ("generations", "individuals", "games"):
        assert "no " + table in done("show", copy, "--table", table).out
        assert done("show", copy, "--table", table, "--format", "json").document == []
    done("compare", copy)
    assert "no champion yet" in fails("export", copy, "-o", "x.json")
    assert "no whole generation" in fails("plot", copy, "-o", "x.png")
    assert "none yet" in fails("show", copy, "--generation", 0)
    assert "none yet" in fails("replay", copy, "0")


@pytest.mark.slow
def test_looking_changes_nothing(copy: Path) -> None:
    before = snapshot(copy)
    for arguments in (
        ("show", copy),
        ("show", copy, "--table", "games"),
        ("show", copy / "champion.json"),
        ("compare", copy, copy),
        ("replay", copy, "1:1"),
        ("plot", copy, "-o", "x.png"),
        ("export", copy, "-o", "x.json"),
        ("match", copy, "zero", "--games", 2),
        ("runs", copy.parent),
    ):
        done(*arguments)
        assert snapshot(copy) == before


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lineage") / "run"
    done("run", *QUICK, "--generations=4", "--out", folder)
    return folder


def test_a_summary_of_the_champion(run: Path) -> None:
    said = done("lineage", run).out
    champion = json.loads((run / "champion.json").read_text())["provenance"]["individual"]
    opened = evolve.load_run(run)
    best = opened.generations["best"].iloc[-1]
    shown = champion if champion in set(opened.individuals["individual"]) else best
    words = f"{best}, the best of the last generation," if shown == best else shown
    assert said.startswith(f"{words} has ")
    assert "numbers arose in" in said
    assert "offspring that survived, by operator" in said


@pytest.mark.parametrize("table", ["ancestors", "genes", "operators"])
def test_tables(run: Path, table: str, tmp_path: Path) -> None:
    assert done("lineage", run, "0-1", "--table", table).out
    done("lineage", run, "0-1", "--table", table, "-o", tmp_path / "x.json")
    rows = json.loads((tmp_path / "x.json").read_text())
    done("lineage", run, "0-1", "--table", table, "-o", tmp_path / "x.csv")
    assert len((tmp_path / "x.csv").read_text().splitlines()) == len(rows) + 1
    if table == "ancestors":
        assert [row["individual"] for row in rows] == ["0-1"]


def test_a_picture(run: Path, tmp_path: Path) -> None:
    done("lineage", run, "-o", tmp_path / "x.svg")
    assert "<svg" in (tmp_path / "x.svg").read_text()


def test_wrong_usage(run: Path, tmp_path: Path) -> None:
    assert "has no individual '9-9'" in fails("lineage", run, "9-9")
    assert "leave out --table" in misused("lineage", run, "--table=genes", "-o", tmp_path / "x.png")
    assert "no such folder" in fails("lineage", tmp_path / "none")
