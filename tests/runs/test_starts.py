"""How a Python call begins a run, or goes on with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from evolve.errors import RunError, SettingsError
from evolve.runs import starts
from evolve.runs.agreements import not_agreed
from evolve.runs.run_types import TRAININGS
from evolve.tables.paths import CONFIG_FILE


class Identified(NamedTuple):
    identity: dict[str, Any]


def test_a_new_folder_is_made_and_a_begun_one_is_found(tmp_path: Path) -> None:
    place = tmp_path / "run"
    with starts.opened(place, "stem") as (folder, new):
        assert new
        (folder / CONFIG_FILE).write_text('rules = "reversed"\n')
    with starts.opened(place, "stem") as (folder, new):
        assert not new
        with pytest.raises(RunError, match="another process"), starts.opened(place, "stem"):
            pass
    assert starts.settings_below(place) == {"rules": "reversed"}


def test_a_run_that_fails_before_it_begins_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SettingsError), starts.opened(tmp_path / "run", "stem"):
        raise SettingsError("wrong")
    assert list(tmp_path.iterdir()) == []
    missing = tmp_path / "none" / "run"
    with pytest.raises(RunError, match="no folder"), starts.opened(missing, "stem"):
        pass


def test_other_settings_are_named(tmp_path: Path) -> None:
    place = tmp_path
    starts.check_same(place, Identified({"a": 1}), Identified({"a": 1}))
    with pytest.raises(RunError, match="other settings: a was 1, not 2, b was None, not 3"):
        starts.check_same(place, Identified({"a": 2, "b": 3}), Identified({"a": 1}))
    with pytest.raises(RunError, match="other settings: b was 3, not None"):
        starts.check_same(place, Identified({"a": 1}), Identified({"a": 1, "b": 3}))


def test_programs_that_the_caller_names_are_agreed_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))
    place = tmp_path
    starts.agree_to(place, ["gtp:./mine", "gtp:./mine"])
    assert not_agreed(place, ["gtp:./mine", "gtp:./other"]) == ["gtp:./other"]


def test_kinds_are_named() -> None:
    assert starts.variant_of(TRAININGS, "patterns").learns is False
    with pytest.raises(SettingsError, match=r"there are .*dqn, mcts, patterns"):
        starts.variant_of(TRAININGS, "pattern")


def test_the_config_has_the_versions_of_all_that_counts() -> None:
    versions = starts.versions_of(TRAININGS, "train patterns")
    assert {"evolve", "python", "numpy"} <= versions.keys()
