"""The line of progress: replaced on a terminal and in a notebook, a few lines elsewhere."""

from __future__ import annotations

import io
import sys
from types import ModuleType
from typing import Any

import pytest

from evolve.runs.progress import Observer, ProgressLine, shown


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Told(Observer):
    def __init__(self) -> None:
        self.rows: list[Any] = []

    def row(self, row: Any, done: float, total: float) -> None:
        self.rows.append(row)

    def stop(self) -> bool:
        return True


def test_a_terminal_has_one_line() -> None:
    stream = Terminal()
    line = ProgressLine(Observer(), stream)
    for generation in range(4):
        line.row({"generation": generation, "rating": 12.4}, generation + 1, 4)
    line.close()
    text = stream.getvalue()
    assert text.count("\n") == 1
    *_, last = text.rstrip("\n").split("\r")
    assert last.startswith("█" * 24 + " 100% · generation 3 · rating 12 · ")
    assert "in all" in last


def test_the_time_left_is_by_what_was_done_since_the_first_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr("evolve.runs.progress.time.monotonic", lambda: next(clock) * 1.0)
    for reports in ("rows", "games"):
        stream = Terminal()
        line = ProgressLine(Observer(), stream)
        for share in (80, 82):  # it was at 80 % when it was stopped
            if reports == "rows":
                line.row({"generation": share}, share, 100)
            else:
                line.stage("games", share, 100)
        *_, last = stream.getvalue().split("\r")
        assert "about 3 min left" in last or "about 4 min left" in last, last


def test_what_is_left_after_the_last_row_is_that_of_its_stage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr("evolve.runs.progress.time.monotonic", lambda: next(clock) * 1.0)
    stream = Terminal()
    line = ProgressLine(Observer(), stream)
    for trial in range(3):
        line.row({"number": trial}, trial + 1, 3)
    for done in (1, 2):
        line.stage("final", done, 30)
    assert "final 7%" in stream.getvalue().split("\r")[-1]
    assert "min left" in stream.getvalue().split("\r")[-1]
    line.close()
    assert "s in all" in stream.getvalue().split("\r")[-1]


def test_it_fits_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    line = ProgressLine(Observer(), stream)
    line.row({"generation": 1, "rating": 12.4}, 1, 4)
    line.stage("generation 2", 1, 2)
    line.close()
    assert max(map(len, stream.getvalue().replace("\n", "").split("\r"))) == 39


def test_a_file_has_a_line_for_each_tenth() -> None:
    stream = io.StringIO()
    line = ProgressLine(Observer(), stream)
    for check in range(100):
        line.row({"check": check, "score": 0.5}, (check + 1) / 100, 1.0)
        line.stage("games", 1, 2)
    line.close()
    lines = stream.getvalue().splitlines()
    assert 9 <= len(lines) <= 12
    assert "\r" not in stream.getvalue()
    assert "score 0.500" in lines[-1]


def test_a_notebook_is_told_by_its_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    stream = io.StringIO()
    line = ProgressLine(Observer(), stream)
    line.row({}, 1, 2)
    assert stream.getvalue().startswith("\r")


def test_it_tells_the_caller_s_observer(capsys: pytest.CaptureFixture[str]) -> None:
    told = Told()
    with shown(True, told) as observer:
        observer.row({"generation": 0}, 1, 1)
        observer.note("a \x1b[2Jremark")
        assert observer.stop()
    assert told.rows == [{"generation": 0}]
    out = capsys.readouterr().out
    assert "generation 0" in out
    assert "\x1b" not in out
    with shown(False, told) as observer:
        assert observer is told
    assert capsys.readouterr().out == ""
