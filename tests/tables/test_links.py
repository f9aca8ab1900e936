"""Every name that evolve reads in a folder: a link in its place is named when a reader opens it."""

from __future__ import annotations

import os
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
    for read in (load_run, *filter(None, [OTHERS.get(name)])):
        with pytest.raises(LinkError) as raised:
            read(folder)
        told = f"{link} is a link to {tmp_path / 'outside'}: put what it names there"
        assert str(raised.value) == told
    assert os.readlink(link) == str(tmp_path / "outside")


@posix
def test_links_of_the_user_stay(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "run")
    (tmp_path / "run" / "latest").symlink_to("generations/gen-0000.parquet")
    (tmp_path / "link").symlink_to("run")
    assert len(load_run(tmp_path / "link").generations)


@posix
def test_agents_are_saved_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "champion.json").symlink_to(tmp_path / "theirs")
    agent: Any = evolve.load_agent("swh")
    agent.save(tmp_path / "champion.json")
    assert not (tmp_path / "theirs").exists()
    assert evolve.load_agent(tmp_path / "champion.json")
