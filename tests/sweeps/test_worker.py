"""Worker processes: how they begin, what they say, and how they die."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from evolve.config.sweep import SweepSettings
from evolve.sweeps.plan import plan_of
from evolve.sweeps.trials import Task
from evolve.sweeps.worker import IntermediateScore, Worker, ready
from tests.sweeps import GENES
from tests.waits import PATIENCE


@pytest.mark.slow
def test_ctrl_c_does_not_reach_a_worker_that_is_starting(tmp_path: Path) -> None:
    settings = SweepSettings(**GENES, trials=1)  # type: ignore[arg-type]
    worker = Worker(tmp_path, settings)
    try:
        worker.start(Task(0, plan_of(settings).defaults or {}))
        while not ready([worker], 0.02):  # from its first moment to its first report
            os.kill(int(worker.name), signal.SIGINT)
        assert isinstance(worker.receive(), IntermediateScore)
    finally:
        worker.kill()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.parametrize("way", ["SIGKILL", "SIGTERM", "SIGSEGV"])
def test_how_a_worker_died(way: str, tmp_path: Path) -> None:
    worker = Worker(tmp_path, SweepSettings(**GENES, trials=1))  # type: ignore[arg-type]
    assert worker.idle
    worker.start(Task(4, {}))
    assert (worker.idle, worker.number) == (False, 4)
    os.kill(int(worker.name), signal.Signals[way])
    assert ready([worker], PATIENCE) == [worker], "its end is a message, too"
    with pytest.raises((EOFError, OSError)):
        worker.receive()
    assert worker.death() == f"the worker was killed by {way}"
    worker.kill()
