"""Runs that die, fail or are interrupted at any of their changes of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli import tables
from tests.faults import Enumeration, command

SMALL: Final = (
    *("run", "--generations=2", "--population=4", "--hall-of-fame=3", "--panel-openings=2"),
    *("--playoff-openings=2", "--move-budget=100", "--bounds=depths=1:1", "--bounds=endgame=0:2"),
    *("--openings=start", "--jobs=1", "--out=x"),
)
"""A run with a panel, a play-off and a hall of fame: a tenth of a second."""


@pytest.fixture(autouse=True)
def _own_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """What evolve knows of its user is in the folder, so that it may be hit as well."""
    monkeypatch.setenv("EVOLVE_DATA_DIR", "data")


def outcome() -> dict[str, Any]:
    return tables(Path("x"))


def test_a_run_that_dies_at_any_change_ends_as_if_undisturbed(tmp_path: Path) -> None:
    found = Enumeration(command(SMALL, "x", outcome), tmp_path)
    assert len(found.points) == 30
    renames = [n for n, point in enumerate(found.points) if point.change in ("make", "rename")]
    assert found.die(torn=False, at=renames) == 12
    assert found.die(torn=True) == 9
