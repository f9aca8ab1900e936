"""Where things lie in a run's folder: generations by their numbers, none missing."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import evolve
from evolve.errors import LinkError, RunError
from evolve.learning.tables import CHECKS
from evolve.runs.loading import individual_agent
from evolve.runs.run import load_run
from evolve.runs.run_types import FILES, PARTS, champion_of
from evolve.tables.paths import committed_generations, games_file, generation_file, number_of
from tests.engine import posix


@pytest.mark.parametrize("file", [generation_file, games_file])
def test_files_say_of_which_generation_they_are(file: Callable[[Path, int], Path]) -> None:
    numbers = [0, 7, 9999, 12345]
    assert [number_of(file(Path("run"), number), "gen") for number in numbers] == numbers


@pytest.mark.parametrize("name", ["gen-", "gen-x", "gen--1", "gen-1٣", "playoff", "gen-1234567890"])
def test_files_of_others_are_of_no_generation(name: str) -> None:
    assert number_of(Path(f"{name}.parquet"), "gen") == -1


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


def test_checks_are_counted_and_none_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    assert CHECKS.read(tmp_path).num_rows == CHECKS.count(tmp_path) == 0
    for check in range(3):
        CHECKS.commit(tmp_path, check, dict.fromkeys(CHECKS.columns.names, check))
    assert CHECKS.read(tmp_path)["check"].to_pylist() == [0, 1, 2]
    CHECKS.forget(tmp_path, 2)
    assert CHECKS.count(tmp_path) == 2
    (tmp_path / "metrics/check-0000.parquet").unlink()
    with pytest.raises(RunError, match=r"check-0000\.parquet"):
        CHECKS.read(tmp_path)


INSIDE: Final = (
    *("generations/gen-0001.parquet", "games/gen-0000.parquet", "games/playoff.parquet"),
    *("metrics/check-0000.parquet", "trials/matches/x/y"),
    *("logs", "logs/seed-1.log", "settings/seed-1.toml"),
)
OTHERS: Final[dict[str, Callable[[Path], Any]]] = {
    "champion.json": evolve.load_agent,
    "champion.npz": champion_of,
    "generations/gen-0000.parquet": lambda folder: individual_agent(folder, "0-1"),
}
"""Readers that name no run."""


@posix
@pytest.mark.parametrize("name", [*FILES, *PARTS, *INSIDE])
def test_it_is_named(made: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(made, folder)
    link = folder / name
    if link.is_dir():
        shutil.rmtree(link)
    link.unlink(missing_ok=True)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / "outside")
    said = f"{link} is a link to {tmp_path / 'outside'}: put what it names there"
    for read in (load_run, OTHERS.get(name, load_run)):
        with pytest.raises(LinkError, match=re.escape(said)):
            read(folder)
    assert os.readlink(link) == str(tmp_path / "outside")
