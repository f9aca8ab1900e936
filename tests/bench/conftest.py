"""No measurement in these tests takes as long as it would."""

from __future__ import annotations

import pytest

from tests.bench import make_small


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(monkeypatch)
