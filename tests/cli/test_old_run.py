"""A run begun by version 0.1, whose panel was another: it opens, shows and goes on as it did."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evolve
from evolve.cli.generations import columns_shown, head_lines
from evolve.evolution.ancestry import individual_agent, run_settings
from tests.cli import done, invoke
from tests.tables.content import tables_hash

OLD = Path(__file__).with_name("run-0.1")
"""`evolve run --generations 2 --population 4 --panel-openings 2 --playoff-openings 2
--hall-of-fame 2 --move-budget 300 --seed 5`, by version 0.1."""
TABLES = {2: "d8b83bfdd069fbf3", 4: "af0bafafb6a35327"}
"""Hashes of the tables that version 0.1 makes of these settings, by generations."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copytree(OLD, tmp_path / "old"))


def test_old_run_has_the_tables_that_it_had(old: Path) -> None:
    assert tables_hash(old) == TABLES[2]
    assert run_settings(evolve.load_run(old)).panel == "fixed"
    assert individual_agent(old, "0-0").rules == "reversed"


def test_old_run_goes_on_to_the_tables_of_its_version(old: Path) -> None:
    result = done("resume", old, "--generations", 4, "--jobs", 1)
    assert tables_hash(old) == TABLES[4]
    assert head_lines(columns_shown(ladder=False))[-1] in result.out
    assert "rating" not in result.out


def test_old_run_has_nothing_to_rest_by(old: Path) -> None:
    result = invoke("resume", old, "--generations", 4, "--until-rest")
    assert result.code == 2
    assert "until_rest" in result.err
    assert "fixed" in result.err


def test_old_run_is_shown_and_drawn_without_a_ladder(old: Path) -> None:
    shown = done("show", old).out
    assert "panel_score" in shown
    assert "rating" not in shown
    assert "rise" not in shown
    done("plot", old, "-o", old.parent / "old.svg")
