"""What is compiled before work begins is what the work needs, in the types in which it calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_REPORTS = """
import json, sys
from numba.core import event

class Listener(event.Listener):
    depth = 0
    def on_start(self, event):
        self.depth += 1
    def on_end(self, event):
        self.depth -= 1
        if not self.depth:
            late.append(event.data["dispatcher"].py_func.__name__)

from evolve.engine.games import first_use
reports, late = [], []
first_use.compile_first(lambda *report: reports.append(report), getattr(first_use, sys.argv[1]))
event.register("numba:compile", Listener())
"""
_GAMES = """
from pathlib import Path
import evolve
evolve.evolve(Path(sys.argv[2]), generations=1, population=4, hall_of_fame=1,
              panel_openings=2, playoff_openings=2)
"""
_MOVES = """
from evolve.engine.board.board import Board
from evolve.runs.loading import load_agent
from evolve.service.engine_worker import ready
ready()
for name in ("swh?time=0.05", "patterns-reversed?time=0.05", "swh?depth=2"):
    load_agent(name).choose(Board.start())
"""


@pytest.mark.parametrize(("kernels", "work"), [("GAMES", _GAMES), ("MOVES", _MOVES)])
@pytest.mark.slow
def test_nothing_is_compiled_after_it(tmp_path: Path, kernels: str, work: str) -> None:
    script = _REPORTS + work + "print(json.dumps([reports, late]))"
    command = [sys.executable, "-c", script, kernels, str(tmp_path / "run")]
    environment = {"EVOLVE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    reports, late = json.loads(done.stdout.splitlines()[-1])
    total = reports[0][1]
    assert late == []
    assert reports == [[number, total] for number in range(total + 1)]
