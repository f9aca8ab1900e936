"""What depends on the shipped weights is of them, and is made again by one command."""

from __future__ import annotations

import pytest

pytest.importorskip("nbclient")
pytest.importorskip("PIL.Image")
from benchmarks import refresh


@pytest.mark.parametrize("name", refresh.STEPS)
def test_what_depends_on_the_shipped_weights_is_of_them(name: str) -> None:
    old = refresh.STEPS[name].old()
    assert not old, f"older than the shipped weights: {old}: python -m benchmarks.refresh"
