"""The trials table of a sweep, and what is kept of its final."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from evolve.errors import RunError
from evolve.tables.trials import (
    FINAL_SCHEMA,
    TRIALS_COLUMNS,
    FinalDocument,
    final_table,
    read_final,
    read_trials,
    verdict_of,
    write_trials,
)


def test_parameters_of_trials_stand_amid_the_columns(tmp_path: Path) -> None:
    rows = [{"number": 0, "state": "COMPLETE", "score": 0.5, "x": 3}]
    write_trials(tmp_path, rows, {"x": int})
    found = read_trials(tmp_path)
    assert tuple(name for name in found.column_names if name != "x") == TRIALS_COLUMNS.names
    assert found.column_names[5:7] == ["x", "reports"]


def test_trials_that_fit_no_table_are_told(tmp_path: Path) -> None:
    assert not len(read_trials(tmp_path))
    with pytest.raises(RunError, match="what fits no table"):
        write_trials(tmp_path, [{"x": "text"}], {"x": int})
    assert not len(read_trials(tmp_path))


WON = {"score": 0.7, "low": 0.6, "high": 0.8, "games": 40}


def write(folder: Path, **document: Any) -> None:
    (folder / "final.json").write_text(json.dumps(document))


def test_before_the_final_there_is_nothing(tmp_path: Path) -> None:
    assert (read_final(tmp_path), verdict_of(tmp_path)) == (FinalDocument(), None)
    assert final_table(tmp_path).num_rows == 0


def test_finalists_are_rows_of_a_table(tmp_path: Path) -> None:
    elo = {"elo": 20.0, "elo_low": None, "elo_high": 90.0, "score": 0.55, "games": 40, "wins": 22}
    write(tmp_path, trials=3, finalists=[{"agent": "trial-2", **elo}], winner=2, defaults=0)
    (row,) = final_table(tmp_path).to_pylist()
    assert row == {**dict.fromkeys(FINAL_SCHEMA.names), "trial": "trial-2", **elo}
    write(tmp_path, trials=1, finalists=[], winner=4, defaults=None)
    assert final_table(tmp_path)["trial"].to_pylist() == ["trial-4"]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"defaults": None}, "no comparison with them"),
        ({"defaults": 2}, "the defaults won"),
        ({}, "nothing is known of the settings"),
        ({"against_defaults": WON}, "beats .* in 40 fresh games$"),
        ({"against_defaults": {**WON, "failures": 3}}, "games, 3 of them lost and 0 won because"),
        ({"against_defaults": {**WON, "low": 0.5, "seeds": 1}}, "not certainly .* 1 fresh seed$"),
    ],
)
def test_what_it_says_of_the_defaults(tmp_path: Path, document: Any, said: str) -> None:
    write(tmp_path, **{"trials": 3, "winner": 2, "defaults": 0, **document})
    assert re.search(said, verdict_of(tmp_path) or "")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"trials": "many"}', '{"finalists": [3]}', '{"winner": []}']
)
def test_a_damaged_file_is_said_to_be(tmp_path: Path, text: str) -> None:
    (tmp_path / "final.json").write_text(text)
    with pytest.raises(RunError, match=r"final\.json"):
        read_final(tmp_path)
    assert verdict_of(tmp_path) is None


def test_a_finalist_that_fits_no_table_is_damage(tmp_path: Path) -> None:
    write(tmp_path, finalists=[{"score": "high"}])
    with pytest.raises(RunError, match=r"final\.json"):
        final_table(tmp_path)
