"""Every reader of a run's folder: a link in place of what it reads is told, and not followed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import evolve
from evolve.config.evolution import EvolutionSettings
from evolve.errors import LinkError
from evolve.evolution.generation import given_agent, individual_agent
from evolve.evolution.time_slice import TimeSlice
from evolve.files.folder import FolderPath, inside
from evolve.runs.run import Run, load_run
from evolve.runs.run_types import TRAININGS, champion_of
from evolve.runs.sweeps import rungs_table
from evolve.tables.metrics import committed_checks, read_metrics
from evolve.tables.paths import committed_generations, playoff_file
from evolve.tables.trials import read_final, read_trials
from tests.engine import posix

GIVEN: Final = EvolutionSettings(evaluation="patterns-standard")
READERS: Final[dict[str, Callable[[FolderPath], Any]]] = {
    "config.toml": Run,
    "study.toml": load_run,
    "champion.json": champion_of,
    "champion.npz": lambda folder: (os.unlink(folder / "champion.json"), champion_of(folder)),
    "champion.json as an agent": evolve.load_agent,
    "generations": committed_generations,
    "generations as rows": lambda folder: Run(folder).generation_rows,
    "generations/gen-0001.parquet": lambda folder: Run(folder).individuals,
    "generations/gen-0001.parquet as rows": lambda folder: Run(folder).generations,
    "generations/gen-0000.parquet": lambda folder: individual_agent(folder, "0-1"),
    "games": lambda folder: Run(folder).games,
    "games/gen-0000.parquet": lambda folder: Run(folder).games,
    "games/playoff.parquet": lambda folder: Run(folder).games,
    "games/playoff.parquet alone": lambda folder: playoff_file(folder).exists(),
    "games/playoff.parquet for a worker": lambda folder: TimeSlice.of(folder, 1.0),
    "evaluation.npz": lambda folder: given_agent(folder, GIVEN),
    "metrics": committed_checks,
    "metrics/check-0000.parquet": read_metrics,
    "checkpoint.npz": lambda folder: (
        shutil.rmtree(folder / "metrics"),
        TRAININGS.reading.kept(folder),
    ),
    "trials.parquet": read_trials,
    "rungs": rungs_table,
    "rungs/0": rungs_table,
    "rungs/0/trials.parquet": rungs_table,
    "final.json": read_final,
}


@posix
@pytest.mark.parametrize("what", READERS)
@pytest.mark.parametrize("there", [True, False], ids=["leads there", "leads nowhere"])
def test_it_is_told(made: Path, tmp_path: Path, what: str, there: bool) -> None:
    folder, outside = tmp_path / "run", tmp_path / "outside"
    shutil.copytree(made, folder)
    name = what.partition(" ")[0]
    link, target = folder / name, outside / Path(name).name
    outside.mkdir()
    if link.is_dir():
        shutil.copytree(link, target)
        shutil.rmtree(link)
    elif link.exists():
        shutil.copy(link, target)
        link.unlink()
    elif name.startswith("rungs") and "." not in name:
        (target / "0").mkdir(parents=True)
    else:
        shutil.copy(made / "trials.parquet", target)
    if not there:
        shutil.rmtree(outside)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(target)
    with pytest.raises(LinkError) as raised:
        READERS[what](inside(folder))
    assert str(raised.value) == f"{link} is a link to {target}: put what it names there"
    assert os.readlink(link) == str(target)


@posix
def test_agents_are_saved_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "champion.json").symlink_to(tmp_path / "theirs")
    agent: Any = evolve.load_agent("swh")
    with pytest.raises(LinkError):
        agent.save(inside(tmp_path / "run", "champion.json"))
    assert not (tmp_path / "theirs").exists()
    agent.save(tmp_path / "run" / "champion.json")  # a path that its user names
    assert (tmp_path / "theirs").exists()
