"""What work shows of itself, how it says to go on, and how it ends."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numba
import pytest

from evolve.cli import terminal
from evolve.cli.display import Display, reporting_compilation, watching
from evolve.cli.signals import INTERRUPTED
from evolve.cli.studies import _RunsView
from evolve.cli.sweeps import _TrialsView
from evolve.cli.trainings import _ChecksView
from evolve.cli.work import finish
from evolve.config.learning import DqnSettings
from evolve.config.sweep import SweepSettings
from evolve.sweeps.sweep import SweepEnding
from tests.cli import on_a_terminal, program


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
    for done in range(9):
        display.stage("compiling", done, 8)
    ending, compiling = capsys.readouterr().out.splitlines()
    assert (ending, compiling.split()[0]) == ("final: 8 games", "compiling")


CHECK = {
    "check": 3, "games": 12_000, "steps": 900, "loss": 0.12345, "random": 1.0, "depth_1": 0.5,
    "depth_2": 0.25, "score": float("nan"), "cpu_seconds": 61.7, "seconds": 30.0,
}  # fmt: skip
RUN = {"setting": "all", "seed": 0, "command": "run", "done": 2, "target": 2}


def trial(number: int, state: str, score: float | None, **others: Any) -> dict[str, Any]:
    facts = {"number": number, "state": state, "score": score, "score_error": 0.0125, "best": None}
    return {**facts, "seconds": 2.04, "reason": None, **others}


def view_of_a_sweep() -> _TrialsView:
    return _TrialsView(SweepSettings(kind="alphabeta", trials=20))


@pytest.mark.parametrize(
    ("view", "row", "line"),
    [
        (_ChecksView(DqnSettings()), CHECK, "3 12000 900 0.123 1.000 0.500 0.250 – 62 2 min"),
        (_RunsView(), {**RUN, "elo": None}, "all 0 2/2 – 2 min"),
        (_RunsView(), {**RUN, "elo": 1234.5}, "all 0 2/2 1234 2 min"),
        (view_of_a_sweep(), trial(1, "COMPLETE", 0.5), "1 finished 0.500 0.013 – 2.0 2 min"),
    ],
)
def test_each_figure_stands_under_its_column(view: Any, row: dict[str, Any], line: str) -> None:
    head, shown = view.head(), view.line(row, 90.0)
    assert shown.split() == line.split()
    assert len(head) == len(shown)
    spans = [re.search(rf"\b{name}\b", head).span() for name in view.columns]  # type: ignore[union-attr]
    places = [start if view.justify == "left" else end - 1 for start, end in spans]
    assert " " not in {shown[place] for place in places}


def test_trials_that_failed_or_were_pruned_are_rows() -> None:
    look = view_of_a_sweep()
    assert len(look.head()) <= 80
    failed = trial(0, "FAIL", None, seconds=None, reason="no memory")
    pruned = trial(2, "PRUNED", 0.9, best=0.5)
    assert look.cells(failed) == ["0", "failed", "–", "0.013", "–", "–"]
    assert look.cells(pruned)[1:3] == ["pruned", "0.900"]
    assert [look.remark(one) for one in (failed, pruned)] == ["trial 0: no memory", None]


def test_the_first_ctrl_c_wishes_the_second_ends(capsys: pytest.CaptureFixture[str]) -> None:
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
    assert look.ending("final").startswith("ending after the current games")


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


def test_a_report_is_made_of_what_came_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    made: list[str] = []
    report = partial(made.append, "report")
    assert finish(Path("here"), "3 of 3", SweepEnding.COMPLETE, report) == 0
    assert (made, capsys.readouterr().out) == (["report"], "3 of 3: all trials are finished\n")
    assert finish(Path("here"), "1 of 3", SweepEnding.STOPPED, report) == INTERRUPTED
    printed = "1 of 3: stopped\ncontinue with: evolve resume here\n"
    assert (made, capsys.readouterr().out) == (["report"], printed)
