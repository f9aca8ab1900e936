"""The summary of a run for lists, and its champion's strength."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evolve.errors import RunError
from evolve.runs.run import Run
from evolve.runs.summary import champion_elo, check_config, share_in_playoff, summary_of


def test_the_facts_of_a_run(made: Path) -> None:
    summary = summary_of(Run(made), running=False)
    assert (summary["command"], summary["state"]) == ("run", "done")
    assert summary["generations"] == summary["target"] == 2
    assert summary["champion"]
    assert summary_of(Run(made), running=True)["state"] == "running"


def test_a_run_that_stopped_has_no_strength_yet(made: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    (copy / "games" / "playoff.parquet").unlink()
    run = Run(copy)
    assert summary_of(run, running=False)["state"] == "stopped"
    assert champion_elo(run) == ("elo", None)
    assert set(share_in_playoff(run).values()) == {None}


def test_the_share_in_the_play_off_is_within_its_interval(made: Path) -> None:
    share = share_in_playoff(Run(made))
    low, score, high = (share[f"playoff_share{end}"] for end in ("_low", "", "_high"))
    assert low is not None
    assert score is not None
    assert high is not None
    assert 0.0 <= low <= score <= high <= 1.0


def test_settings_of_another_type_are_told(made: Path, tmp_path: Path) -> None:
    check_config(Run(made))
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    text = (copy / "config.toml").read_text("utf-8")
    (copy / "config.toml").write_text(text.replace("population = ", "population = 'x' # "), "utf-8")
    with pytest.raises(RunError, match="population"):
        check_config(Run(copy))
