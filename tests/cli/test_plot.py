"""`evolve plot`."""

from __future__ import annotations

from pathlib import Path

import evolve
from tests.cli import done, fails
from tests.plots import written_in


def test_plot(first: Path, tmp_path: Path) -> None:
    done("plot", first, "-o", "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert ".png" in fails("plot", first, "-o", "picture.gif")
    assert [path.name for path in tmp_path.iterdir()] == ["picture.png"]


def test_plot_of_an_agent(first: Path, tmp_path: Path) -> None:
    source = first / "champion.json"
    done("plot", source, "-o", "boards.svg")
    svg = (tmp_path / "boards.svg").read_text(encoding="utf-8")
    assert svg.count("<image") >= evolve.load_agent(source).phases
    fails("plot", "random", "-o", "x.png")
    assert not (tmp_path / "x.png").exists()


def test_a_figure_for_a_paper_with_its_data(first: Path, tmp_path: Path) -> None:
    options = ("--style=paper", "--size=9x6cm", "--x=games", "--metric=mean_score", "--title=Mine")
    said = done("plot", first, "-o", "fig.svg", "--csv", "fig.csv", *options).out
    assert "fig.csv" in said
    svg = (tmp_path / "fig.svg").read_text(encoding="utf-8")
    assert 'width="255.11' in svg  # points
    assert {"Mine", "games", "mean score"} <= set(written_in(tmp_path / "fig.svg"))
    head, *rows = (tmp_path / "fig.csv").read_text().splitlines()
    assert head == "setting,seeds,games,mean_score,low,high"
    assert len(rows) == evolve.load_run(first).generation_count
    done("plot", first, "--csv", "alone.csv")
    assert (tmp_path / "alone.csv").exists()
