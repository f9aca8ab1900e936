"""A run of version 0.2 that is kept here, with the fixed panel: it opens, shows and goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evolve
from evolve.evolution.generation import individual_agent, run_settings
from tests.cli import done, invoke
from tests.tables.content import tables_hash

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
    assert run_settings(evolve.load_run(kept)).panel == "fixed"
    assert individual_agent(kept, "0-0").rules == "reversed"


@pytest.mark.slow
def test_a_kept_run_goes_on_to_the_tables_of_a_run_without_a_stop(kept: Path) -> None:
    result = done("resume", kept, "--generations", 4, "--jobs", 1)
    assert tables_hash(kept) == TABLES[4]
    assert "panel_score" in result.out
    assert "rating" not in result.out


def test_a_run_with_the_fixed_panel_has_nothing_to_rest_by(kept: Path) -> None:
    result = invoke("resume", kept, "--generations", 4, "--until-rest")
    assert result.code == 2
    assert "until_rest" in result.err
    assert "fixed" in result.err


@pytest.mark.slow
def test_a_run_with_the_fixed_panel_is_shown_without_a_ladder(kept: Path) -> None:
    shown = done("show", kept).out
    assert "panel_score" in shown
    assert "rating" not in shown
    assert "rise" not in shown
    done("plot", kept, "-o", kept.parent / "kept.svg")
