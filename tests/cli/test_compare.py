"""`evolve compare`."""

from __future__ import annotations

from pathlib import Path

from tests.cli import QUICK, done


def test_compare(first: Path, tmp_path: Path) -> None:
    done("run", *QUICK, "--seed", 4, "--mutation-rate", 0.5, "--out", "other")
    shown = done("compare", first, "other").out
    for word in ("mutation_rate", "openings", "panel_score", "champion"):
        assert word in shown
    assert "crossover" not in shown  # alike in both
    rows = done("compare", first, "other", "--json").document
    assert [row["run"] for row in rows] == [str(first), "other"]
    assert [row["seed"] for row in rows] == [0, 4]
    assert [row["mutation_rate"] for row in rows] == [0.1, 0.5]
    assert next(line for line in shown.splitlines() if line.startswith("done")).split() == [
        "done", "3/3", "3/3",
    ]  # fmt: skip
    done("compare", first)


def test_tables_for_documents(first: Path, tmp_path: Path) -> None:
    done("compare", first, "--metric=best_score", "-o", "x.tex")
    text = (tmp_path / "x.tex").read_text(encoding="utf-8")
    assert text.count(r"\begin{tabular}") == 1
    assert r"\toprule" in text
    done("compare", first, "-o", "x.md")
    lines = (tmp_path / "x.md").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("|  | ")
    assert any(line.startswith("| elo | ") for line in lines)
