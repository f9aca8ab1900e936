"""How a training shows its checks."""

from __future__ import annotations

import time

import pytest

from evolve.cli.display import Display
from evolve.cli.trainings import ChecksView
from evolve.config.learning import DqnSettings
from evolve.runs.progress import TimeLeft
from evolve.tables.metrics import METRICS_COLUMNS

ROW = {
    "check": 3, "games": 12_000, "steps": 900, "loss": 0.12345, "random": 1.0, "depth_1": 0.5,
    "depth_2": 0.25, "score": float("nan"), "cpu_seconds": 61.7, "seconds": 30.0,
}  # fmt: skip


def test_each_figure_stands_under_its_column() -> None:
    look = ChecksView(DqnSettings())
    head = look.head()
    line = look.line(ROW, 90.0)
    assert line.split() == [
        "3", "12000", "900", "0.123", "1.000", "0.500", "0.250", "–", "62", "2", "min",
    ]  # fmt: skip
    ends = [head.index(f" {name} ") + len(name) + 1 for name in look.columns]
    assert all(line[end - 1] != " " and line[end] == " " for end in ends)
    assert len(head) == len(line)
    assert set(look.columns) <= set(METRICS_COLUMNS.names)


def test_the_time_left_goes_by_the_share_that_is_done() -> None:
    look = ChecksView(DqnSettings())
    display = Display(look)
    now = time.monotonic()
    display.time = TimeLeft(clock=lambda: now)
    display.stage("100 games", 0.2, 1.0)
    assert display.time.left is None
    now += 30.0
    display.stage("200 games", 0.5, 1.0)
    assert display.time.left == pytest.approx(50.0)
    display.row(ROW, 0.5, 1.0)
    assert display.time.left == pytest.approx(50.0)
