"""`evolve resume`: whatever ended a run, the tables are those of one that was not ended."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import evolve
from evolve.runs import run_folder
from evolve.runs.life_cycle import stored_settings
from evolve.runs.loading import individual_agent
from tests.cli import QUICK, done, fails, misused, snapshot
from tests.tables.content import outcome, tables_hash


def test_the_header_of_a_run_that_lacks_its_play_off_alone(copy: Path, quick: Path) -> None:
    (copy / "games/playoff.parquet").unlink()
    assert "play-off" in done("resume", copy).out
    assert outcome(copy) == outcome(quick)


def test_a_second_writer_is_refused(copy: Path) -> None:
    with run_folder.locked(copy):
        before = snapshot(copy)
        assert "process" in fails("resume", copy, "--generations", 5)
        assert snapshot(copy) == before
        done("show", copy)  # readers need no lock
    done("resume", copy, "--generations", 4)


@pytest.mark.slow
def test_the_agent_started_from_is_not_needed_again(first: Path, tmp_path: Path) -> None:
    shutil.copy(first / "champion.json", "seed.json")
    for generations, folder in ((1, "parts"), (2, "whole")):
        words = ("--generations", generations, "--start-from", "seed.json", "--out", folder)
        done("run", *QUICK, *words)
    (tmp_path / "seed.json").unlink()
    done("resume", "parts", "--generations", 2)
    assert outcome(tmp_path / "parts") == outcome(tmp_path / "whole")


@pytest.mark.slow
def test_a_run_that_patience_ended_says_what_goes_on() -> None:
    done("run", *QUICK, "--generations", 60, "--patience", 1, "--out", "impatient")
    count = evolve.load_run("impatient").generation_count
    said = done("resume", "impatient", "--generations", 70).out
    assert "patience" in said or evolve.load_run("impatient").generation_count > count
    done("resume", "impatient", "--generations", count + 2, "--patience", 99)
    assert evolve.load_run("impatient").generation_count == count + 2


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('algorithm = "ga"', 'algorithm = "cma"', "algorithm was ga, not cma"),
        ("population = 6", "population = 9", "population was 6, not 9"),
        ("seed = 0", "seed = 1", "seed was 0, not 1"),
        ("seed = 0", "sede = 0", "config.toml: "),
    ],
)
def test_settings_changed_by_hand_are_refused(copy: Path, old: str, new: str, words: str) -> None:
    config = copy / "config.toml"
    text = config.read_text(encoding="utf-8")
    assert old in text
    config.write_text(text.replace(old, new), encoding="utf-8")
    before = snapshot(copy)
    assert words in fails("resume", copy, "--generations", 4)
    assert snapshot(copy) == before


def _without_checkpoint(path: Path) -> None:
    table = pq.read_table(path)
    metadata = {**json.loads(table.schema.metadata[b"evolve"]), "checkpoint": {}}
    pq.write_table(table.replace_schema_metadata({b"evolve": json.dumps(metadata)}), path)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("gen-0001", Path.unlink),
        ("gen-0002", _without_checkpoint),
        ("gen-0002", lambda path: shutil.copy(path.with_name("gen-0001.parquet"), path)),
    ],
    ids=["missing", "no checkpoint", "another"],
)
def test_a_damaged_generation(copy: Path, name: str, damage: Callable[[Path], object]) -> None:
    damage(copy / f"generations/{name}.parquet")
    before = snapshot(copy)
    assert name in fails("resume", copy, "--generations", 5)
    assert snapshot(copy) == before


KEPT = Path(__file__).with_name("run-0.2")
"""`evolve run --generations 2 --population 4 --panel-openings 2 --playoff-openings 2
--hall-of-fame 2 --move-budget 300 --seed 5 --panel fixed`, by version 0.2."""
TABLES = {2: "d8b83bfdd069fbf3", 4: "af0bafafb6a35327"}
"""Hashes of the tables that these settings make, by generations."""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return Path(shutil.copytree(KEPT, tmp_path / "kept"))


def test_a_kept_run_has_the_tables_that_it_had(kept: Path) -> None:
    assert tables_hash(kept) == TABLES[2]
    run = evolve.load_run(kept)
    assert stored_settings(run.kind, run.command, kept / "config.toml").panel == "fixed"
    assert individual_agent(kept, "0-0").rules == "reversed"


@pytest.mark.slow
def test_a_kept_run_goes_on_to_the_tables_of_a_run_without_a_stop(kept: Path) -> None:
    result = done("resume", kept, "--generations", 4, "--jobs", 1)
    assert tables_hash(kept) == TABLES[4]
    assert "panel_score" in result.out
    assert "rating" not in result.out


def test_a_run_with_the_fixed_panel_has_nothing_to_rest_by(kept: Path) -> None:
    said = misused("resume", kept, "--generations", 4, "--until-rest")
    assert re.search("until_rest.*fixed", said)


@pytest.mark.slow
def test_a_run_with_the_fixed_panel_is_shown_without_a_ladder(kept: Path) -> None:
    heads = done("show", kept).lines[0].split()
    assert {"panel_score", "rating", "rise"} & {*heads} == {"panel_score"}
    done("plot", kept, "-o", kept.parent / "kept.svg")
