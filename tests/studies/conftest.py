"""A study by a Python call, with functions of its own."""

from __future__ import annotations

from typing import Any

import pytest

import evolve
from tests.evolution.conftest import TINY, Watching, youngest

QUICK: dict[str, Any] = {**TINY, "openings": "start", "survivors": 0.5, "generations": 2}
QUICK.pop("seed", None)  # a study has seeds of its own


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> evolve.Study:
    folder = tmp_path_factory.mktemp("studies") / "own"
    grid, watch = {"selection": ["best", youngest]}, Watching()
    made = evolve.study(folder, seeds=range(3), grid=grid, observer=watch, **QUICK)
    assert watch.shares == [number / 6 for number in range(1, 7)]
    assert [row["state"] for row in watch.rows] == ["done"] * 6
    return made
