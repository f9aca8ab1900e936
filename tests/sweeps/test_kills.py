"""`kill -9` of sweeps and of their workers: the table comes out as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import numpy as np
import psutil
import pytest

from tests.cli import done, finish, spawn
from tests.tables.content import outcome

KILLS: Final = 10
"""Of sweeps and workers, over all sweeps of this module."""

QUICK = (
    "--jobs=1",
    "--panel=random,swh",
    "--panel-openings=4",
    "--final-openings=4",
    "--finalists=2",
)
FEW_GENES = (
    "alphabeta",
    "--fix=depths=1",
    "--fix=endgame=0",
    "--fix=weights=100,-25,10,5,-25,1,1,5,2,1",
    "--fix=stability=0",
    "--fix=x_squares=0",
    "--fix=c_squares=0",
)
SMALL_TREES = (
    "mcts",
    "--fix=games=60",
    "--fix=simulations=8",
    "--fix=games_per_iteration=20",
    "--fix=check_simulations=10",
    "--fix=play_simulations=10",
    "--fix=endgame=4",
    "--fix=layers=dense 8 relu, dense 1 tanh",
    "--reports=3",
)
SWEEPS: Final = {
    "tpe": ("alphabeta", "--fix=depths=1", "--fix=endgame=0", "--trials=8", "--startup=4"),
    "cma": (*FEW_GENES, "--sampler=cma", "--trials=10", "--startup=4"),
    "gp": (*FEW_GENES, "--sampler=gp", "--trials=8", "--startup=4"),
    "random, median": (*SMALL_TREES, "--sampler=random", "--trials=6", "--startup=3"),
    "tpe, race": (*SMALL_TREES, "--pruner=race", "--trials=6", "--startup=3"),
}
NEED_TORCH: Final = [name for name in SWEEPS if name == "gp" or "mcts" in SWEEPS[name]]


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The worker processes of a sweep that runs: they are forked from a server of it."""
    try:
        children = psutil.Process(process.pid).children()
        servers = [child for child in children if "forkserver" in " ".join(child.cmdline())]
        return [worker.pid for server in servers for worker in server.children()]
    except psutil.Error:  # one of them has just ended
        return []


class Killer:
    """Kills a sweep, or its worker alone, after a number of bytes that it writes."""

    def __init__(self, journal: Path, seed: int, farthest: int) -> None:
        self._journal, self._farthest = journal, farthest
        self._rng = np.random.default_rng(seed)
        self.sweeps = self.workers = 0

    @property
    def kills(self) -> int:
        return self.sweeps + self.workers

    def kill_one(self, process: subprocess.Popen[str]) -> None:
        """Wait for the moment, and do it, unless the sweep ends before."""
        wanted = self._written() + int(self._rng.integers(0, self._farthest))
        while self._written() < wanted and process.poll() is None:
            time.sleep(0.001)
        if self._rng.random() < 0.35:
            found = workers_of(process)
            for worker in found:
                os.kill(worker, signal.SIGKILL)
                self.workers += 1
        elif process.poll() is None:
            process.kill()
            self.sweeps += 1

    def _written(self) -> int:
        return self._journal.stat().st_size if self._journal.exists() else 0


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.learning if name in NEED_TORCH else ())
        for name in SWEEPS
    ],
)
def test_a_sweep_that_is_killed_again_and_again_gives_the_same_table(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done("sweep", *SWEEPS[name], *QUICK, "--out=whole")
    expected = outcome(Path("whole"))
    kills = KILLS // len(SWEEPS)
    written = Path("whole/journal.log").stat().st_size
    killer = Killer(Path("killed/journal.log"), len(name), written // kills)
    command: tuple[object, ...] = ("sweep", *SWEEPS[name], *QUICK, "--out=killed")
    while killer.kills < kills:
        process = spawn(tmp_path, *command)
        while killer.kills < kills and process.poll() is None:
            killer.kill_one(process)
        ended = finish(process)
        assert ended.code != 0 or killer.kills == kills, "it came to its end under way"
        if Path("killed/config.toml").exists():
            command = ("resume", "killed", "--jobs", 1)
    done(*command)
    print(f"{name}: {killer.sweeps} sweeps and {killer.workers} workers killed")
    assert outcome(Path("killed")) == expected
