"""The generations table: what may be left out of a row is null."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.tables.individuals import GENERATIONS_COLUMNS, generations_frame


def test_generations_without_a_panel_have_none() -> None:
    row = {
        "generation": 0,
        "best": "0-1",
        "best_score": 0.5,
        "mean_score": 0.4,
        "games": 6,
        "distinct": 3,
    }
    frame = generations_frame([row], ladder=True)
    assert tuple(frame) == tuple(GENERATIONS_COLUMNS.names)
    assert frame["rating"].isna().all()
    assert frame["distinct"].dtype == frame["games"].dtype == np.int64
    assert "rating" not in generations_frame([row], ladder=False)
    with pytest.raises((TypeError, ValueError)):
        generations_frame([{**row, "games": "many"}], ladder=True)
