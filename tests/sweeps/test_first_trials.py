"""Settings that a sweep tries first: from files and earlier sweeps, and what does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evolve.errors import SettingsError
from evolve.sweeps.first_trials import settings_to_try
from evolve.sweeps.space import Space, choice, real, whole
from evolve.sweeps.trials import rows_of
from evolve.tables.trials import Importances, write_trials
from tests.sweeps import HELD, local, run_one

SPACE = Space.of([whole("x", 1, 9), real("y", 0.0, 1.0), choice("s", ("a", "b"))])
DEFAULTS = {"x": 5, "y": 0.5, "s": "a"}


def tried(place: Path, space: Space = SPACE) -> list[dict[str, Any]]:
    return settings_to_try(str(place), space, DEFAULTS)


def test_files_of_one_setting_and_of_several(tmp_path: Path) -> None:
    best = {"parameters": {"x": 3, "y": 1, "s": "b", "held": 4}, "program": "gtp:x", "trial": 7}
    (tmp_path / "best.json").write_text(json.dumps(best))
    assert tried(tmp_path / "best.json") == [{"x": 3, "y": 1.0, "s": "b"}]
    (tmp_path / "best.toml").write_text("x = 3\n")
    assert tried(tmp_path / "best.toml") == [{"x": 3, "y": 0.5, "s": "a"}]
    (tmp_path / "more.toml").write_text(
        "[[settings]]\nx = 3\n[[settings]]\nx = 99\n[[settings]]\nx=1"
    )
    assert [one["x"] for one in tried(tmp_path / "more.toml")] == [3, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"x": 99}', "x = 99 is not in 1 to 9"),
        ('{"x": true}', "x = True is not in"),
        ('{"z": 1}', "names none of the parameters x, y, s"),
        ('{"x": 5}', "only the defaults"),
        ('{"x": 2, "y": 0.9}', "break 'x > y"),
        ('[{"x": 5}, {"x": 5, "z": 1}]', "only the defaults"),
        ("[1, 2]", "NAME and value"),
        ("{", "not a file of settings"),
        ("[]", "it has no settings"),
    ],
)
def test_what_does_not_fit_is_said(text: str, said: str, tmp_path: Path) -> None:
    space = SPACE.requiring(["x > y * 3"], {})
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(SettingsError, match="start_from") as raised:
        tried(tmp_path / "s.json", space)
    assert said in str(raised.value)


def test_a_missing_file_and_a_folder_that_is_no_sweep(tmp_path: Path) -> None:
    for place, said in (("none.json", "none.json"), ("", "not a sweep with trials")):
        with pytest.raises(SettingsError, match=said):
            tried(tmp_path / place)


def test_the_best_trials_of_a_sweep_come_after_the_defaults(tmp_path: Path) -> None:
    first = local(tmp_path, trials=4)
    for score in (0.5, 0.2, 0.9, 0.7):
        run_one(first, score)
    rows = rows_of(first.trials(), first.plan.space.names)
    types = {one.name: one.type for one in first.plan.space.parameters}
    write_trials(tmp_path, rows, types, Importances())
    (tmp_path / "next").mkdir()
    given = {"trials": 9, "seed": 5, "start_from": str(tmp_path), "fix": HELD}
    study = local(tmp_path / "next", **given)
    names = study.plan.space.names
    wanted = [{name: rows[place][name] for name in names} for place in (2, 3, 1)]
    study = local(tmp_path / "next", **given)  # queued once, however often it is opened
    taken = [study.take("w") for _ in range(5)]
    assert [one.values for one in taken if one is not None][1:4] == wanted
    origins = [row["origin"] for row in rows_of(study.trials(), names)]
    assert origins == ["defaults", "start", "start", "start", "sampler"]
