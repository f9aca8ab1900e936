"""What a run goes on from: only its own settings, and whole files."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.errors import RunError
from evolve.evolution.generation import damage_told
from evolve.runs.run import Run
from tests.evolution.conftest import StopAfter, go_on, start


def test_changed_settings_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    start(folder, observer=StopAfter(1))
    config = folder / "config.toml"
    config.write_text(config.read_text().replace("mutation_rate = 0.1", "mutation_rate = 0.2"))
    with pytest.raises(RunError, match=r"was changed: mutation_rate was 0\.1, not 0\.2"):
        go_on(folder)


def test_damage_names_the_file_and_other_errors_pass(tmp_path: Path, run: Run) -> None:
    with pytest.raises(RunError, match=r"gen-0003\.parquet is damaged"), damage_told(run, 3):
        raise KeyError("hall")
    with pytest.raises(RunError, match=r"^as it is$"), damage_told(run, 3):
        raise RunError("as it is")
