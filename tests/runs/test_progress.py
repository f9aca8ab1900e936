"""The line of progress, and the one estimate of when work ends, which passes with the time."""

from __future__ import annotations

import io
import sys
from types import ModuleType
from typing import Any

import pytest

from evolve.runs.progress import COMPILING, Observer, Progress, ProgressLine, TimeLeft, shown


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Reader(Observer):
    """Keeps the rows, and the time that is left at each report; it wants to stop at once."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.lefts: list[Any] = []

    def row(self, row: Any, done: float, total: float) -> None:
        self.rows.append(row)
        self.lefts.append(self.seconds_left)

    def stage(self, name: str, done: float, total: float) -> None:
        self.lefts.append((name, done, total, self.seconds_left))

    def stop(self) -> bool:
        return True


def test_a_terminal_has_one_line() -> None:
    stream = Terminal()
    line = ProgressLine(stream)
    for generation in range(4):
        line.row({"generation": generation, "rating": 12.4}, generation + 1, 4)
    line.close()
    text = stream.getvalue()
    assert text.count("\n") == 1
    *_, last = text.rstrip("\n").split("\r")
    assert last.startswith("█" * 24 + " 100 % · generation 3 · rating 12 · ")
    assert "in all" in last


def test_after_the_last_row_its_stage_is_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10_000, 10))
    monkeypatch.setattr("evolve.runs.progress.time.monotonic", lambda: next(clock) * 1.0)
    stream = Terminal()
    line = ProgressLine(stream)
    line.row({"number": 2}, 3, 3)
    line.seconds_left = 200.0
    line.stage("final", 2, 30)
    assert "final 7 % · about 3 min left" in stream.getvalue().split("\r")[-1]
    line.close()
    assert "s in all" in stream.getvalue().split("\r")[-1]


def test_it_fits_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    line = ProgressLine(stream)
    line.row({"generation": 1, "rating": 12.4}, 1, 4)
    line.stage("generation 2", 1, 2)
    line.close()
    assert max(map(len, stream.getvalue().replace("\n", "").split("\r"))) == 39


def test_a_file_has_a_line_for_each_tenth() -> None:
    stream = io.StringIO()
    line = ProgressLine(stream)
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
    line = ProgressLine(stream)
    line.row({}, 1, 2)
    assert stream.getvalue().startswith("\r")


def test_it_tells_the_caller_s_observer(capsys: pytest.CaptureFixture[str]) -> None:
    reader = Reader()
    with shown(True, reader) as observer:
        observer.row({"generation": 0}, 1, 1)
        observer.note("a \x1b[2Jremark")
        assert observer.stop()
    out = capsys.readouterr().out
    assert "generation 0" in out
    assert "\x1b" not in out
    with shown(False, reader) as observer:
        observer.row({"generation": 1}, 1, 1)
    assert [row["generation"] for row in reader.rows] == [0, 1]
    assert capsys.readouterr().out == ""


class Clock:
    """A clock that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


