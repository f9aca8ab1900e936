"""What a run shows while it works."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numba
import pytest

from evolve.cli import terminal
from evolve.cli.display import Display, print_line, reporting_compilation, watching
from evolve.cli.studies import RunsView
from evolve.cli.sweeps import TrialsView
from evolve.config.sweep import SweepSettings
from tests.cli import on_a_terminal, program

if TYPE_CHECKING:
    pass


def test_compilation_is_told_once_and_only_when_it_happens() -> None:
    def compiling(functions: int) -> str:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            terminal.out.cache_clear()
            with reporting_compilation():
                for number in range(functions):
                    assert numba.njit(lambda x: x + 1)(number) == number + 1
        terminal.out.cache_clear()
        return out.getvalue()

    assert compiling(0) == ""
    assert compiling(2).count("compiling the kernels") == 1


def test_lines_tell_rows_and_what_no_row_tells_of(capsys: pytest.CaptureFixture[str]) -> None:
    look = TrialsView(SweepSettings(kind="alphabeta"))
    display = Display(look)
    display.begin()
    assert capsys.readouterr().out.splitlines() == [look.head()]
    facts = {"score": 0.5, "score_error": 0.1, "best": 0.5, "seconds": 1.0}
    display.row({"number": 0, "state": "COMPLETE", **facts, "reason": "a remark"}, 1, 4)
    line, remark = capsys.readouterr().out.splitlines()
    assert line.split()[:4] == ["0", "complete", "0.500", "0.100"]
    assert remark == "trial 0: a remark"
    for name, done in (("final", 3), ("2 trials running", 8), ("final", 8)):
        display.stage(name, done, 8)
    assert capsys.readouterr().out == "final: 8 games\n"


def test_lines_of_a_study_stand_below_their_heads() -> None:
    view = RunsView()
    row = {"setting": "all", "seed": 0, "command": "run", "generations": 2, "target": 2}
    lines = [view.line({**row, "elo": elo}, 90.0) for elo in (None, 1234.5)]
    head = view.head()
    assert {len(line) for line in (head, *lines)} == {len(head)}
    assert lines[1].index("1234") == head.index("elo")


def test_the_first_ctrl_c_wishes_and_the_second_one_ends(
    capsys: pytest.CaptureFixture[str],
) -> None:
    look = TrialsView(SweepSettings(kind="alphabeta"))
    with watching(look) as display:
        assert not display.stop()
        signal.raise_signal(signal.SIGINT)
        assert display.stop()
        said = capsys.readouterr().out.splitlines()[-1]
        assert said.startswith(
            "ending: running trials begin again when the sweep continues; Ctrl-C"
        )
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):  # and it is as before
        signal.raise_signal(signal.SIGINT)


def test_a_reader_that_went_away_ends_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines go to a pipe that nobody reads any more, and then nowhere."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        monkeypatch.setattr(sys, "stdout", gone)
        for _ in range(3):
            print_line("a line")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_who_plays_first_on_a_machine_is_told_that_it_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal alone: what is read by programs stays as it is."""
    monkeypatch.setenv("EVOLVE_CACHE_DIR", str(tmp_path / "cold"))
    for words in (("play", "swh"), ("match", "swh", "zero", "--games=2", "--jobs=1")):
        shown = on_a_terminal(tmp_path, *words)
        assert shown.count("compiling the kernels") == 1
        shutil.rmtree(tmp_path / "cold")
    ended = program(tmp_path, "match", "swh", "zero", "--games=2", "--json")
    assert (ended.code, ended.err) == (0, "")
