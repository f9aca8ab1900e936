"""`evolve runs` and `evolve compare`."""

from __future__ import annotations

import json
import re
import shutil
import sys
from datetime import datetime
from pathlib import Path

import pytest

import evolve
from evolve.agents.calibration.ratings import ratings_of
from evolve.cli.runs import shown_row, strengths
from evolve.number_text import elo_text
from evolve.runs.run_folder import locked
from tests.cli import done, misused, on_a_terminal


def test_runs_lists_runs(copy: Path, tmp_path: Path) -> None:
    (row,) = done("runs", tmp_path, "--json").document
    keys = ("run", "rules", "seed", "done", "target", "unit")
    assert [row[key] for key in keys] == [str(copy), "reversed", 0, 3, 3, "generations"]
    date = datetime.fromtimestamp(row["date"])
    assert date.isoformat(" ", "minutes") in done("runs", tmp_path).lines[1]


def test_runs_tells_what_runs_and_what_is_done(copy: Path, tmp_path: Path) -> None:
    shutil.copytree(copy, tmp_path / "stopped")
    (tmp_path / "stopped/games/playoff.parquet").unlink()
    with locked(copy):
        running = done("runs", ".", "--json").document
    rows = done("runs", ".", "--json").document
    assert [Path(row["run"]).name for row in rows] == ["copy", "stopped"]
    assert [row["state"] for row in running + rows] == ["running", "stopped", "done", "stopped"]
    assert rows[1]["elo"] is None  # it had no play-off
    assert "stopped" in done("compare", "stopped").out


def test_a_stopped_run_has_a_score_so_far(copy: Path) -> None:
    (copy / "games/playoff.parquet").unlink()
    champion = json.loads((copy / "champion.json").read_text())
    known = {key: one for key, one in champion["provenance"].items() if not key.startswith("elo")}
    champion["provenance"] = {**known, "score": 0.432, "against": "panel"}
    (copy / "champion.json").write_text(json.dumps(champion))
    shown = done("show", copy).lines[-1]
    assert [word in shown for word in ("0.432", "Elo", "play-off")] == [True, False, False]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("columns", [60, 80, 200])
def test_runs_breaks_no_word(copy: Path, tmp_path: Path, columns: int) -> None:
    shutil.copytree(copy, tmp_path / "runs/reversed-001")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(tmp_path, "runs", columns=columns))
    assert max(map(len, shown.splitlines())) <= columns
    assert len(shown.splitlines()) == 2
    (facts,) = done("runs", "--json").document
    elo = elo_text(*(facts[key] for key in ("elo", "elo_low", "elo_high")))
    words = ("runs/reversed-001", "done", "3/3", *elo.split())
    assert not [word for word in words if word not in shown.split()]
    assert ("champion" in shown) is (columns == 200)


def test_agents_by_name_stand_by_their_elo(first: Path) -> None:
    rating = ratings_of("level-3")[evolve.load_run(first).config["rules"]]
    shown = done("compare", first, "level-3").lines[0]
    assert shown.startswith(f"level-3: {rating.elo} ± {rating.error} Elo")
    assert "level-3" in misused("compare", first, "level-3", "--json")
    assert "level-3" in misused("compare", "level-3")


def test_tables_for_documents(first: Path, tmp_path: Path) -> None:
    done("compare", first, "--metric=best_score", "-o", "x.tex")
    text = (tmp_path / "x.tex").read_text(encoding="utf-8")
    assert [text.count(one) for one in (r"\begin{tabular}", r"\toprule")] == [1, 1]
    done("compare", first, "-o", "x.md")
    text = (tmp_path / "x.md").read_text(encoding="utf-8")
    assert re.match(r"(?s)\|  \| .*\n\| elo \| ", text)


def test_elo_and_score_have_columns_of_their_own() -> None:
    rated = {"elo": 300.0, "elo_low": 280.0, "elo_high": 320.0, "score": 0.9}
    trained = {"elo": None, "score": 0.97, "score_low": 0.95, "score_high": 0.99}
    assert (strengths([rated]), strengths([rated, trained])) == (("elo",), ("elo", "score"))
    assert shown_row(rated, ("elo", "score")) == ["300 ± 20", None]
    assert shown_row(trained, ("elo", "score")) == [None, "0.970 [0.950, 0.990]"]
