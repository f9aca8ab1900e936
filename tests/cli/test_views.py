"""Runs for people: generations, checks and trials, at work and by `evolve show`."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evolve
from evolve.cli.output import LEGEND, NOT_SHOWN, SHOWN, columns_shown, print_trials
from evolve.cli.sweeps import TrialsView
from evolve.cli.trainings import ChecksView
from evolve.config.learning import DqnSettings
from evolve.config.sweep import SweepSettings
from evolve.runs.run import Run
from evolve.tables.individuals import GENERATIONS_COLUMNS
from evolve.tables.metrics import METRICS_COLUMNS
from evolve.tables.trials import Importances
from tests import forks
from tests.cli import QUICK, command, done, environment, on_a_terminal, read_terminal


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_generation_is_a_line_on_a_terminal_of_80_columns(first: Path, tmp_path: Path) -> None:
    import pty

    here, there = pty.openpty()
    process = forks.start(
        command("show", first),
        cwd=tmp_path,
        env=environment(COLUMNS="80", LINES="24", TERM="xterm", NO_COLOR="1"),
        stdin=subprocess.DEVNULL,
        stdout=there,
        stderr=subprocess.PIPE,
    )
    os.close(there)
    shown = read_terminal(here)
    assert process.wait() == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "past_score: " in text
    # The head, then a line a generation, nothing folded into further lines.
    lines = [line for line in text.splitlines() if line.strip()]
    begin = next(number for number, line in enumerate(lines) if line.split()[0] == "0")
    rows = evolve.load_run(first).generations.to_dict("records")
    for line, row in zip(lines[begin : begin + 3], rows, strict=True):
        assert line.split()[:2] == [str(row["generation"]), row["best"]]
        for column in ("panel_elo", "panel_elo_low", "panel_elo_high", "rating"):
            assert f" {row[column]:.0f}" in line
    # One name everywhere: the head is the columns' own names, word above word.
    stacked = [line.split() for line in lines[:begin]]
    for name in columns_shown(ladder=True):
        words = name.split("_")
        assert all(word in line for word, line in zip(words[::-1], stacked[::-1], strict=False))
    assert lines[begin + 3].startswith("past_score: ")
    assert max(map(len, lines[: begin + 3])) <= 80


def test_every_column_of_generations_is_explained() -> None:
    assert {*SHOWN, *NOT_SHOWN} == set(GENERATIONS_COLUMNS.names)
    said = done("show", "--help").out
    for name, meaning in {**SHOWN, **NOT_SHOWN}.items():
        assert f"{name} " in said
        assert meaning in said


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
    assert LEGEND in live
    assert re.search(r"run +━+ 2/2 +\d+ s elapsed, about \d+ s left", live)


ROW = {
    "check": 3, "games": 12_000, "steps": 900, "loss": 0.12345, "random": 1.0, "depth_1": 0.5,
    "depth_2": 0.25, "score": float("nan"), "cpu_seconds": 61.7, "seconds": 30.0,
}  # fmt: skip


def test_each_figure_stands_under_its_column() -> None:
    look = ChecksView(DqnSettings())
    (head,) = look.heads()
    line = look.line(look.cells(ROW, 90.0), 90.0)
    assert line.split() == [
        "3", "12000", "900", "0.123", "1.000", "0.500", "0.250", "–", "62", "2", "min",
    ]  # fmt: skip
    ends = [head.index(f"{name} ") + len(name) for name in look.columns[:-1]]
    assert all(line[end - 1] != " " and line[end] == " " for end in ends)
    assert len(head) == len(line)
    assert set(look.columns) <= set(METRICS_COLUMNS.names)


@pytest.mark.parametrize(("done", "left"), [(0.25, 90.0), (1.0, 0.0), (0.0, math.inf)])
def test_the_time_left_goes_by_the_share_that_is_done(done: float, left: float) -> None:
    assert ChecksView(DqnSettings()).seconds_left(ROW, done, 1.0) == left


def row(number: int, state: str, score: float | None, **others: Any) -> dict[str, Any]:
    facts = {"number": number, "state": state, "score": score, "score_error": 0.0125, "best": None}
    return {**facts, "seconds": 2.04, "reason": None, **others}


def test_a_row_of_a_trial() -> None:
    look = TrialsView(SweepSettings(kind="alphabeta"))
    best = look.columns.index("best")
    rows = [
        row(0, "FAIL", None, seconds=None, reason="no memory"),
        row(1, "COMPLETE", 0.5, best=0.5),
        row(2, "PRUNED", 0.9, best=0.5),
    ]
    cells = [look.cells(one, 60.0) for one in rows]
    assert [texts[best] for texts in cells] == ["–", "0.500", "0.500"]
    assert cells[0] == ["0", "fail", "–", "0.013", "–", "–", "60 s"]
    assert cells[2][1:3] == ["pruned", "0.900"]
    assert [look.remark(one) for one in rows] == ["trial 0: no memory", None, None]
    (head,) = look.heads()
    assert len(head) == len(look.line(cells[1], 60.0)) <= 80


def test_the_time_left_goes_by_trials_of_this_time() -> None:
    look = TrialsView(SweepSettings(kind="alphabeta"), (10, 60))
    assert math.isnan(look.seconds_left(row(9, "COMPLETE", 0.5), 10, 20))
    assert look.cells(row(9, "COMPLETE", 0.5), math.nan)[-1] == "–"
    look._begin -= 30.0
    assert look.seconds_left(row(11, "COMPLETE", 0.5), 12, 20) == pytest.approx(120.0, abs=1.0)


def test_the_time_left_knows_of_the_final() -> None:
    final = iter((7.0, 70.0, 700.0))
    look = TrialsView(SweepSettings(kind="alphabeta"), (0, 20), lambda: next(final))
    look._begin -= 30.0
    told = [look.seconds_left(row(n, "COMPLETE", 0.5), n + 1, 20) for n in (9, 18, 19)]
    assert told == pytest.approx([30 + 7, 30 / 19 + 70, 700], abs=1.0)


def test_the_parameters_that_matter_most_are_shown(
    swept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(swept)
    frame: pd.DataFrame = run.trials
    shares = {"weights.7": 0.6, "mobility.1": 0.3, "stability.2": 0.1}
    run.__dict__["importances"] = Importances(shares, dict.fromkeys(shares, 0.02))
    print_trials(run, frame)
    head, *lines = capsys.readouterr().out.splitlines()
    names = head.split()
    assert names[:5] == ["number", "state", "score", "score_error", "seconds"]
    assert names[5:8] == list(shares)
    assert len(names) == 11
    assert [line.split()[0] for line in lines[: len(frame)]] == ["0", "1", "2", "3", "4"]
    assert lines[len(frame)].startswith("6 of ")
    assert lines[-2].startswith("importance for a good score: weights.7 0.60 (p 0.020), mobility.1")
