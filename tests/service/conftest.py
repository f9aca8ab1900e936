"""A folder with a small run, a service on it, and a browser where there is one."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from benchmarks.pages import find_chromium, open_chromium
from evolve.config.base import option_words
from tests.cli import ALPHABETA, QUICK, done
from tests.cli.test_train import TRAIN
from tests.service import SMALL, Service
from tests.service.inside import local, runner

__all__ = ["local", "runner"]

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_CHROMIUM: Final = find_chromium()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _CHROMIUM is None or importlib.util.find_spec("playwright") is None:
        needs = "needs Playwright (pip install '.[browser]'), Chromium (apt-get install chromium)"
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=needs))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser; its loop of events runs in this thread, so that it ends with the module."""
    assert _CHROMIUM is not None
    with open_chromium(_CHROMIUM) as opened:
        yield opened


@pytest.fixture(scope="session", autouse=True)
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Games that are played here are not those of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOLVE_DATA_DIR", str(tmp_path_factory.mktemp("user") / "data"))
        yield


@pytest.fixture
def own_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user with a data folder, and so a secret, of one's own."""
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs with an evolution, `small`."""
    folder = tmp_path_factory.mktemp("service") / "runs"
    folder.mkdir()
    done("run", *option_words(SMALL), "--jobs=1", "--out", folder / "small")
    return folder


@pytest.fixture(scope="session")
def each_kind(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs with an evolution, `small`, a study, `grid`, a training and a sweep."""
    folder = tmp_path_factory.mktemp("each") / "runs"
    shutil.copytree(runs / "small", folder / "small")
    done("run", *QUICK, "--generations=2", "--seeds=0-1", "--out", folder / "grid")
    done(*ALPHABETA[:-1], "--trials=2", "--jobs=1", "--out", folder / "swept")
    done(*TRAIN["patterns"], "--games=100", "--out", folder / "taught")
    return folder


@pytest.fixture(scope="session")
def service(runs: Path) -> Iterator[Service]:
    """A service on it, for tests that leave it as it is."""
    with Service(runs, "--slots=2").start(real=True) as started:  # its memory is looked at
        yield started


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Service]:
    """A service on an empty folder, with one slot."""
    with Service(tmp_path / "runs").start() as started:
        yield started
