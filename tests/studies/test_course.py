"""The data behind charts: metrics, what they are drawn over, and means over seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from evolve.arena.judges import Judgement
from evolve.errors import OptionsError
from evolve.fitness.statistics import Estimate, mean_of
from evolve.learning.tables import CHECKS
from evolve.learning.training import _columns_of
from evolve.runs.run import Run, Study
from evolve.studies import course
from evolve.studies.comparison import Group, groups_of
from evolve.studies.course import Course, course_of, course_of_group, frame_of
from tests.plots.conftest import run, study
from tests.plots.test_run_charts import training

__all__ = ["run", "study"]


def listed(ends: npt.NDArray[np.float64] | None) -> list[float]:
    return [] if ends is None else ends.tolist()


def test_the_usual_metric_is_that_of_the_kind(run: Run) -> None:
    found = course_of(run, None, "generations")
    expected = run.generations
    assert (found.metric, found.steps) == ("rating", "generation")
    assert found.x.tolist() == [0, 1, 2]
    assert found.y.tolist() == expected["rating"].tolist()
    assert listed(found.low) == expected["rating_low"].tolist()
    assert found.dots is not None
    assert found.dots[:, 1].tolist() == expected["panel_elo"].tolist()
    assert course_of(run, None).steps == "generation"


def test_a_training_is_drawn_over_games(tmp_path: Path) -> None:
    taught = training(tmp_path / "run", 4, ladder=True)
    found = course_of(taught, None)
    assert (found.metric, found.steps) == ("score", "games")
    assert found.x.tolist() == [0, 100, 200, 300]
    assert course_of(taught, "elo", "generations").steps == "check"


def test_a_training_is_drawn_as_it_was_measured_with_its_error(tmp_path: Path) -> None:
    training(tmp_path / "run", 0)
    scores = [0.912, 0.897, 0.933, 0.930]
    for check, score in enumerate(scores):
        judged = _columns_of(Judgement(score, 0.01, "", (Estimate.around(score, 0.02, 40),) * 3))
        row = dict.fromkeys(CHECKS.columns.names, 1) | judged
        CHECKS.commit(tmp_path / "run", check, {**row, "check": check, "games": 100 * check})
    (group,) = groups_of([Run(tmp_path / "run")])
    found = course_of_group(group)
    assert found is not None
    assert found.y.tolist() == scores
    assert listed(found.low) == pytest.approx([score - 0.0196 for score in scores], abs=1e-4)


@pytest.mark.parametrize("over", ["games", "seconds"])
def test_games_and_seconds_add_up(run: Run, over: str) -> None:
    found = course_of(run, "best_score", over)
    assert found.x.tolist() == run.generations[over].cumsum().tolist()
    assert found.y.tolist() == run.generations["best_score"].tolist()
    assert found.low is None
    assert found.steps == over


def test_unknown_metrics_and_axes_are_named(run: Run) -> None:
    with pytest.raises(OptionsError, match=r"colour(?!.*(_low|_high|\bgeneration\b))"):
        course_of(run, "colour", "generations")
    with pytest.raises(OptionsError, match="generations"):
        course_of(run, None, "plies")


Lines = Sequence[tuple[Sequence[float], Sequence[float]]]
Mean = Callable[[Lines], Course]


@pytest.fixture
def mean(monkeypatch: pytest.MonkeyPatch) -> Mean:
    """The course of runs of which each has one of these lines."""

    def found(lines: Lines) -> Course:
        def line(number: int, metric: str | None, over: str, name: str) -> Course:
            x, y = lines[number]
            return Course(name, "rating", over, np.array(x, float), np.array(y, float))

        monkeypatch.setattr(course, "course_of", line)
        runs: Any = {number: number for number in range(len(lines))}
        made = course_of_group(Group("all", runs), None, "seconds")
        assert made is not None
        return made

    return found


def test_the_band_is_the_range_below_five_seeds(mean: Mean) -> None:
    found = mean([([0, 1], [0, 10]), ([0, 1], [4, 40])])
    assert found.y.tolist() == [2, 25]
    assert (listed(found.low), listed(found.high)) == ([0, 10], [4, 40])
    assert found.band == "from the lowest seed to the highest"


def test_from_five_seeds_it_is_the_interval_of_the_mean(mean: Mean) -> None:
    found = mean([([0, 1], [seed, 3 * seed]) for seed in range(5)])
    assert listed(found.low)[1] == pytest.approx(mean_of([0.0, 3.0, 6.0, 9.0, 12.0]).low)
    assert found.band == "95 % interval of the mean"


def test_seeds_that_stand_elsewhere_are_interpolated_as_far_as_all_go(mean: Mean) -> None:
    found = mean([([0, 10], [0, 100]), ([2, 6, 8], [2, 6, 8])])
    assert (found.x[0], found.x[-1]) == (2, 8)
    assert found.y.tolist() == pytest.approx((5.5 * found.x).tolist())
    assert mean([([0, 1, 4, 6, 9], [0] * 5), ([0, 2, 4, 7, 9], [0] * 5)]).x[1] == 2.25
    assert mean([([0, 1, 2], [1, 2, 3]), ([0, 1], [1, 2])]).x.tolist() == [0, 1]


def test_the_table_has_a_row_for_each_setting_and_place(study: Study) -> None:
    courses = [course_of_group(group, "mean_score", "games") for group in groups_of([study])]
    frame = frame_of([one for one in courses if one is not None])
    assert list(frame.columns) == ["setting", "seeds", "games", "mean_score", "low", "high"]
    assert frame["setting"].tolist() == ["crossover=blend"] * 3 + ["crossover=uniform"] * 3
    assert set(frame["seeds"]) == {2}
    assert pd.api.types.is_integer_dtype(frame["games"])
