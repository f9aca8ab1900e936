"""Settings that a sweep tries first: from files and earlier sweeps, and what does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve.errors import SettingsError
from evolve.sweeps.plan import settings_to_try
from evolve.sweeps.space import Space, choice, real, whole
from evolve.sweeps.trials import rows_of
from evolve.tables.trials import Importances, write_trials
from tests.sweeps import HELD, local, run_one

SPACE = Space((whole("x", 1, 9), real("y", 0.0, 1.0), choice("s", ("a", "b"))))
DEFAULTS = {"x": 5, "y": 0.5, "s": "a"}


def tried(place: Path, space: Space = SPACE) -> list[dict[str, Any]]:
    return settings_to_try(str(place), space, DEFAULTS)


def test_a_file_of_settings(tmp_path: Path) -> None:
    (tmp_path / "best.toml").write_text("x = 3\nheld = 4\n")
    assert tried(tmp_path / "best.toml") == [{"x": 3, "y": 0.5, "s": "a"}]
    (tmp_path / "best.toml").write_text('x = 3\ny = 1\ns = "b"\n')
    assert tried(tmp_path / "best.toml") == [{"x": 3, "y": 1.0, "s": "b"}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 99", "x = 99 is not in 1 to 9"),
        ("x = true", "x = True is not in"),
        ("z = 1", "names none of the parameters x, y, s"),
        ("x = 5", "only the defaults"),
        ("x = 2\ny = 0.9", "break 'x > y"),
        ("{", "not a TOML file"),
    ],
)
def test_what_does_not_fit_is_said(text: str, said: str, tmp_path: Path) -> None:
    space = SPACE.requiring(["x > y * 3"], {})
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(SettingsError) as raised:
        tried(tmp_path / "s.toml", space)
    assert said in str(raised.value)


def test_a_missing_file_and_a_folder_that_is_no_sweep(tmp_path: Path) -> None:
    for place, said in (("none.toml", "none.toml"), ("", "not a sweep with trials")):
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
