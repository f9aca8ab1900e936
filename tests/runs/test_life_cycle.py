"""How a Python call begins a run, or goes on with it."""

from __future__ import annotations

import shutil
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest

from evolve.agents.registry import programs_in
from evolve.config.pattern_training import PatternSettings
from evolve.config.sweep import ProgramSweepSettings
from evolve.errors import RunError, SettingsError
from evolve.learning.kind import KIND as TRAININGS
from evolve.runs import life_cycle
from evolve.runs.agreements import agree, disagree, not_agreed
from evolve.runs.life_cycle import Begun
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


def test_what_the_caller_names_is_agreed_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))
    named = ProgramSweepSettings(program="gtp:mine {x:1:9}")
    life_cycle.agree_to_programs(tmp_path, named, named)
    assert not_agreed(tmp_path, [*programs_in(named), "gtp:other"]) == ["gtp:other"]


def test_kinds_are_named() -> None:
    assert life_cycle.variant_of(TRAININGS, "patterns").learns is False
    with pytest.raises(SettingsError, match="patterns"):
        life_cycle.variant_of(TRAININGS, "pattern")


def test_the_list_is_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "new" / "data"))
    assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
    assert not (tmp_path / "new").exists()
    agree(folder, ["gtp:x", "gtp:y"])
    assert not_agreed(folder, ["gtp:y", "gtp:z", "gtp:x"]) == ["gtp:z"]
    (entry,) = (tmp_path / "new" / "data" / "agreed").iterdir()
    if sys.platform != "win32":
        assert (entry.stat().st_mode & 0o777, entry.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        entry.chmod(0o666)  # others may have written it
        assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
        entry.chmod(0o600)
        entry.parent.chmod(0o777)
        assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
        with pytest.raises(PermissionError, match="users"):
            agree(folder, ["gtp:x"])
        entry.parent.chmod(0o700)
    assert not_agreed(folder, ["gtp:x"]) == []
    disagree(folder)
    assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
    assert [*folder.iterdir(), *entry.parent.iterdir()] == []


def test_an_agreement_is_for_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a folder names may be looked up beside it, so that a copy is another thing."""
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))
    folder, copy = tmp_path / "run", tmp_path / "copy"
    folder.mkdir()
    agree(folder, ["gtp:x"])
    shutil.copytree(folder, copy)
    assert not_agreed(folder, ["gtp:x"]) == []
    assert not_agreed(copy, ["gtp:x"]) == ["gtp:x"]
    (tmp_path / "link").symlink_to(folder)
    assert not_agreed(tmp_path / "link", ["gtp:x"]) == []
    agree(folder, ["gtp:y"])
    assert not_agreed(folder, ["gtp:x", "gtp:y"]) == ["gtp:x"]


@pytest.mark.parametrize("nonce", [None, "", "0" * 32])
def test_a_foreign_folder_at_the_same_path_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nonce: str | None
) -> None:
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "run"
    folder.mkdir()
    agree(folder, ["gtp:x"])
    shutil.rmtree(folder)
    folder.mkdir()
    if nonce is not None:
        (folder / ".agreed").write_text(nonce)
    assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
