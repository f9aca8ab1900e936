"""What everything that begins a run needs."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import evolve
from evolve.cli.signals import at_ctrl_c
from evolve.cli.terminal import say
from evolve.tables import folder as store

RUNS: Final = Path("runs")
"""Where runs go when no place is named; made when it is missing, as no other folder is."""


@contextmanager
def worthless_unless_started(
    folder: Path, made: bool, made_runs: bool, committed: Callable[[Path], int]
) -> Iterator[None]:
    """Undo the folder of a run that fails before anything is committed: it would be in the way."""
    try:
        yield
    except BaseException as reason:
        if committed(folder) == 0:
            with at_ctrl_c(lambda: None):  # a further one must not leave half of it
                store.discard(folder, made)
                if made_runs and RUNS.is_dir() and not any(RUNS.iterdir()):
                    RUNS.rmdir()
            if isinstance(reason, KeyboardInterrupt):
                say(f"nothing is kept: no generation, check or trial of {folder} was finished")
        raise


def versions() -> dict[str, str]:
    """Our version, Python's, and those of the packages that results rest on."""
    packages = ("numba", "numpy", "deap", "pandas", "pyarrow", "joblib")
    return {
        "evolve": evolve.__version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in packages},
    }
