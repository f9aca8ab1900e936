"""Tiny runs for all tests that only look, and a copy for those that change one."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evolve.cli import terminal
from tests.cli import ALPHABETA, QUICK, TINY, done


@pytest.fixture(autouse=True)
def _inside_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in a folder of the test's own, so that `runs/` is made there, and keep what
    they know of their user beside it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shared run: a finished one of three generations. Look, do not touch."""
    folder = tmp_path_factory.mktemp("shared") / "first"
    done("run", *TINY, "--jobs", 1, "--out", folder)
    return folder


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same from the start position, which is quick to resume. Look, do not touch."""
    folder = tmp_path_factory.mktemp("shared") / "quick"
    done("run", *QUICK, "--out", folder)
    return folder


@pytest.fixture
def copy(quick: Path, tmp_path: Path) -> Path:
    """A copy of that quick run to damage or to go on with."""
    return Path(shutil.copytree(quick, tmp_path / "copy"))


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished sweep of alpha-beta parameters. Look, do not touch."""
    folder = tmp_path_factory.mktemp("swept") / "swept"
    done(*ALPHABETA, "--jobs=1", "--out", folder)
    return folder


@pytest.fixture
def sweep(swept: Path, tmp_path: Path) -> Path:
    """A copy of that sweep to damage or to go on with."""
    return Path(shutil.copytree(swept, tmp_path / "sweep"))


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Makes standard output a terminal of so many columns, with colours unless `colour` is off."""

    def become(columns: int, colour: bool = True) -> None:
        values = {"FORCE_COLOR": "1", "TERM": "xterm", "COLORTERM": "truecolor", "LINES": "24"}
        for name, value in {**values, "COLUMNS": str(columns), "NO_COLOR": "1"}.items():
            monkeypatch.setenv(name, value)
        if colour:
            monkeypatch.delenv("NO_COLOR")
        terminal.out.cache_clear()

    yield become
    terminal.out.cache_clear()


@pytest.fixture
def shown(screen: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Gives the lines that a function with its arguments prints on so many columns."""

    def of(columns: int, show: Callable[..., object], *arguments: object) -> list[str]:
        screen(columns, False)
        show(*arguments)
        return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()

    return of
