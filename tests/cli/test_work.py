"""How long work is carried out: what is said when it is interrupted, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.cli.signals import INTERRUPTED
from evolve.cli.trainings import _ChecksView
from evolve.cli.work import finish, shown
from evolve.config.learning import DqnSettings
from evolve.evolution.kind import KIND as EVOLUTIONS
from evolve.sweeps.sweep import SweepEnding

LOOK = _ChecksView(DqnSettings())


def test_how_to_go_on_is_said_where_anything_is_kept(
    quick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for folder in (quick, tmp_path):
        with (
            pytest.raises(KeyboardInterrupt),
            shown("run", "row", folder, LOOK, EVOLUTIONS.reading.kept),
        ):
            raise KeyboardInterrupt
        said.append(capsys.readouterr().out.split()[-2:] == ["resume", f"{folder}"])
    assert said == [True, False]


def test_a_report_is_made_of_what_came_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    made: list[str] = []

    def report() -> None:
        made.append("report")

    assert finish(Path("here"), "3 of 3", SweepEnding.COMPLETE, report) == 0
    assert made == ["report"]
    assert capsys.readouterr().out == "3 of 3: all trials are finished\n"
    assert finish(Path("here"), "1 of 3", SweepEnding.STOPPED, report) == INTERRUPTED
    assert made == ["report"]
    assert capsys.readouterr().out == "1 of 3: stopped\ncontinue with: evolve resume here\n"
