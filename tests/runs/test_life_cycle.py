"""How a Python call begins a run, or goes on with it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest
from pydantic import BaseModel

from evolve.config.pattern_training import PatternSettings
from evolve.errors import RunError, SettingsError
from evolve.runs import life_cycle
from evolve.runs.agreements import not_agreed
from evolve.runs.life_cycle import Begun
from evolve.runs.run_types import TRAININGS
from evolve.tables.paths import CHECKPOINT_FILE, CONFIG_FILE

SETTINGS: Final = PatternSettings(games=100)
LONGER: Final = PatternSettings(games=200)
COMMAND: Final = "train patterns"


def opened(folder: Path, settings: PatternSettings = SETTINGS) -> AbstractContextManager[Begun]:
    return life_cycle.opened(TRAININGS, COMMAND, folder, settings)


def keep_a_step(folder: Path) -> None:
    (folder / CHECKPOINT_FILE).touch()


def test_a_new_folder_is_made_and_a_begun_one_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with opened(folder) as run:
        assert run.before is None
        keep_a_step(folder)
    with opened(folder, LONGER) as run:
        assert run.before == SETTINGS
        assert run.restore(life_cycle.Work(folder, LONGER, 1))
        assert life_cycle.stored_settings(TRAININGS, COMMAND, folder / CONFIG_FILE) == LONGER
        with pytest.raises(RunError, match="process"), opened(folder):
            pass
    with (
        pytest.raises(RunError, match="settings"),
        opened(folder, SETTINGS.model_copy(update={"seed": 3})),
    ):
        pass


def test_a_run_that_fails_before_its_first_step_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SettingsError), opened(tmp_path / "run"):
        raise SettingsError("wrong")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RunError, match="folder"), opened(tmp_path / "none" / "run"):
        pass


def test_other_settings_are_named(tmp_path: Path) -> None:
    life_cycle.check_same(tmp_path, {"a": 1}, {"a": 1})
    with pytest.raises(RunError, match="settings"):
        life_cycle.check_same(tmp_path, {"a": 2, "b": 3}, {"a": 1})
    with pytest.raises(RunError, match="settings"):
        life_cycle.check_same(tmp_path, {"a": 1}, {"a": 1, "b": 3})


class Named(BaseModel):
    storage: str


def test_what_the_caller_names_is_agreed_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))
    life_cycle.agree_to_programs(tmp_path, Named(storage="mine"), Named(storage="mine"))
    assert not_agreed(tmp_path, ["mine", "other"]) == ["other"]


def test_kinds_are_named() -> None:
    assert life_cycle.variant_of(TRAININGS, "patterns").learns is False
    with pytest.raises(SettingsError, match="patterns"):
        life_cycle.variant_of(TRAININGS, "pattern")


def test_the_config_has_the_versions_of_all_that_counts() -> None:
    versions = life_cycle.versions_of(TRAININGS, "train patterns")
    assert {"evolve", "python", "numpy"} <= versions.keys()
