"""`evolve runs`."""

from __future__ import annotations

import re
import shutil
import sys
from datetime import datetime
from pathlib import Path

import pytest

import evolve
from evolve.tables.folder import locked
from tests.cli import done, on_a_terminal


def test_runs_lists_runs(copy: Path, tmp_path: Path) -> None:
    rows = done("runs", tmp_path, "--json").document
    assert [row["run"] for row in rows] == [str(copy)]
    assert (rows[0]["rules"], rows[0]["seed"]) == ("reversed", 0)
    shown = done("runs", tmp_path)
    assert "reversed" in shown.lines[1]
    assert "3/3" in shown.lines[1]
    # The play-off's score with its interval, in place of a lucky one.
    found = evolve.load_agent(copy).provenance
    interval = f"{found['score']:.3f} [{found['score_low']:.3f}, {found['score_high']:.3f}]"
    assert interval in shown.lines[1]
    assert interval in done("compare", copy).out
    assert (rows[0]["generations"], rows[0]["target"]) == (3, 3)
    for key in ("score", "score_low", "score_high"):
        assert rows[0][key] == found[key]
    written = datetime.fromtimestamp((copy / "champion.json").stat().st_mtime)
    assert rows[0]["date"] == written.isoformat(" ", "minutes")


def test_runs_tells_what_runs_and_what_is_done(copy: Path, tmp_path: Path) -> None:
    shutil.copytree(copy, tmp_path / "stopped")
    (tmp_path / "stopped/games/playoff.parquet").unlink()
    with locked(copy):
        states = {Path(r["run"]).name: r["state"] for r in done("runs", ".", "--json").document}
    assert states == {"copy": "running", "stopped": "stopped"}
    rows = {Path(row["run"]).name: row for row in done("runs", ".", "--json").document}
    assert rows["copy"]["state"] == "done"
    assert rows["stopped"]["score"] is None  # it had no play-off
    assert "stopped" in done("compare", "stopped").out


def test_runs_where_there_are_none() -> None:
    assert "evolve run" in done("runs").out
    assert done("runs", "--json").document == []


@pytest.mark.parametrize("name", ["a-damaged", "z-damaged"])
def test_a_damaged_run_hides_no_other(copy: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(copy, tmp_path / name)
    (tmp_path / name / "config.toml").write_text("[", encoding="utf-8")
    rows = {Path(row["run"]).name: row for row in done("runs", tmp_path, "--json").document}
    assert set(rows) == {"copy", name}
    assert (rows["copy"]["rules"], rows["copy"]["champion"]) == (
        "reversed",
        evolve.load_agent(copy).name,
    )
    assert isinstance(rows["copy"]["seed"], int)
    assert any("config.toml is damaged" in str(value) for value in rows[name].values())
    shown = done("runs", tmp_path).out
    assert "reversed" in shown
    assert "config.toml is damaged" in shown


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_runs_breaks_no_word_at_80_columns(copy: Path, tmp_path: Path) -> None:
    shutil.copytree(copy, tmp_path / "runs/reversed-001")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(tmp_path, "runs"))
    assert max(map(len, shown.splitlines())) <= 80
    date = done("runs", "--json").document[0]["date"]
    for word in ("runs/reversed-001", "reversed", "done", "3/3", *date.split()):
        assert word in shown.split()
