"""Where things lie in a run's folder: generations by their numbers, none missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.errors import RunError
from evolve.tables.paths import committed_generations, games_file, generation_file, generation_of


@pytest.mark.parametrize("number", [0, 7, 9999, 12345])
def test_files_say_of_which_generation_they_are(number: int) -> None:
    files = (generation_file, games_file)
    assert not [file for file in files if generation_of(file(Path("run"), number)) != number]


@pytest.mark.parametrize("name", ["gen-", "gen-x", "gen--1", "gen-1٣", "playoff", "gen-1234567890"])
def test_files_of_others_are_of_no_generation(name: str) -> None:
    assert generation_of(Path(f"{name}.parquet")) == -1


def test_generations_are_counted_and_none_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "generations").mkdir()
    assert committed_generations(tmp_path) == 0
    for number in (0, 1, 2):
        generation_file(tmp_path, number).touch()
    (tmp_path / "generations" / "gen-copy.parquet").touch()
    assert committed_generations(tmp_path) == 3
    generation_file(tmp_path, 1).unlink()
    with pytest.raises(RunError, match="missing"):
        committed_generations(tmp_path)
