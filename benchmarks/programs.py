"""Which search finds a program's parameters: a landscape whose best point is known, equal games.

    python -m benchmarks.programs [METHOD …] [--seeds 10] [--games 1000] [--jobs 2] [--out FILE.csv]

The program is the stand-alone file of our own agent `swh?depth=1&endgame=0`, which plays a random
move the more often, the farther two parameters are from where they belong: never at the best point,
3 of 4 moves at the worst. Every method tunes it by `evolve sweep program` with the same games of
trials; then what it has found is compared by the share of random moves, which is known exactly. The
intervals are Student's, over seeds: each has a best point of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import joblib
import numpy as np
import pandas as pd

from benchmarks.trained import over_seeds
from evolve.files.atomic import write_text

METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    "tpe": (),
    "tpe, no race": ("--pruner=none",),
    "cma": ("--sampler=cma",),
    "gp": ("--sampler=gp",),
    "random": ("--sampler=random",),
    "spsa": ("--sampler=spsa", "--pairs=5"),
    "panel": ("--objective=panel", "--panel=swh?depth=1,random", "--panel-openings=10"),
}
"""Options of each search."""
SPACE: Final = {"X": (0.0, 1.0, 0.1), "Y": (0.0, 1.0, 0.9)}
"""Least and most of each parameter, and its default, which is a bad one."""
COLUMNS: Final = ("method", "seed", "games", "trials", "x", "y", "errors", "errors_before")
_WORST: Final = 0.75
_WRAPPER: Final = '''

import hashlib as _hashlib
import os as _os
import random as _random

_BEST = {best!r}


def errors(x, y):
    """The share of random moves at a point."""
    squares = (x - _BEST[0]) ** 2 + (y - _BEST[1]) ** 2
    return {worst!r} * min(1.0, squares / 0.5)


class Tuned(AI):
    share = errors(float(_os.environ.get("X", "0.5")), float(_os.environ.get("Y", "0.5")))

    def go(self, chessboard):
        AI.go(self, chessboard)
        told = "%r %r" % (np.asarray(chessboard).tolist(), (self.color, self.share))
        draw = _random.Random(_hashlib.sha256(told.encode()).digest())
        if self.candidate_list and draw.random() < self.share:
            moves = self.candidate_list[:-1]
            self.candidate_list[-1] = draw.choice(moves)
'''


def best_of(seed: int) -> tuple[float, float]:
    """Where the parameters belong."""
    x, y = np.random.default_rng([seed, 77]).uniform(0.35, 0.9, 2)
    return float(x), float(1.0 - y)


def errors(seed: int, x: float, y: float) -> float:
    """The share of random moves at a point, as the program has it."""
    best = best_of(seed)
    return _WORST * min(1.0, ((x - best[0]) ** 2 + (y - best[1]) ** 2) / 0.5)


def program(folder: Path, seed: int) -> Path:
    """The program of a seed as a Python file."""
    path = folder / f"tuned-{seed}.py"
    words = ["export", "swh?depth=1&endgame=0", "--to", "python", "-o", str(path)]
    run(words)
    wrapper = _WRAPPER.replace("{best!r}", repr(best_of(seed))).replace("{worst!r}", repr(_WORST))
    path.write_text(path.read_text(encoding="ascii") + wrapper, encoding="ascii")
    return path


def run(words: Sequence[str]) -> None:
    """Carry out a command of evolve."""
    subprocess.run([sys.executable, "-m", "evolve", *words], check=True, capture_output=True)


def tuned(method: str, seed: int, games: int) -> dict[str, Any]:
    """What a method has found with so many games."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        space = folder / "space.toml"
        lines = [
            f"[{name}]\nlow = {low}\nhigh = {high}\ndefault = {usual}\n"
            for name, (low, high, usual) in SPACE.items()
        ]
        space.write_text("\n".join(lines))
        out = folder / "sweep"
        command = f"python:{program(folder, seed)}:Tuned"
        final = ("--finalists=1", "--final-openings=20")
        most = games + 2 * 20 * 2  # that of the final
        options = [*METHODS[method], *final, f"--games={most}", f"--seed={seed}", "--jobs=1"]
        told = ["--set-by=env", f"--space={space}", *options, "--out", str(out)]
        run(["sweep", "program", command, *told])
        found = json.loads((out / "best.json").read_text())["parameters"]
        trials = pd.read_parquet(out / "trials.parquet")
    return {
        "method": method,
        "seed": seed,
        "games": int(trials["games"].sum()),
        "trials": len(trials),
        "x": found["X"],
        "y": found["Y"],
        "errors": errors(seed, found["X"], found["Y"]),
        "errors_before": errors(seed, *(usual for _, _, usual in SPACE.values())),
    }


def main(methods: Sequence[str], seeds: int, games: int, jobs: int, out: Path | None) -> None:
    """Print a row for each method. What is in `out` already is not measured again."""
    table = pd.read_csv(out) if out is not None and out.exists() else pd.DataFrame(columns=COLUMNS)
    there = set(zip(table["method"], table["seed"], strict=True))
    tasks = [(method, seed) for seed in range(seeds) for method in methods]
    work = joblib.Parallel(jobs, backend="threading", return_as="generator_unordered")(
        joblib.delayed(tuned)(method, seed, games)
        for method, seed in tasks
        if (method, seed) not in there
    )
    for row in work:
        table = pd.DataFrame([*table.to_dict("records"), row])
        if out is not None:
            write_text(out, table.to_csv(index=False))
    print(f"random moves of the defaults: {table['errors_before'].mean():.3f} (mean)")
    print(f"{'method':<14}{'games':>7}{'trials':>8}   random moves of what was found")
    for method in methods:
        mine = table[table["method"] == method]
        mean, low, high = over_seeds(mine["errors"].tolist())
        games_played, trials = mine["games"].mean(), mine["trials"].mean()
        print(f"{method:<14}{games_played:7.0f}{trials:8.1f}   {mean:.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", metavar="METHOD", help=", ".join(METHODS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    unknown = [name for name in given.methods if name not in METHODS]
    if unknown:
        parser.error(f"there is no {unknown[0]!r}; there are {', '.join(METHODS)}")
    main(given.methods or list(METHODS), given.seeds, given.games, given.jobs, given.out)
