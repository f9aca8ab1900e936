"""Folders of new runs, which leave nothing where they come to nothing; and how a run is shown."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from evolve.cli.output import _LEGEND
from tests.cli import QUICK, fails, invoke, on_a_terminal


def test_ctrl_c_before_the_first_generation_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evolve.evolution.loop.Evolution.run", interrupted)
    ended = invoke("run", *QUICK, "--out", "stopped")
    assert (ended.code, "resume" in ended.out) == (130, False)
    assert not (tmp_path / "stopped").exists()
    (tmp_path / "empty").mkdir()
    assert invoke("run", *QUICK, "--out", "empty").code == 130
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize("folder", ["file", "/proc"])
def test_a_run_where_there_is_no_place_for_it(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("mine")
    assert folder in fails("run", *QUICK, "--out", f"{folder}/run")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_live_run_fits_80_columns_and_names_its_columns(tmp_path: Path) -> None:
    shown = on_a_terminal(tmp_path, "run", *QUICK, "--generations", 2, "--out", "live")
    lines = [
        re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", line)
        for line in re.split(r"[\r\n]|\x1b\[[0-9]*[AK]", shown)
    ]
    head = next(number for number, line in enumerate(lines) if line.startswith("generation "))
    end = next(number for number, line in enumerate(lines) if line.startswith("2 of 2"))
    assert max(map(len, lines[head:end])) <= 80
    live = "\n".join(lines[head:end])
    assert [line for line in _LEGEND if line not in live] == []
    assert re.search(r"run +[━╸╺]+ +2/2 +\d+ s elapsed, (about )?\d+ s left", live)
    assert re.search(r"ladder +[━╸╺]+ +\d+/\d+ *$", live, re.MULTILINE)
    commands = filter(str.strip, "\n".join(lines).rpartition("next: ")[2].split("\n"))
    assert [command.split()[1] for command in commands] == ["show", "plot", "hand-in"]
