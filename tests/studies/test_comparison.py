"""Settings compared over their seeds."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.errors import RunError
from evolve.runs.study_spec import words_of
from evolve.studies import comparison
from evolve.studies.comparison import Group, _table, compared, groups_of
from evolve.studies.document import HEAD_TO_HEAD
from evolve.studies.verdict import more_seeds, winner_in
from tests.cli import done


def test_scores_have_intervals_of_scores() -> None:
    frame = _table(HEAD_TO_HEAD, [("a", "b", [1.0, 0.9, 1.0], None)], 0.5, 5)
    assert frame[["mean", "high"]].iloc[0].tolist() == pytest.approx([29 / 30, 1.0])
    alone = _table(HEAD_TO_HEAD, [("a", "b", [0.9], None)], 0.5, 5)
    assert alone[["low", "high"]].isna().all(axis=None)


def test_runs_of_different_seeds_are_one_setting(study: evolve.Study, tmp_path: Path) -> None:
    runs = study.runs
    frame, of_study = evolve.compare(*runs), evolve.compare(study)
    assert set(frame["setting"]) == {"selection=best", "selection=own:youngest"}
    pd.testing.assert_frame_equal(frame, of_study)
    said = done("compare", study.path).lines[-1]
    assert said == of_study.words == repr(of_study).splitlines()[-1]
    assert said in of_study._repr_html_().replace("&#x27;", "'")
    paths = [run.path for run in runs]
    shown = done("compare", *paths)
    assert "means over seeds" in shown.out
    assert any(line.startswith("seed ") for line in shown.lines), "each run stands there as well"
    listed = done("compare", *paths, "--json").document
    assert [row["seeds"] for row in listed] == [3, 3, 3]
    done("plot", *paths, "-o", tmp_path / "runs.svg")
    assert "mean of 3 seeds" in (tmp_path / "runs.svg").read_text()
    # One setting alone, settings with one seed, and a run that is there twice.
    best = [run for run in study.runs if run.setting == "selection=best"]
    (mean,) = evolve.compare(*best).itertuples()
    assert (mean.setting, mean.seeds) == ("selection-best-seed-0 and 2 more", 3)
    assert evolve.compare(*runs[:2])["setting"].tolist()[:2] == [run.name for run in runs[:2]]
    assert evolve.compare(*runs[:3])["seeds"].tolist() == [2, 1, 1]
    with pytest.raises(RunError, match="twice"):
        evolve.compare(runs[0], runs[0])
    assert len(done("compare", paths[0], paths[0], "--json").document) == 2


def test_a_study_and_runs_stand_side_by_side(study: evolve.Study) -> None:
    alone = [run for run in study.runs if run.setting == "selection=best"][:2]
    frame = evolve.compare(study, *alone)
    names = ["own selection=best", "own selection=own:youngest", "selection-best-seed-0 and 1 more"]
    assert frame["setting"].tolist()[:3] == names
    assert frame["seeds"].tolist() == [3, 3, 2, 3, 2, 2]


def test_what_is_undecided_says_how_many_seeds_would_decide(study: evolve.Study) -> None:
    pair = {"metric": "elo", "setting": "a", "against": "b", "level": 0.95}
    rows: list[dict[str, Any]] = [
        {**pair, "seeds": 4, "mean": 120.0, "low": 20.0, "high": 220.0, "p_holm": 0.03},
        {**pair, "seeds": 2, "mean": -80.0, "low": -1079.0, "high": 919.0, "p_holm": 0.5},
    ]
    assert [winner_in(row) for row in rows] == ["a", None]
    assert winner_in({**rows[0], "mean": -120.0}) == "b"
    spread = 999 / 12.706 * np.sqrt(2)
    assert [more_seeds(row) for row in rows] == [None, 6]
    assert 2.365 * spread / np.sqrt(8) < 100 < 2.447 * spread / np.sqrt(7), "Student's, of 8 and 7"
    assert more_seeds({**rows[1], "seeds": 1, "low": np.nan, "high": np.nan}) is None
    alone = compared(groups_of([study])).frame.to_dict("records")[0]
    assert (winner_in(alone), more_seeds(alone)) == (None, None)


def test_main_effects_are_means_over_the_other_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a balanced grid, seed by seed; a seed that a cell lacks is left out."""
    values = {("a", "8"): [1.0, 2.0, 4.0], ("a", "9"): [3.0, 5.0], ("b", "8"): [0.0] * 3}
    values |= {("b", "9"): [1.0, 1.0, 1.0]}
    rated = SimpleNamespace(config={"rules": "standard"})
    groups = [
        Group(f"x={x} y={y}", dict.fromkeys(range(len(row)), rated), {"x": x, "y": y})  # type: ignore[misc]
        for (x, y), row in values.items()
    ]
    found = iter([value for row in values.values() for value in row])
    monkeypatch.setattr(comparison, "_metric_of", lambda run, metric: next(found))
    frame = compared(groups, "elo").frame.dropna(subset="over").set_index("setting")
    assert frame["against"].to_dict() == {"x=a": "x=b", "y=8": "y=9"}
    assert frame["over"].tolist() == ["y", "x"]
    assert frame["seeds"].tolist() == [2, 2]
    assert frame["mean"].tolist() == pytest.approx([np.mean([1.5, 3.0]), np.mean([-1.5, -2.0])])


def test_what_has_no_elo_is_compared_by_what_all_have(study: evolve.Study, tmp_path: Path) -> None:
    """An old version left them so."""
    for run in study.runs:
        shutil.copytree(run.path, tmp_path / run.name)
        champion = evolve.load_agent(run.path).stored()
        for key in ("elo", "elo_low", "elo_high"):
            del champion.provenance[key]
        champion.save(tmp_path / run.name / "champion.json")
    old = [evolve.Run(tmp_path / run.name) for run in study.runs]
    found = compared(groups_of([old[0], *study.runs[1:]]))
    assert set(found.frame["metric"]) == {"rating"}
    assert found.words[0] == f"no Elo: {old[0].name}; compared by rating"
    assert compared(groups_of(study.runs[1:])).note == ""
    assert compared(groups_of(old)).note.endswith("-seed-2 and 3 more; compared by rating")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("crossover=uniform population=32", "uniform crossover with 32 individuals"),
        ("population=32 crossover=uniform", "uniform crossover with 32 individuals"),
        ("grid crossover=blend population=8", "grid with blend crossover and 8 individuals"),
        ("small elitism=False fix.depths=1,2,3", "small with no elitism and depths 1,2,3"),
        ("start_from=gtp:./engine -x 3", "start from gtp:./engine -x 3"),
        ("first and 1 more", "first and 1 more"),
    ],
)
def test_settings_are_named_as_people_would(name: str, words: str) -> None:
    assert words_of(name) == words
