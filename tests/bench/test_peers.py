"""The comparison with peers, on small work."""

from __future__ import annotations

import shutil

import pytest

from benchmarks import peers
from evolve.engine.compiled.intrinsics import LANES
from tests.bench import numbers_are_sound


def test_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both comparisons on small work; perft in C has to count the same."""
    monkeypatch.setattr(peers, "REPEATS", 1)
    monkeypatch.setattr(peers, "PERFT_DEPTH", 6)
    monkeypatch.setattr(peers, "PLIES", (1, 2))
    rows = peers.search_rows()
    assert [row["what"] for row in rows] == ["move, 1 plies", "move, 2 plies"]
    numbers_are_sound(rows)
    if shutil.which("cc") is None or LANES == 0:
        pytest.skip("there is no C compiler or no AVX2")
    assert peers.perft_row()["theirs_ms"] >= 0
