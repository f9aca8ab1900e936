"""What all tests of faults have in common."""

from __future__ import annotations

import pytest

from tests.faults import DATA
from tests.faults.inside import inside
from tests.service.inside import runner

__all__ = ["inside", "runner"]


@pytest.fixture(autouse=True)
def _own_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLVE_DATA_DIR", DATA)
