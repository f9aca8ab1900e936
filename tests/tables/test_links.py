"""Every name that evolve reads in a folder: a link in its place is named when a reader opens it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import evolve
from evolve.errors import LinkError
from evolve.evolution.generation import individual_agent
from evolve.runs.run import load_run
from evolve.runs.run_types import FILES, PARTS, champion_of
from tests.engine import posix

INSIDE: Final = (
    *("generations/gen-0001.parquet", "games/gen-0000.parquet", "games/playoff.parquet"),
    *("metrics/check-0000.parquet", "trials/matches/x/y", "rungs/0/trials.parquet"),
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
    told = f"{link} is a link to {tmp_path / 'outside'}: put what it names there"
    for read in (load_run, *filter(None, [OTHERS.get(name)])):
        with pytest.raises(LinkError, match=re.escape(told)):
            read(folder)
    assert os.readlink(link) == str(tmp_path / "outside")
