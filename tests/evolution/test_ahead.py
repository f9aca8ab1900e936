"""The next generation's games beside the judging of the last: the same tables and endings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evolve
from evolve.evolution import loop
from evolve.runs.run import Run
from tests.evolution.conftest import StopAfter, go_on, start


def run_of(folder: Path) -> Run:
    run = evolve.load_run(folder)
    assert isinstance(run, Run)
    return run


def assert_equal(one: Path, other: Path) -> None:
    a, b = run_of(one), run_of(other)
    pd.testing.assert_frame_equal(
        a.generations.drop(columns="seconds"), b.generations.drop(columns="seconds")
    )
    pd.testing.assert_frame_equal(a.individuals, b.individuals)
    pd.testing.assert_frame_equal(a.games, b.games)
    for generation in range(a.generation_count):
        assert a.metadata(generation)[1] == b.metadata(generation)[1]
    assert (one / "champion.json").read_text().replace(one.name, "") == (
        other / "champion.json"
    ).read_text().replace(other.name, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"algorithm": "cma"}, marks=pytest.mark.slow),
        pytest.param({"selection": "lexicase", "openings": "start"}, marks=pytest.mark.slow),
        # Ends while the games of the next generation are played, which must leave no trace.
        {"generations": 40, "patience": 2, "algorithm": "cma"},
    ],
)
def test_tables_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    start(tmp_path / "one", jobs=2, **options)
    monkeypatch.setattr(loop, "SLOTS_TO_PLAY_AHEAD", 1)
    start(tmp_path / "other", jobs=2, **options)
    assert_equal(tmp_path / "one", tmp_path / "other")


@pytest.mark.slow
def test_a_run_that_is_stopped_keeps_what_it_has_played_and_goes_on_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(tmp_path / "whole", generations=6)
    monkeypatch.setattr(loop, "SLOTS_TO_PLAY_AHEAD", 1)
    start(tmp_path / "stopped", generations=6, observer=StopAfter(2))
    assert run_of(tmp_path / "stopped").generation_count == 3
    go_on(tmp_path / "stopped")
    assert_equal(tmp_path / "whole", tmp_path / "stopped")


def test_what_fails_beside_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "SLOTS_TO_PLAY_AHEAD", 1)

    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("evolve.runs.run_folder.commit_generation", full)
    with pytest.raises(OSError, match="space"):
        start(tmp_path / "run")
