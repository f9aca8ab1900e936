"""A folder with a small run, a service on it, and a browser where there is one."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from benchmarks.pages import find_chromium, open_chromium
from tests.cli import done
from tests.service import SMALL, Service
from tests.service.inside import local, runner

__all__ = ["local", "runner"]

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_CHROMIUM: Final = find_chromium()
_NO_BROWSER: Final = (
    "needs Playwright: pip install '.[browser]'"
    if importlib.util.find_spec("playwright") is None
    else "needs a Chromium: apt-get install chromium"
    if _CHROMIUM is None
    else None
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _NO_BROWSER is not None:
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.skip(reason=_NO_BROWSER))


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
    options = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    done("run", *options, "--jobs=1", "--out", folder / "small")
    return folder


@pytest.fixture(scope="session")
def service(runs: Path) -> Iterator[Service]:
    """A service on it, for tests that leave it as it is."""
    started = Service(runs, "--slots=2").start(real=True)  # its memory is looked at
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
