"""Whether the time left that commands show first is the time that they take.

    python -m benchmarks.estimates [NAME …]

Runs the named commands, all where none is named, one after the other, each in a fresh folder, and
prints a row for each: the first time left, when it was shown, what was left in truth, and the
first over the second. The truth ends with the process, so a final and a rating count. Ratios mean
nothing on a machine that others load: the load beside each row tells of that.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.pattern_training import PATTERN_PRESETS

_ENGINE: Final = Path(__file__).resolve().parents[1] / "tests/sweeps/tuned.py"
_PRESETS: Final = {"patterns": PATTERN_PRESETS, "dqn": DQN_PRESETS, "mcts": MCTS_PRESETS}
_TRAININGS: Final = {
    f"train-{kind}-{preset}": ("train", kind, "--preset", preset, "--budget", "30")
    for kind, presets in _PRESETS.items()
    for preset in dict.fromkeys(("default", *presets))
}
COMMANDS: Final[Mapping[str, Sequence[str]]] = {
    "run": ("run", "--generations", "20"),
    "run-full": ("run", "--generations", "168"),
    "study": (
        *("run", "--generations", "8", "--seeds", "0-4"),
        *("--grid", "crossover=blend,uniform", "--grid", "population=24,32"),
    ),
    "sweep-alphabeta": ("sweep", "alphabeta", "--trials", "120"),
    "sweep-patterns": ("sweep", "patterns", "--trials", "8", "--budget", "10"),
    "sweep-dqn": ("sweep", "dqn", "--trials", "8", "--budget", "10"),
    "sweep-program": (
        *("sweep", "program", f"gtp:{sys.executable} {_ENGINE} --corner {{corner:-20:50=-10}}"),
        *("--games", "200"),
    ),
    **_TRAININGS,
    "run-published": ("run", "--preset", "published"),
}
"""The last takes a quarter of an hour, the others seconds to minutes."""


def first_estimate(events: Path) -> tuple[float, float] | None:
    """When a file of events has the first time left, and that time; None where it has none."""
    lines = map(json.loads, events.read_text(encoding="utf-8").splitlines())
    known = ((event["time"], event["left"]) for event in lines if event.get("left") is not None)
    return next(known, None)


def measure(name: str, words: Sequence[str]) -> str:
    """Run a command, and return its row."""
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / "events"
        where = ("--progress", str(events), "--out", str(Path(folder) / "out"))
        begin = time.time()
        done = subprocess.run(
            [sys.executable, "-m", "evolve", *words, *where], capture_output=True, text=True
        )
        end = time.time()
        if done.returncode:
            return f"| {name} | failed: {done.stderr.strip().splitlines()[-1:]} |"
        first = first_estimate(events)
    load = f"{os.getloadavg()[0]:.1f}"
    if first is None:
        return f"| {name} | none | | {end - begin:.0f} | | {load} |"
    at, left = first
    truth = end - at
    return f"| {name} | {left:.0f} | {at - begin:.0f} | {truth:.0f} | {left / truth:.2f} | {load} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COMMANDS))
    names = parser.parse_args().names or list(COMMANDS)
    if unknown := set(names) - set(COMMANDS):
        parser.error(f"no command {', '.join(sorted(unknown))}; there are {', '.join(COMMANDS)}")
    print("| command | first said, s | at, s | truth, s | ratio | load |")
    print("|---|---|---|---|---|---|")
    for name in names:
        print(measure(name, COMMANDS[name]), flush=True)


if __name__ == "__main__":
    main()
