"""Figures of ratings get into their file, and change nothing else there."""

from __future__ import annotations

import difflib
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import estimates, figures
from benchmarks.outputs import renewed
from evolve.agents.calibration.ratings import RATINGS
from evolve.fitness.statistics import Estimate


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the file, which the functions write."""
    shutil.copy(figures.FILE, tmp_path)
    monkeypatch.setattr(figures, "FILE", tmp_path / figures.FILE.name)
    return figures.FILE


def test_what_is_measured_changes_its_row_alone(file: Path) -> None:
    before = file.read_text(encoding="utf-8").splitlines()
    figures.put("reversed", "level-2", elo=190, error=21, seconds=0.0000766)
    figures.put("reversed", "level-2", step=166, step_error=15)
    changed = [
        line
        for line in difflib.ndiff(before, file.read_text(encoding="utf-8").splitlines())
        if line[0] in "+-"
    ]
    assert changed[1:] == [
        "+ level-2 = { elo = 190, error = 21, seconds = 0.00008, step = 166, step_error = 15 }"
    ]
    figures.put("standard", "swh", seconds=4e-7)
    assert figures.read()["standard"]["swh"]["seconds"] == 1e-5


def test_the_file_is_as_it_is_written(file: Path) -> None:
    before = file.read_text(encoding="utf-8")
    for rules, rated in RATINGS.items():
        for name in rated:
            figures.put(rules, name)
        figures.estimate(rules)
    assert file.read_text(encoding="utf-8") == before


def test_levels_that_are_estimates_stand_a_step_above_the_one_below(file: Path) -> None:
    figures.put("standard", "level-8", elo=1790)
    for level, step in ((9, 184), (10, 154), (11, 172)):
        figures.put("standard", f"level-{level}", step=step)
    figures.estimate("standard")
    rated = figures.read()["standard"]
    assert [rated[f"level-{level}"]["elo"] for level in (9, 10, 11)] == [1970, 2120, 2290]


def test_games_that_all_go_one_way_give_no_elo() -> None:
    assert figures.rounded(Estimate(10.4, 0.4, 21.4, 8)) == (10, 10)
    with pytest.raises(SystemExit, match="more"):
        figures.rounded(Estimate(float("inf"), 80.0, float("inf"), 8))


OUTPUT = "note\nplace  agent    Elo\n1      level-2  +19 ± 2\n2      level-3  +1 ± 51\n"


def test_an_output_that_is_there_stays() -> None:
    below = "place agent Elo\n…\n2 level-3 +1 ± 51\n"
    assert renewed(below, OUTPUT) == (below, [])


def test_lines_get_the_numbers_of_the_output() -> None:
    below = "place  agent\n1      level-3  +194 ± 72\n…\nin words\n"
    new, lost = renewed(below, OUTPUT)
    assert new == "place  agent\n1      level-2  +19 ± 2\n…\nin words\n"
    assert lost == ["in words"]


SHOWN = [
    (1.0, "compiling 3/8 0:00:01\r\n"),
    (2.0, "run 0/20 2 s elapsed\x1b[2K"),
    (3.0, "run 1/20 3 s elapsed, \x1b[33mabout 2 m"),
    (3.1, "in left\x1b[0m"),
    (4.0, "about 7 s left"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("count", "expected"), [(2, None), (5, (3.1, 120.0))])
def test_the_first_time_left_counts(count: int, expected: tuple[float, float] | None) -> None:
    assert estimates.first_estimate(SHOWN[:count]) == expected


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_command_that_fails_is_no_figure() -> None:
    assert "failed" in estimates.measure("bad", ("run", "--generations", "none"), warm=True)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.slow
def test_a_command_is_run_to_its_end(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    words = ("run", "--generations", "3", "--population", "8")
    monkeypatch.setattr(estimates, "COMMANDS", {"small": words})
    monkeypatch.setattr("sys.argv", ["estimates", "small"])
    estimates.main()
    cells = capsys.readouterr().out.splitlines()[-1].split("|")
    assert cells[1].strip() == "small"
    assert [cell for cell in cells[2:9] if float(cell) < 0] == []
