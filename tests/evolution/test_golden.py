"""One tiny run whose tables are pinned: for any jobs, and however it was interrupted."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from evolve.evolution.loop import EvolutionEnding
from tests.evolution.conftest import StopAfter, go_on, start
from tests.tables.content import content_hash

GOLDEN = {
    "ga": "34adbc4da833f3fe",
    "published": "a647be88f407170a",
    "fixed panel": "28510eed04dd1944",
}
"""CMA-ES is not pinned: its eigenvectors may differ from one linear algebra library to another.
A commit that changes one of these says why: the same seed no longer gives the same tables."""


OPTIONS: dict[str, dict[str, Any]] = {
    "ga": {},
    "published": {"preset": "published", "fix": {"depths": "2,1,2"}, "rules": "standard"},
    "fixed panel": {"panel": "fixed"},
}


@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        pytest.param("ga", 1, marks=pytest.mark.slow),
        ("ga", 2),
        ("published", 1),
        pytest.param("published", 2, marks=pytest.mark.slow),
        ("fixed panel", 1),
        pytest.param("fixed panel", 2, marks=pytest.mark.slow),
    ],
)
def test_tables_are_the_pinned_ones(tmp_path: Path, name: str, jobs: int) -> None:
    assert start(tmp_path / "run", jobs=jobs, **OPTIONS[name]) is EvolutionEnding.COMPLETE
    assert content_hash(tmp_path / "run") == GOLDEN[name]


def test_run_extended_past_its_target_has_the_same_tables(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert start(folder, generations=2) is EvolutionEnding.COMPLETE
    assert (folder / "games" / "playoff.parquet").exists()
    assert go_on(folder, generations=4) is EvolutionEnding.COMPLETE
    assert content_hash(folder) == GOLDEN["ga"]


@pytest.mark.slow
def test_files_of_an_unfinished_generation_are_swept(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    start(folder, observer=StopAfter(2))
    # What a kill leaves: temporary files, and games whose individuals were never committed.
    shutil.copy(folder / "games/gen-0001.parquet", folder / "games/gen-0002.parquet")
    (folder / "games/.writing-x.parquet").write_bytes(b"half")
    (folder / "generations/.writing-y.parquet").write_bytes(b"half")
    (folder / "games/gen-0002.parquet").write_bytes(b"not whole")
    assert go_on(folder) is EvolutionEnding.COMPLETE
    assert not list(folder.glob("*/.writing-*"))
    assert content_hash(folder) == GOLDEN["ga"]
