"""Sweeps whose workers, own process and scheduler are killed: nothing may be lost, or differ.

    python -m benchmarks.kills [KIND ...] [--workers 4] [--sweeps 2] [--schedulers 1] [--seed 0]

Each kind of sweep runs once undisturbed, with one worker. Then it runs again, and is killed so
often at random moments: workers, the whole sweep (`resume` goes on), and the scheduler of a cluster
of two workers, where trials run for a while. The tables must be equal but for times and workers;
where CPU seconds are the budget (`evolution`), each trial must be there once.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil

import evolve
from tests.cluster.dask import cluster, place

_ENGINE = Path(__file__).resolve().parents[1] / "tests/sweeps/tuned.py"
_SMALL = ("--panel=random,swh", "--final-openings=4", "--startup=2", "--jobs=1", "--seed=1")
KINDS = {
    "alphabeta": ("--trials=40", "--panel-openings=20", "--fix=depths=3"),
    "evolution": ("--trials=8", "--budget=3", "--panel-openings=10", "--fix=population=8"),
    "patterns": (
        "--trials=5", "--panel-openings=10", "--reports=3",
        "--fix=games=2000", "--fix=search_depth=2", "--fix=search_solved=6", "--fix=probcut=0",
    ),
    "mcts": ("--trials=5", "--fix=games=60", "--panel-openings=4", "--fix=games_per_iteration=20"),
    "program": (
        f"gtp:{sys.executable} -IS {_ENGINE} --corner {{corner:0:999=1}} --wait 0.002",
        "--trials=8", "--pairs=6",
    ),
}  # fmt: skip
"""Words of the sweeps, each some 20 seconds long."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    for name, count in {"workers": 4, "sweeps": 2, "schedulers": 1, "seed": 0}.items():
        parser.add_argument(f"--{name}", type=int, default=count)
    given = parser.parse_args()
    rng, differ = np.random.default_rng(given.seed), list[str]()
    for kind in given.kinds or KINDS:
        kills = [
            *["worker"] * given.workers,
            *["sweep"] * given.sweeps,
            *["scheduler"] * given.schedulers,
        ]
        rng.shuffle(kills)
        with tempfile.TemporaryDirectory(prefix="kills-") as scratch:
            whole, killed = Path(scratch, "whole"), Path(scratch, "killed")
            end(begin(kind, whole))
            for kill in kills:
                if not killed_by(kill, begin(kind, killed), kind, killed, rng):
                    print(f"{kind}: it ended before all of {kills}")
            end(begin(kind, killed))
            same = alike(kind, table(whole), table(killed))
        print(f"{kind}: {', '.join(kills)}: {'equal' if same else 'DIFFERS'}", flush=True)
        differ += [] if same else [kind]
    sys.exit(f"differs: {', '.join(differ)}" if differ else 0)


def begin(kind: str, out: Path, *more: str) -> subprocess.Popen[str]:
    """Begin a sweep, or go on with it."""
    words = ("resume", str(out)) if (out / "config.toml").exists() else (
        "sweep", kind, *KINDS[kind], *(_SMALL if kind != "program" else _SMALL[1:]), f"--out={out}",
    )  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "evolve", *words, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def end(process: subprocess.Popen[str], code: int = 0) -> None:
    out, _ = process.communicate()
    if process.returncode != code:
        sys.exit(f"it ended with {process.returncode}:\n{out}")


def killed_by(
    kill: str, process: subprocess.Popen[str], kind: str, out: Path, rng: np.random.Generator
) -> bool:
    """Kill what is asked for once trials run, and wait for its end; return whether it came to it.

    A sweep whose worker dies goes on; it is stopped a while later, as by Ctrl-C.
    """
    if kill == "scheduler":
        process.send_signal(signal.SIGINT)
        process.wait()
        with tempfile.TemporaryDirectory() as logs, place(Path(logs), 2) as found:
            cluster(found, 2).close()
            process = begin(kind, out, "--scheduler", found.address)
            if not works(process, out, rng):
                return False
            found.scheduler.kill()
            end(process, 1)
        return True
    if not works(process, out, rng):
        return False
    if kill == "sweep":
        process.kill()
        process.wait()
        return True
    for worker in workers_of(process.pid):
        worker.kill()
    time.sleep(rng.uniform(1.0, 2.0))
    process.send_signal(signal.SIGINT)
    process.wait()
    return True


def works(process: subprocess.Popen[str], out: Path, rng: np.random.Generator) -> bool:
    """Wait until a worker is there, and a random moment more; False where the sweep has ended."""
    wait = rng.uniform(0.0, 2.5)
    while process.poll() is None:
        if (out / "trials.parquet").exists() and any((out / "trials").glob("*")):
            time.sleep(wait)
            return process.poll() is None
        time.sleep(0.05)
    return False


def workers_of(pid: int) -> list[psutil.Process]:
    """The processes that do the slices of a sweep: forks of its warm server."""
    found = psutil.Process(pid).children(recursive=True)
    servers = {p.pid for p in found if "forkserver" in " ".join(p.cmdline())}
    return [p for p in found if p.ppid() in servers]


def table(folder: Path) -> pd.DataFrame:
    trials = evolve.load_run(folder).trials
    return trials.drop(columns=["seconds", "worker"]).sort_values("number", ignore_index=True)


def alike(kind: str, whole: pd.DataFrame, killed: pd.DataFrame) -> bool:
    if kind != "evolution":
        return whole.equals(killed)
    ended = killed["state"].isin(["COMPLETE", "PRUNED"])
    return bool(ended.all()) and killed["number"].tolist() == whole["number"].tolist()


if __name__ == "__main__":
    main()