LEFT: dict[str, tuple[dict[str, Any], list[tuple[float, tuple[Any, ...], float | None]]]] = {
    "nothing is known before there is a pace": (
        # half was done before, or while kernels were compiled
        {}, [(7, (), None), (0, (0.5,), None), (6, (0.6,), 24)],
    ),
    "what comes between rows may say nothing": (
        {"by_rows": True}, [(0, (0.0,), None), (1, (0.5,), None), (0, (0.5, 1.0, {}), 1)],
    ),
    "the first moments tell no pace": (
        {"least": 2.0}, [(0, (0.0,), None), (1.5, (0.001,), None), (0.5, (0.2,), 8)],
    ),
    "what is left passes with the time": (
        {}, [(0, (0.0,), None), (6, (0.1,), 54), (18, (), 36), (50, (), 0)],
    ),
    "the pace counts from what was done before": ({}, [(0, (0.5,), None), (10, (0.75,), 10)]),
    "the last reports tell the pace": (
        {}, [(9 if step < 21 else 1, (step / 80,), ...) for step in range(40)] + [(1, (0.5,), 40)],
    ),
    "work that begins again is measured again": (
        {}, [(0, (0.5,), None), (10, (0.1,), None), (10, (0.2,), 80)],
    ),
    "a limit ends the work but not the stages after it": (
        {"after": lambda pace: {"ladder": 5.0}, "limit": 30.0},
        [(0, (0.0,), ...), (10, (0.1,), 25)],
    ),
    "a stage that nobody expected goes by its own pace": (
        {}, [(0, (0.0,), None), (10, (1.0,), 0), (0, ("final", 0.0), None),
             (10, ("final", 0.25), 30)],
    ),
    "early parts may be shorter than later ones": (
        {"work": lambda done: done**2}, [(0, (0.0, 4.0), None), (1, (1.0, 4.0), 15)],
    ),
    "the pace of parts side by side counts from their beginning": (
        # workers start, and when one is done, the other one is nearly done, too
        {"at_once": 2}, [(0, (0.0, 8.0), None), (110, (1.0, 8.0, {"seconds": 10.0}), None),
                         (2, (2.0, 8.0, {"seconds": 12.0}), 36),
                         (9, (3.0, 8.0, {"seconds": 11.0}), 35)],
    ),
    "stages at the end are part of it": (
        {"after": lambda pace: {"play-off": pace / 4, "ladder": pace / 16}},
        [(0, (0.0, 1.0), None), (40, (0.5,), 65), (0, ("generation 3", 0.5), 65),
         (40, (1.0,), 25), (0, ("play-off", 0.0), 25), (20, ("play-off", 0.5), 25),
         (20, ("play-off", 1.0), 5), (0, ("ladder", 1.0), 0)],
    ),
    "the first parts that also load what they need tell no pace": (
        {"at_once": 2, "known_after": 4},
        [(0, (0.0, 10.0), None), (20, (1.0, 10.0, {"seconds": 20.0}), None),
         (0, (2.0, 10.0, {"seconds": 0.0}), None), (3, (3.0, 10.0, {"seconds": 3.0}), None),
         (0, (4.0, 10.0, {"seconds": 0.0}), 9)],
    ),
}  # fmt: skip
"""What is known, and in steps the seconds that pass, what is reached, and what is left then; `...`:
whatever it is."""


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left(name: str) -> None:
    clock, (how, steps) = Clock(), LEFT[name]
    known, found = TimeLeft(clock=clock, **how), []
    for seconds, reached, left in steps:
        clock.now += seconds
        if reached:
            (known.reach_stage if isinstance(reached[0], str) else known.reach)(*reached)
        found.append(left if left is ... else known.left)
    assert found == [one if one in (None, ...) else pytest.approx(one) for *_, one in steps]


def test_pauses_tell_no_pace() -> None:
    clock, paused = Clock(), [0.0]
    known = TimeLeft(after=lambda pace: {"checks": 40.0}, paused=lambda: paused[0], clock=clock)
    known.reach(0.0)
    clock.now += 10.0
    known.reach(0.5)
    assert known.left == pytest.approx(50.0)
    clock.now += 45.0
    paused[0] = 40.0
    known.reach(0.75)
    assert known.left == pytest.approx(45.0)


def test_compiling_has_no_share_in_the_pace() -> None:
    clock, reader = Clock(), Reader()
    progress = Progress(reader)
    for done in range(3):
        progress.stage(COMPILING, done, 2)
        clock.now += 100.0
    progress.expect(TimeLeft(clock=clock))
    progress.whole("run", 0, 4)
    clock.now += 5.0
    progress.row({}, 1, 4)
    compiled = [(COMPILING, done, 2, None) for done in range(3)]
    assert reader.lefts == [*compiled, ("run", 0, 4, None), pytest.approx(15.0)]


def test_a_file_has_one_line_while_functions_are_compiled() -> None:
    stream = io.StringIO()
    line = ProgressLine(stream)
    for done in range(9):
        line.stage(COMPILING, done, 8)
    assert stream.getvalue().count("\n") == stream.getvalue().count(COMPILING) == 1
