"""A sweep under way: its workers, and what it says of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evolve.config.sweep import SweepSettings
from evolve.sweeps import sweep as sweeps
from evolve.sweeps.sweep import Sweep
from evolve.sweeps.worker import Worker
from evolve.tables.observer import Silent
from tests.sweeps import GENES


class Watcher(Silent):
    """An observer that looks, and may stop or meddle."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def row(self, row: Mapping[str, Any], done: float, total: float) -> None:
        self.rows.append(dict(row))

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.mark.slow
def test_a_worker_that_dies_over_its_report_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    answer = Worker.answer

    def kill_first(self: Worker, stop: bool) -> None:
        if not killed:
            killed.append(int(self.name))
            os.kill(killed[0], signal.SIGKILL)
            self._process.join()
        answer(self, stop)

    monkeypatch.setattr(Worker, "answer", kill_first)
    watcher = Watcher()
    sweep = Sweep(tmp_path, SweepSettings(**GENES, trials=1, study="s"))  # type: ignore[arg-type]
    assert sweep.run(watcher) is sweeps.SweepEnding.COMPLETE
    assert [(row["number"], row["state"]) for row in watcher.rows] == [(0, "COMPLETE")]
    assert "SIGKILL" in watcher.notes[0]
