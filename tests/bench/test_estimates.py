"""The benchmark of the time left that commands show first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import estimates

EVENTS = [
    {"event": "started", "time": 100.0},
    {"event": "progress", "time": 101.0, "left": None},
    {"event": "progress", "time": 103.0, "left": 20.0},
    {"event": "row", "time": 104.0, "left": 7.0},
]


@pytest.mark.parametrize(("count", "expected"), [(2, None), (4, (103.0, 20.0))])
def test_the_first_time_left_counts(
    tmp_path: Path, count: int, expected: tuple[float, float] | None
) -> None:
    events = tmp_path / "events"
    events.write_text("".join(json.dumps(event) + "\n" for event in EVENTS[:count]))
    assert estimates.first_estimate(events) == expected


def test_every_preset_is_measured() -> None:
    presets = {"train-mcts-s3-mcts", "train-dqn-s5-network2", "train-patterns-strong"}
    assert presets < set(estimates.COMMANDS)


def test_a_command_that_fails_is_no_figure() -> None:
    assert "failed" in estimates.measure("bad", ("run", "--generations", "none"))


@pytest.mark.slow
def test_a_command_is_run_to_its_end(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    words = ("run", "--generations", "3", "--population", "8")
    monkeypatch.setattr(estimates, "COMMANDS", {"small": words})
    monkeypatch.setattr("sys.argv", ["estimates", "small"])
    estimates.main()
    cells = capsys.readouterr().out.splitlines()[-1].split("|")
    assert cells[1].strip() == "small"
    assert all(float(cell) >= 0 for cell in cells[2:7])
