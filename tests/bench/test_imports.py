"""Every benchmark that pages name can be started: what it imports is there."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import benchmarks

NAMES = sorted(path.stem for path in Path(benchmarks.__path__[0]).glob("[!_]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_imports_what_exists(name: str) -> None:
    try:
        import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("benchmarks", "evolve", "tests"):
            raise
        pytest.skip(f"{error.name} is not installed")
