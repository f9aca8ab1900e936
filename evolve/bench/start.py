"""How long it takes to start: with nothing compiled yet, and later."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from evolve.errors import BenchError

Figures = dict[str, Any]

REPEATS: Final = 3
_RUN: Final = ("run", "--generations", "1", "--population", "4", "--jobs", "1", "--out")
_IMPORTS: Final = "import evolve.cli.run\n"
_KERNELS: Final = (
    _IMPORTS
    + """
import numpy as np
from evolve.agents.registry import reference_agent
from evolve.fitness.games import play_games
from evolve.fitness.openings import Part, balanced_openings

openings = balanced_openings(1, Part.MATCH, "standard", np.random.default_rng(0))
player = reference_agent("swh")
play_games([player, player], np.array([[0, 1, 0]], np.int32), openings, "standard")
"""
)
"""All that a run compiles, with next to no work."""


def start_rows() -> list[Figures]:
    """Seconds of whole processes, medians of 3: CPU (0 where it is not counted) and wall.

    `imports` is a process that imports all that a run uses; `first use` and `later use` are what
    one takes beyond that to have every kernel of a run compiled, or loaded from the cache, and
    to play one game; `evolve run` is one generation of four with everything in the cache.
    """
    with tempfile.TemporaryDirectory(prefix="evolve-bench-") as folder:
        place = Path(folder)

        def several(arguments: list[str]) -> tuple[float, float]:
            return _median([_measure(arguments, place / "warm") for _ in range(REPEATS)])

        first = _median([_measure(["-c", _KERNELS], place / f"cold-{i}") for i in range(REPEATS)])
        _measure(["-c", _KERNELS], place / "warm")
        later = several(["-c", _KERNELS])
        imports = several(["-c", _IMPORTS])
        runs = [
            _measure(["-m", "evolve", *_RUN, str(place / f"run-{i}")], place / "warm")
            for i in range(REPEATS)
        ]
        measured = {
            "evolve --help": several(["-m", "evolve", "--help"]),
            "imports": imports,
            "first use": _beyond(first, imports),
            "later use": _beyond(later, imports),
            "evolve run": _median(runs),
        }
    return [
        {"what": what, "cpu_seconds": cpu, "wall_seconds": wall}
        for what, (cpu, wall) in measured.items()
    ]


def _beyond(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] - other[0], one[1] - other[1]


def _median(times: list[tuple[float, float]]) -> tuple[float, float]:
    cpu, wall = zip(*times, strict=True)
    return statistics.median(cpu), statistics.median(wall)


def _measure(arguments: list[str], cache: Path) -> tuple[float, float]:
    """CPU and wall seconds of one interpreter and its children."""
    environment = {**os.environ, "EVOLVE_CACHE_DIR": str(cache)}
    before, begin = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    wall, after = time.perf_counter() - begin, os.times()
    if done.returncode:
        raise BenchError(f"{' '.join(arguments)} failed: {done.stderr.strip()}")
    cpu = after.children_user + after.children_system
    return cpu - before.children_user - before.children_system, wall
