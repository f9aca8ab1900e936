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

Row = dict[str, Any]

REPEATS: Final = 3
_RUN: Final = ("run", "--generations", "1", "--population", "4", "--jobs", "1", "--out")
_IMPORTS: Final = "import evolve.cli.evolution"


def start_rows() -> list[Row]:
    """Seconds of whole processes: CPU (0 where the system does not count it) and wall.

    `compilation` is what a first run of one generation takes more than later ones;
    `above imports` what such a later run takes more than importing all that it uses.
    """
    with tempfile.TemporaryDirectory(prefix="evolve-bench-") as folder:
        place = Path(folder)
        numbers = iter(range(100))

        def run() -> tuple[float, float]:
            out = place / f"run-{next(numbers)}"
            return _measure(["-m", "evolve", *_RUN, str(out)], place / "cache")

        help_page = _median([_measure(["-m", "evolve", "--help"], place) for _ in range(REPEATS)])
        first = run()
        later = _median([run() for _ in range(REPEATS)])
        imports = _median([_measure(["-c", _IMPORTS], place / "cache") for _ in range(REPEATS)])
    compilation = (first[0] - later[0], first[1] - later[1])
    above = (later[0] - imports[0], later[1] - imports[1])
    measured = {
        "evolve --help": help_page,
        "first run": first,
        "later run": later,
        "imports": imports,
        "compilation": compilation,
        "above imports": above,
    }
    return [
        {"what": what, "cpu_seconds": cpu, "wall_seconds": wall}
        for what, (cpu, wall) in measured.items()
    ]


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
        raise BenchError(f"evolve {' '.join(arguments)} failed: {done.stderr.strip()}")
    cpu = after.children_user + after.children_system
    return cpu - before.children_user - before.children_system, wall
