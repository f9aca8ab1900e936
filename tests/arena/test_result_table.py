"""Ratings as tables with a champion and a picture; what is taken from them is plain pandas."""

from __future__ import annotations

from pathlib import Path

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.arena.result_table import ResultTable
from evolve.errors import AgentError, OptionsError
from tests.plots import written_in


@pytest.fixture(scope="module")
def rating() -> ResultTable:
    return evolve.rate(["random", "swh", "zero"], games=8)


def test_it_is_a_table_as_before(rating: ResultTable) -> None:
    assert isinstance(rating, pd.DataFrame)
    assert list(rating.columns[:4]) == ["agent", "elo", "elo_low", "elo_high"]
    parts = (rating[["agent"]], rating[rating["score"] > 0], rating.copy(), rating.head(1))
    assert not [part for part in parts if type(part) is not pd.DataFrame]
    assert pd.concat([rating, rating]).shape == (6, rating.shape[1])


def test_it_has_its_parts_and_the_strongest_agent(rating: ResultTable) -> None:
    assert rating.tables == ("agents", "cross")
    best = rating["agent"].iloc[0]
    assert rating.champion.name == best == "swh"
    cross = rating.tables["cross"]
    assert list(cross.index) == list(cross.columns) == rating["agent"].tolist()
    both = cross.to_numpy() + cross.to_numpy().T
    assert both[~np.eye(len(cross), dtype=bool)] == pytest.approx(1)
    swh = rating.set_index("agent").loc["swh", "score"]
    assert cross.loc["swh"].mean() == pytest.approx(swh)


def test_its_picture(rating: ResultTable, tmp_path: Path) -> None:
    rating.plot(output=tmp_path / "x.svg", style="paper", size="9x5cm", title="Mine")
    assert {"swh", "random", "zero", "Mine"} <= set(written_in(tmp_path / "x.svg"))
    axes = matplotlib.figure.Figure().subplots()
    assert rating.plot(ax=axes) is axes
    assert axes.get_yticklabels()[0].get_text() == "swh"
    assert rating.plot()._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(OptionsError):
        rating.plot(size="big")


def test_a_table_of_settings_has_no_champion() -> None:
    table = ResultTable.of(pd.DataFrame({"a": [1]}), {}, "evolve.plots.call:plot_comparison")
    with pytest.raises(AgentError, match="run"):
        _ = table.champion


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    counts: list[int] = []
    evolve.rate(["random", "zero"], games=4, progress=counts.append)
    assert sum(counts) == 4
    assert capsys.readouterr().out == ""
