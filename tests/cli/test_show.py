"""`evolve show`: tables and agents, and that looking changes nothing; `evolve lineage`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from tests.cli import done, fails, misused, snapshot

ROWS = {"individuals": 18, "generations": 3}
each_table = pytest.mark.parametrize("table", ["generations", "individuals", "games"])


@each_table
def test_json_csv_and_tables_for_people_have_every_row(first: Path, table: str) -> None:
    words = ("show", first, "--table", table)
    rows = done(*words, "--format", "json").document
    lines = done(*words, "--format", "csv").lines
    assert len(rows) == ROWS.get(table, len(rows)) == len(lines) - 1 > 0
    assert list(rows[0]) == lines[0].split(",")
    shown = done(*words)
    assert shown.lines[0].split()[0] == "generation"
    assert len(shown.lines) > 3
    frame = getattr(evolve.load_run(first), table).astype(object)
    assert [{column: row[column] for column in frame} for row in rows] == frame.where(
        frame.notna(), None
    ).to_dict("records")


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


@each_table
def test_generation_alone(first: Path, table: str) -> None:
    words = ("show", first, "--table", table, "--generation", 2, "--format", "json")
    rows = done(*words).document
    assert {row["generation"] for row in rows} == {2}
    assert table != "games" or {row["kind"] for row in rows} >= {"fitness", "panel", "playoff"}


def test_an_agent_as_json(first: Path) -> None:
    document = done("show", first / "champion.json", "--format", "json").document
    assert document == json.loads((first / "champion.json").read_text(encoding="utf-8"))
    done("show", "swh", "-o", "swh.json")
    assert evolve.load_agent("swh.json") == evolve.load_agent("swh")
    assert "table" in misused("show", "swh", "--format", "csv")
    assert "table" in misused("show", "swh", "-o", "swh.csv")


def test_a_run_without_a_generation(copy: Path) -> None:
    for path in (*copy.glob("*/*.parquet"), copy / "champion.json"):
        path.unlink()
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
    looks = (
        ("show", copy), ("show", copy, "--table=games"), ("show", copy / "champion.json"),
        ("compare", copy, copy), ("replay", copy, "1:1"), ("plot", copy, "-o", "x.png"),
        ("export", copy, "-o", "x.json"), ("match", copy, "zero", "--games=2"),
        ("runs", copy.parent),
    )  # fmt: skip
    assert not [words for words in looks if done(*words).code or snapshot(copy) != before]


@pytest.mark.parametrize("table", ["ancestors", "genes", "operators"])
def test_tables_of_a_lineage(quick: Path, table: str) -> None:
    words = ("lineage", quick, "0-1", "--table", table)
    for name in ("x.json", "x.csv"):
        done(*words, "-o", name)
    rows = json.loads(Path("x.json").read_text())
    assert len(Path("x.csv").read_text().splitlines()) == len(rows) + 1 == len(done(*words).lines)
    assert table != "ancestors" or [row["individual"] for row in rows] == ["0-1"]


def test_a_picture_of_a_lineage(quick: Path) -> None:
    done("lineage", quick, "-o", "x.svg")
    assert "<svg" in Path("x.svg").read_text()
