"""The summary of a run for lists, and its champion's strength."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evolve.errors import RunError
from evolve.runs.run import Run
from evolve.runs.summary import check_config


def test_settings_of_another_type_are_told(made: Path, tmp_path: Path) -> None:
    check_config(Run(made))
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    text = (copy / "config.toml").read_text("utf-8")
    (copy / "config.toml").write_text(text.replace("population = ", "population = 'x' # "), "utf-8")
    with pytest.raises(RunError, match="population"):
        check_config(Run(copy))
