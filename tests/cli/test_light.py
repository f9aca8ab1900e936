"""What is quick stays quick: help, and looking at tables, load no kernels."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from evolve.cli.main import COMMANDS

HEAVY = {"deap", "joblib", "matplotlib", "numba", "optuna", "scipy", "torch"}
TABLES = {"numpy", "pandas", "pyarrow"}
OLD_RUN = Path(__file__).parent / "run-0.1"


def loaded(*commands: tuple[str, ...]) -> dict[str, set[str]]:
    """The packages that are loaded after each of some commands, one after the other in a process:
    what is not there after the last was loaded by none."""
    code = (
        "import json, sys\n"
        "from evolve.cli.main import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    try:\n"
        "        main(words)\n"
        "        code = 0\n"
        "    except SystemExit as ended:\n"
        "        code = ended.code\n"
        "    print(code, *sorted(sys.modules), file=sys.stderr)\n"
    )
    run = [sys.executable, "-c", code, json.dumps(commands)]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = {}
    for words, line in zip(commands, done.stderr.splitlines(), strict=True):
        ended, *names = line.split()
        assert ended == "0", words
        found[" ".join(words)] = {name.partition(".")[0] for name in names}
    return found


def test_help_loads_neither_kernels_nor_tables() -> None:
    for command, names in loaded(*((command, "--help") for command in COMMANDS)).items():
        assert not names & (HEAVY | TABLES), command


def test_looking_at_runs_loads_no_kernels() -> None:
    found = loaded(
        ("runs", str(OLD_RUN.parent)),
        ("show", str(OLD_RUN)),
        ("show", str(OLD_RUN), "--table", "games"),
        ("show", str(OLD_RUN), "--table", "individuals", "--format", "json"),
        ("compare", str(OLD_RUN)),
    )
    for command, names in found.items():
        assert not names & HEAVY, command


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


def test_a_match_loads_no_pandas() -> None:
    """32 MB of memory, and time, for what only files of games need."""
    found = loaded(("match", "swh", "zero", "--games", "4", "--json"))
    assert all("pandas" not in names for names in found.values())
