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
COMMAND: Final = "train patterns"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run's folder, with nothing agreed to yet."""
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "new" / "data"))
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


def opened(folder: Path, settings: PatternSettings = SETTINGS) -> AbstractContextManager[Begun]:
    return life_cycle.opened(TRAININGS, COMMAND, folder, settings)


def test_a_new_folder_is_made_and_a_begun_one_is_found(tmp_path: Path) -> None:
    folder, longer = tmp_path / "run", PatternSettings(games=200)
    with opened(folder) as run:
        assert run.before is None
        (folder / CHECKPOINT_FILE).touch()
    with opened(folder, longer) as run:
        assert run.before == SETTINGS
        assert run.restore(life_cycle.Work(folder, longer, 1))
        assert life_cycle.stored_settings(TRAININGS, COMMAND, folder / CONFIG_FILE) == longer
        with pytest.raises(RunError, match="process"), opened(folder):
            pass
    with pytest.raises(RunError, match="settings"):
        opened(folder, PatternSettings(games=100, seed=3)).__enter__()


def test_a_run_that_fails_before_its_first_step_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SettingsError), opened(tmp_path / "run"):
        raise SettingsError("wrong")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(RunError, match="folder"), opened(tmp_path / "none" / "run"):
        pass


def test_what_the_caller_names_is_agreed_to(folder: Path) -> None:
    named = ProgramSweepSettings(program="gtp:mine {x:1:9}")
    life_cycle.agree_to_programs(folder, named, named)
    assert not_agreed(folder, [*programs_in(named), "gtp:other"]) == ["gtp:other"]


def test_kinds_are_named() -> None:
    assert life_cycle.variant_of(TRAININGS, "patterns").learns is False
    with pytest.raises(SettingsError, match="patterns"):
        life_cycle.variant_of(TRAININGS, "pattern")


def test_the_list_is_for_its_user_alone(folder: Path, tmp_path: Path) -> None:
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


def test_an_agreement_is_for_one_folder(folder: Path, tmp_path: Path) -> None:
    """What a folder names may be looked up beside it, so that a copy is another thing."""
    agree(folder, ["gtp:x"])
    shutil.copytree(folder, tmp_path / "copy")
    assert not_agreed(folder, ["gtp:x"]) == []
    assert not_agreed(tmp_path / "copy", ["gtp:x"]) == ["gtp:x"]
    (tmp_path / "link").symlink_to(folder)
    assert not_agreed(tmp_path / "link", ["gtp:x"]) == []
    agree(folder, ["gtp:y"])
    assert not_agreed(folder, ["gtp:x", "gtp:y"]) == ["gtp:x"]


@pytest.mark.parametrize("nonce", [None, "", "0" * 32])
def test_a_foreign_folder_at_the_same_path_is_not_trusted(folder: Path, nonce: str | None) -> None:
    agree(folder, ["gtp:x"])
    shutil.rmtree(folder)
    folder.mkdir()
    if nonce is not None:
        (folder / ".agreed").write_text(nonce)
    assert not_agreed(folder, ["gtp:x"]) == ["gtp:x"]
