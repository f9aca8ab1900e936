"""What all tests of faults have in common."""

from __future__ import annotations

import pytest

from tests.faults.inside import inside

__all__ = ["inside"]


@pytest.fixture(autouse=True)
def _own_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """What evolve knows of its user is in the folder of the work, so that it may be hit as well."""
    monkeypatch.setenv("EVOLVE_DATA_DIR", "data")
