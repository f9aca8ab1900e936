"""`evolve lineage`: the summary, the tables and the picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from tests.cli import QUICK, done, fails, misused


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lineage") / "run"
    done("run", *QUICK, "--generations=4", "--out", folder)
    return folder


def test_a_summary_of_the_champion(run: Path) -> None:
    said = done("lineage", run).out
    champion = json.loads((run / "champion.json").read_text())["provenance"]["individual"]
    if champion in set(evolve.load_run(run).individuals["individual"]):
        assert said.startswith(f"{champion} has ")
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
