"""`evolve.plot`: files, axes and pictures for notebooks, with each of its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import evolve
from evolve.errors import AgentError, OptionsError, RunError
from evolve.plots.call import data_of
from evolve.plots.figure import _fit, look_of
from evolve.runs.run import Run, Study
from evolve.studies.call import compare
from tests.plots import drawn, written_in


def texts_of(tmp_path: Path, *sources: Any, **options: Any) -> set[str]:
    evolve.plot(*sources, output=tmp_path / "x.svg", **options)
    return set(written_in(tmp_path / "x.svg"))


def test_on_axes_there_is_one_chart_in_their_style(run: Run, study: Study) -> None:
    left, right = Figure().subplots(1, 2)
    assert evolve.plot(run, ax=left) is left
    evolve.plot(study, ax=right, metric="mean_score", title="two settings")
    assert len(left.figure.axes) == 2
    assert left.get_ylabel() == "Elo over swh"
    assert (right.get_ylabel(), right.get_title()) == ("mean score", "two settings")


@pytest.mark.slow
def test_a_run_has_several_charts_and_a_metric_makes_one(run: Run, tmp_path: Path) -> None:
    assert "search of the better half" in texts_of(tmp_path, run)
    options: list[dict[str, Any]] = [{"metric": "rating"}, {"x": "games"}, {"style": "paper"}]
    assert [len(evolve.plot(run, **option).axes) for option in options] == [1, 1, 1]
    assert {"time (s)", "seen"} <= texts_of(tmp_path, run, x="seconds")


@pytest.mark.slow
def test_titles(study: Study, tmp_path: Path) -> None:
    assert "both" in texts_of(tmp_path, study)
    assert "both" not in texts_of(tmp_path, study, style="paper")
    assert "Mine" in texts_of(tmp_path, study, style="paper", title="Mine")
    assert "both" not in texts_of(tmp_path, study, title="")


@pytest.mark.parametrize(
    ("size", "inches"),
    [("9x6cm", (9 / 2.54, 6 / 2.54)), ("90 x 60 mm", None), ("5×2.5", (5, 2.5)), ((4, 3), (4, 3)),
     ("1300x650px", (10, 5)), ("3", None), ("0.1x3", None), ("900x3", None), ("-3x3", None)],
)  # fmt: skip
def test_sizes(size: Any, inches: tuple[float, float] | None) -> None:
    if inches is None:
        with pytest.raises(OptionsError, match="size: "):
            look_of("screen", size, None)
    else:
        assert look_of("screen", size, None).size == pytest.approx(inches)


def test_several_runs_and_studies_over_one_another(run: Run, study: Study, tmp_path: Path) -> None:
    found = texts_of(tmp_path, study)
    assert "crossover=blend" not in found, "one setting's values lose its name"
    assert {"blend", "uniform", "each seed, and the mean"} <= found
    texts = texts_of(tmp_path, run, study, metric="best_score")
    assert {"seen", "both: blend", "both: uniform"} <= texts


@pytest.mark.slow
def test_unlike_kinds_are_drawn_by_their_elo(run: Run, study: Study, tmp_path: Path) -> None:
    quick: dict[str, Any] = {"shapes": "a1-b2", "checks": 2, "games": 200}
    quick |= {"panel_openings": 2, "search_depth": 1, "depth": 1, "endgame": 4}
    quick |= {"probcut_positions": 50, "rules": "standard"}
    trained = evolve.train("patterns", tmp_path / "taught", **quick)
    data = data_of(run, study, trained)
    assert list(data.columns) == ["setting", "seeds", "games", "elo", "low", "high"]
    assert set(data["setting"]) == {
        "seen", "taught", "both crossover=blend", "both crossover=uniform"
    }  # fmt: skip
    own = trained.tables["metrics"]
    taught = data[data["setting"] == "taught"]
    assert taught[["games", "elo"]].to_numpy().tolist() == own[["games", "elo"]].to_numpy().tolist()


@pytest.mark.parametrize("size", ["8.5x6cm", "6x5cm", "17x10cm"])
def test_a_figure_for_a_paper_fits_its_size(run: Run, study: Study, size: str) -> None:
    """All texts end inside, and the legend takes little of it."""
    figure = evolve.plot(run, study, metric="best_score", style="paper", size=size)
    assert tuple(figure.get_size_inches()) == look_of("paper", size, None).size
    figure.axes[0].set_ylabel("a label that is as long as the picture " + "is high " * 5)
    _fit(figure)
    renderer = drawn(figure)
    (legend,) = figure.legends
    labels = (figure.axes[0].xaxis.label, figure.axes[0].yaxis.label, *legend.get_texts())
    corners = np.array([text.get_window_extent(renderer).get_points() for text in labels])
    assert corners.min() >= -1
    assert (corners <= figure.bbox.size + 1).all()
    assert legend.get_window_extent(renderer).height < 0.2 * figure.bbox.height


def test_the_data_behind_it(run: Run, study: Study) -> None:
    frame = data_of(run)
    assert list(frame.columns) == ["setting", "seeds", "generation", "rating", "low", "high"]
    assert frame["rating"].tolist() == run.generations["rating"].tolist()
    assert len(data_of(run, study, metric="best_score")) == 9
    weights = data_of("swh")
    assert weights.loc[weights["square"] == "a1", "weight"].tolist() == [100]
    assert len(weights) == 64


@pytest.mark.parametrize(
    ("draw", "sources", "options", "error", "word"),
    [
        (evolve.plot, ["RUN"], {"style": "poster"}, OptionsError, "'poster'"),
        (evolve.plot, ["RUN"], {"size": "3"}, OptionsError, "size"),
        (evolve.plot, ["swh"], {"metric": "rating"}, OptionsError, "this is an agent"),
        (data_of, ["swh"], {"metric": "nonsense", "x": "games"}, OptionsError, "studies"),
        (evolve.plot, ["swh"], {"ax": Figure()}, OptionsError, "studies"),
        (evolve.plot, ["RUN"], {"ax": Figure(), "output": "x.png"}, OptionsError, "output"),
        (evolve.plot, ["RUN", "swh"], {}, OptionsError, "alone"),
        (evolve.plot, [], {}, OptionsError, "studies"),
        (evolve.plot, ["RUN"], {"output": "x.gif"}, RunError, r"\.png"),
        (evolve.plot, ["random"], {}, AgentError, "weights"),
        (data_of, ["random"], {}, AgentError, "weights"),
    ],
)
def test_what_cannot_be_drawn(
    run: Run, draw: Any, sources: list[str], options: Any, error: type[Exception], word: str
) -> None:
    with pytest.raises(error, match=word):
        draw(*(run if one == "RUN" else one for one in sources), **options)


def test_means_and_differences(study: Study, tmp_path: Path) -> None:
    table: Any = compare(study, metric="best_score")
    assert table.tables == ("settings", "differences")
    table.plot(output=tmp_path / "x.svg")
    texts = set(written_in(tmp_path / "x.svg"))
    assert {"blend (n = 2)", "uniform (n = 2)", "blend − uniform"} <= texts
    assert {"comparison of crossover", "best score: mean over seeds, 95 %"} <= texts
    axes = Figure().subplots()
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
