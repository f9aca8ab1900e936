"""What is quick stays quick: help, and looking at tables, load no kernels."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evolve.cli.main import COMMANDS

HEAVY = {"deap", "joblib", "matplotlib", "numba", "optuna", "scipy", "torch"}
TABLES = {"numpy", "pandas", "pyarrow"}
OLD_RUN = Path(__file__).parent / "run-0.1"


def loaded(*words: str) -> set[str]:
    """The packages that a command has loaded when it ends."""
    code = (
        "import atexit, sys\n"
        "from evolve.cli.main import main\n"
        "atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))\n"
        "main(sys.argv[1:])\n"
    )
    run = [sys.executable, "-c", code, *words]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stderr.split()}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_loads_neither_kernels_nor_tables(command: str) -> None:
    assert not loaded(command, "--help") & (HEAVY | TABLES)


@pytest.mark.parametrize(
    "words",
    [
        ("runs", str(OLD_RUN.parent)),
        ("show", str(OLD_RUN)),
        ("show", str(OLD_RUN), "--table", "games"),
        ("show", str(OLD_RUN), "--table", "individuals", "--format", "json"),
        ("compare", str(OLD_RUN)),
    ],
    ids=" ".join,
)
def test_looking_at_runs_loads_no_kernels(words: tuple[str, ...]) -> None:
    assert not loaded(*words) & HEAVY


def test_tables_are_read_from_python_without_kernels() -> None:
    code = (
        "import sys, evolve\n"
        "run = evolve.load_run(sys.argv[1])\n"
        "assert len(run.games) and len(run.individuals) and len(run.generations)\n"
        f"found = {HEAVY!r} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    run = [sys.executable, "-c", code, str(OLD_RUN)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
