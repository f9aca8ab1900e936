"""A folder with a small run, and a service on it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service import SMALL, Service


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with an evolution, `small`."""
    folder = tmp_path_factory.mktemp("service") / "runs"
    folder.mkdir()
    options = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    words = [sys.executable, "-m", "evolve", "run", *options, "--jobs=1"]
    subprocess.run([*words, "--out", str(folder / "small")], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def service(runs: Path) -> Iterator[Service]:
    """A service on it, for tests that leave it as it is."""
    started = Service(runs, "--slots=2").start()
    yield started
    started.close()


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Service]:
    """A service on an empty folder, with one slot."""
    folder = tmp_path / "runs"
    folder.mkdir()
    started = Service(folder).start()
    yield started
    started.close()
