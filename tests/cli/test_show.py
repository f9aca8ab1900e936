"""`evolve show`: tables and agents, and that looking changes nothing; `evolve lineage`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pytest

import evolve
from tests.cli import done, fails, misused, snapshot

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
    assert [{column: row[column] for column in frame} for row in rows] == [
        {
            column: None if isinstance(value, float) and value != value else value
            for column, value in kept.items()
        }
        for kept in frame.to_dict("records")
    ]


@pytest.mark.parametrize(("options", "generation"), [((), 2), (("--generation", 1), 1)])
def test_top_is_the_best_first(first: Path, options: tuple[object, ...], generation: int) -> None:
    every = evolve.load_run(first).individuals
    among = every[every["generation"] == generation]["score"]
    words = ("show", first, "--table", "individuals", "--top", 4, *options)
    rows = done(*words, "--format", "json").document
    assert [row["score"] for row in rows] == sorted(among, reverse=True)[:4]
    rows = done("show", first, "--top", 2, "--format", "json").document
    panel = evolve.load_run(first).generations["panel_score"]
    assert [row["panel_score"] for row in rows] == pytest.approx(sorted(panel, reverse=True)[:2])


@pytest.mark.parametrize("table", ["individuals", "games", "generations"])
def test_generation_alone(first: Path, table: str) -> None:
    arguments = ("show", first, "--table", table, "--generation", 1, "--format", "json")
    rows = done(*arguments).document
    assert {row["generation"] for row in rows} == {1}
    last = done("show", first, "--table", "games", "--generation", 2, "--format", "json").document
    assert {row["kind"] for row in last} >= {"fitness", "panel", "playoff"}


def test_an_agent_as_json(first: Path) -> None:
    document = done("show", first / "champion.json", "--format", "json").document
    assert document == json.loads((first / "champion.json").read_text(encoding="utf-8"))
    done("show", "swh", "--format", "json", "-o", "swh.json")
    assert evolve.load_agent("swh.json") == evolve.load_agent("swh")
    assert "table" in misused("show", "swh", "--format", "csv")
    assert "table" in misused("show", "swh", "-o", "swh.csv")
    done("show", "swh", "-o", "other.json")
    assert evolve.load_agent("other.json") == evolve.load_agent("swh")
    assert "run" in misused("show", "swh", "--table", "games")


def test_a_run_without_a_generation(copy: Path) -> None:
    for part in ("generations", "games"):
        for path in (copy / part).iterdir():
            path.unlink()
    (copy / "champion.json").unlink()
    names = ("generations", "individuals", "games")
    rows = [done("show", copy, "--table", name, "--format", "json").document for name in names]
    assert rows == [[]] * 3
    done("compare", copy)
    fails("export", copy, "-o", "x.json")
    assert "generation" in fails("plot", copy, "-o", "x.png")
    assert "none" in fails("show", copy, "--generation", 0)
    assert "none" in fails("replay", copy, "0")


@pytest.mark.slow
def test_looking_changes_nothing(copy: Path) -> None:
    before = snapshot(copy)
    changed = []
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
        changed += [arguments] * (snapshot(copy) != before)
    assert not changed


@pytest.mark.parametrize("table", ["ancestors", "genes", "operators"])
def test_tables_of_a_lineage(quick: Path, table: str) -> None:
    words = ("lineage", quick, "0-1", "--table", table)
    assert done(*words).out
    for name in ("x.json", "x.csv"):
        done(*words, "-o", name)
    rows = json.loads(Path("x.json").read_text())
    assert len(Path("x.csv").read_text().splitlines()) == len(rows) + 1
    if table == "ancestors":
        assert [row["individual"] for row in rows] == ["0-1"]


def test_a_picture_of_a_lineage(quick: Path) -> None:
    done("lineage", quick, "-o", "x.svg")
    assert "<svg" in Path("x.svg").read_text()
