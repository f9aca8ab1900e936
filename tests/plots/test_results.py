"""Pictures of comparisons: means and differences with their intervals; a seed alone has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from evolve.runs.run import Run, Study
from evolve.studies.call import compare
from tests.plots import written_in


def test_means_and_differences(study: Study, tmp_path: Path) -> None:
    table: Any = compare(study, metric="best_score")
    assert table.tables == ("settings", "differences")
    table.plot(output=tmp_path / "x.svg")
    texts = set(written_in(tmp_path / "x.svg"))
    assert {"blend (n = 2)", "uniform (n = 2)", "blend − uniform"} <= texts
    assert {"comparison of crossover", "best score: mean over seeds, 95 %"} <= texts


def test_on_axes_of_one_s_own_there_are_the_settings(study: Study) -> None:
    axes = Figure().subplots()
    table: Any = compare(study, metric="best_score")
    assert table.plot(ax=axes, title="Mine") is axes
    means = table.tables["settings"]["mean"].tolist()
    assert np.asarray(axes.lines[0].get_xdata()).tolist() == means
    assert axes.get_title() == "Mine"


def test_a_seed_alone_has_no_interval(run: Run) -> None:
    table: Any = compare(run, metric="best_score")
    assert table.tables == ("settings",)
    axes = Figure().subplots()
    table.plot(ax=axes)
    (value,) = np.asarray(axes.lines[0].get_xdata()).tolist()
    assert value == run.generations["best_score"].iloc[-1]
