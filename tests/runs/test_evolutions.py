"""Evolutions among other runs: how far they are, and how good."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evolve.runs.evolutions import READING
from evolve.runs.run import Run
from evolve.tables.paths import GENERATIONS


def test_the_play_off_completes_it(made: Path, tmp_path: Path) -> None:
    run = Run(made)
    progress = READING.progress(run)
    assert (progress.done, progress.target) == (2, 2)
    assert progress.complete
    assert progress.crowned
    assert progress.metrics["best_score"] == run.generations["best_score"].iloc[-1]
    metrics = READING.metrics(run)
    assert metrics["games"] == run.generations["games"].sum() > 0
    assert metrics["best_panel_score"] == run.generations["panel_score"].max()
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    (copy / "games" / "playoff.parquet").unlink()
    progress = READING.progress(Run(copy))
    assert (progress.done, progress.complete, progress.crowned) == (2, False, False)
    shutil.rmtree(copy / GENERATIONS)
    progress = READING.progress(Run(copy))
    assert progress.done == 0
    assert READING.metrics(Run(copy)) == {}


@pytest.mark.parametrize("name", ["generations", "individuals", "games"])
def test_its_tables_are_those_of_all_generations_or_of_one(made: Path, name: str) -> None:
    run = Run(made)
    whole = run.table(name)
    assert set(whole["generation"]) == {0, 1}
    parts = [part.reset_index(drop=True) for _, part in whole.groupby("generation")]
    assert all(run.table(name, number).equals(part) for number, part in enumerate(parts))
