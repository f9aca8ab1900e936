"""What work shows of itself."""

from __future__ import annotations

import shutil
import signal
import sys
from pathlib import Path

import numba
import pytest

from evolve.cli import terminal
from evolve.cli.display import Display, reporting_compilation, watching
from evolve.cli.studies import _RunsView
from evolve.cli.trainings import _ChecksView
from evolve.config.learning import DqnSettings
from evolve.learning.tables import METRICS_COLUMNS
from tests.cli import on_a_terminal, program
from tests.cli.test_sweeps import view_of_a_sweep


def test_compilation_is_told_once_and_only_when_it_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    monkeypatch.setattr(terminal, "print_note", notes.append)
    for functions in (0, 2):
        with reporting_compilation():
            for number in range(functions):
                assert numba.njit(lambda x: x + 1)(number) == number + 1
        assert len(notes) == min(functions, 1)


def test_lines_tell_rows_and_what_no_row_tells_of(capsys: pytest.CaptureFixture[str]) -> None:
    look = view_of_a_sweep()
    display = Display(look)
    display.begin()
    assert capsys.readouterr().out.splitlines() == [look.head()]
    facts = {"score": 0.5, "score_error": 0.1, "best": 0.5, "seconds": 1.0}
    row = {"number": 0, "state": "COMPLETE", **facts, "reason": "a remark"}
    display.row(row, 1, 4)
    line, remark = capsys.readouterr().out.splitlines()
    assert line.split()[:4] == ["0", "finished", "0.500", "0.100"]
    assert remark == "trial 0: a remark"
    for name, done in (("final", 3), ("2 trials running", 8), ("final", 8)):
        display.stage(name, done, 8)
    assert capsys.readouterr().out == "final: 8 games\n"


def test_compiling_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display(view_of_a_sweep())
    for done in range(9):
        display.stage("compiling", done, 8)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_lines_of_a_study_stand_below_their_heads() -> None:
    view = _RunsView()
    row = {"setting": "all", "seed": 0, "command": "run", "generations": 2, "target": 2}
    lines = [view.line({**row, "elo": elo}, 90.0) for elo in (None, 1234.5)]
    head = view.head()
    assert {len(line) for line in (head, *lines)} == {len(head)}
    assert lines[1].index("1234") == head.index("elo")


def test_the_first_ctrl_c_wishes_and_the_second_one_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    look = view_of_a_sweep()
    with watching(look) as display:
        assert not display.stop()
        signal.raise_signal(signal.SIGINT)
        assert display.stop()
        said = capsys.readouterr().out.splitlines()[-1]
        assert said.startswith("ending: running trials go on when the sweep continues; Ctrl-C")
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):  # and it is as before
        signal.raise_signal(signal.SIGINT)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_who_plays_first_on_a_machine_is_told_that_it_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal alone: what is read by programs stays as it is."""
    monkeypatch.setenv("EVOLVE_CACHE_DIR", str(tmp_path / "cold"))
    shown = on_a_terminal(tmp_path, "play", "swh", "--side=white", real=True)
    assert shown.count("compiling the kernels") == 1
    shutil.rmtree(tmp_path / "cold")
    ended = program(tmp_path, "match", "swh", "zero", "--games=2", "--json")
    assert (ended.code, ended.err) == (0, "")


ROW = {
    "check": 3, "games": 12_000, "steps": 900, "loss": 0.12345, "random": 1.0, "depth_1": 0.5,
    "depth_2": 0.25, "score": float("nan"), "cpu_seconds": 61.7, "seconds": 30.0,
}  # fmt: skip


def test_each_figure_stands_under_its_column() -> None:
    look = _ChecksView(DqnSettings())
    head = look.head()
    line = look.line(ROW, 90.0)
    assert line.split() == [
        "3", "12000", "900", "0.123", "1.000", "0.500", "0.250", "–", "62", "2", "min",
    ]  # fmt: skip
    ends = [head.index(f" {name} ") + len(name) + 1 for name in look.columns]
    assert all(line[end - 1] != " " and line[end] == " " for end in ends)
    assert len(head) == len(line)
    assert set(look.columns) <= set(METRICS_COLUMNS.names)
