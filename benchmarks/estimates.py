"""Whether the time left that commands show first is the time that they take.

    python -m benchmarks.estimates [--warm] [NAME …]

Runs the named commands, all where none is named, one after the other on a terminal of its own, each
in a fresh folder and with an empty cache of kernels, as on a new machine; with --warm they keep the
usual cache. It prints a row for each: when something was shown first, the first time left, when
that was shown, what was left in truth, the first over the second, and the CPU seconds of all. The
truth ends with the process, so a final and a rating count. Ratios mean nothing on a machine that
others load: the load beside each row tells of that.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.pattern_training import PATTERN_PRESETS

_ENGINE: Final = Path(__file__).resolve().parents[1] / "tests/sweeps/tuned.py"
_PRESETS: Final = {"patterns": PATTERN_PRESETS, "dqn": DQN_PRESETS, "mcts": MCTS_PRESETS}
_BUDGETS: Final = {"strong": "180"}
"""Its own: with 30 s it has four checks in place of ten, which nobody can know before."""
_TRAININGS: Final = {
    f"train-{kind}-{preset}": (
        *("train", kind, "--preset", preset),
        *("--budget", _BUDGETS.get(preset, "30")),
    )
    for kind, presets in _PRESETS.items()
    for preset in dict.fromkeys(("default", *presets))
}
COMMANDS: Final[Mapping[str, Sequence[str]]] = {
    "run": ("run", "--generations", "20"),
    "run-full": ("run", "--generations", "168"),
    "hand-in": ("hand-in", "--rules", "reversed"),
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
    "train-mcts-s3-mcts-20": ("train", "mcts", "--preset", "s3-mcts", "--budget", "20"),
    "run-published": ("run", "--preset", "published"),
}
"""The last takes a quarter of an hour, the others seconds to minutes."""


_LEFT: Final = re.compile(
    r"(?:about|at most|takes) (\d+(?:\.\d+)?) (s|min|h) (?:left|by the clock)"
)
_SECONDS: Final = {"s": 1.0, "min": 60.0, "h": 3600.0}
_CONTROL: Final = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def first_estimate(shown: Iterable[tuple[float, str]]) -> tuple[float, float] | None:
    """When the first time left is shown, and that time in seconds; None where none is.

    shown: what a terminal shows, and when.
    """
    text = ""
    for at, more in shown:
        text += _CONTROL.sub("", more)
        if (found := _LEFT.search(text)) is not None:
            return at, float(found[1]) * _SECONDS[found[2]]
    return None


def measure(name: str, words: Sequence[str], warm: bool = False) -> str:
    """Run a command, and return its row."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / ("agent.py" if words[0] == "hand-in" else "out")
        command = [
            sys.executable,
            "-m",
            "evolve",
            *words,
            "-o" if words[0] == "hand-in" else "--out",
            str(out),
        ]
        environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"}
        if not warm:
            environment["EVOLVE_CACHE_DIR"] = str(Path(folder) / "cache")
        ours, theirs = pty.openpty()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        process = subprocess.Popen(
            command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)
        shown = []
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # Linux's word for the end
                break
            if not more:
                break
            shown.append((time.monotonic() - begin, more.decode(errors="replace")))
        code = process.wait()
        os.close(ours)
    end, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if code:
        return f"| {name} | failed: {''.join(text for _, text in shown).splitlines()[-1:]} |"
    first, load = first_estimate(shown), os.getloadavg()[0]
    row = f"| {name} | {shown[0][0]:.1f} |"
    if first is None:
        return f"{row} none | | {end:.0f} | | {cpu:.1f} | {load:.1f} |"
    at, left = first
    truth = end - at
    return (
        f"{row} {left:.0f} | {at:.1f} | {truth:.1f} | {left / truth:.2f} | {cpu:.1f} | {load:.1f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(COMMANDS))
    parser.add_argument("--warm", action="store_true", help="keep the usual cache of kernels")
    options = parser.parse_args()
    names = options.names or list(COMMANDS)
    if unknown := set(names) - set(COMMANDS):
        parser.error(f"no command {', '.join(sorted(unknown))}; there are {', '.join(COMMANDS)}")
    print("| command | shown at, s | first said, s | at, s | truth, s | ratio | CPU s | load |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        print(measure(name, COMMANDS[name], options.warm), flush=True)


if __name__ == "__main__":
    main()
