"""evolve.train: as `evolve train` does, begun and resumed by one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.errors import SettingsError
from tests.cli import done
from tests.cli.test_train import SMALL
from tests.tables.content import outcome

SETTINGS: dict[str, Any] = {
    "shapes": "a1-b2, a1-d1", "round": 100, "checks": 2, "panel_openings": 2, "search_depth": 2,
    "depth": 3, "endgame": 6, "probcut_positions": 50, "games": 600,
}  # fmt: skip
"""Those of a small training on the command line."""


@pytest.mark.slow
def test_it_is_what_the_command_makes(tmp_path: Path) -> None:
    ours = evolve.train("patterns", tmp_path / "ours", **SETTINGS)
    done(*SMALL["patterns"], "--jobs=1", "--out", tmp_path / "theirs")
    theirs = evolve.load_run(tmp_path / "theirs")
    assert isinstance(theirs, evolve.Run)
    assert outcome(ours.path) == outcome(theirs.path)
    assert (ours.command, ours.config) == ("train patterns", theirs.config)
    assert ours.tables == ("metrics",)
    assert ours.champion.kind == "patterns"
    assert "is finished" in done("resume", ours.path).out


def test_wrong_settings_leave_no_folder(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'pattern'"):
        evolve.train("pattern", tmp_path / "x")
    with pytest.raises(SettingsError, match="phases"):
        evolve.train("patterns", tmp_path / "x", phases=0)
    assert list(tmp_path.iterdir()) == []
