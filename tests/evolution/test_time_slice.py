"""A run that goes from worker to worker, in time_slices of a generation."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import evolve
from evolve.config.toml import config_text, resolve
from evolve.evolution import loop
from evolve.evolution.time_slice import SliceResult, TimeSlice, run_slice, write_result
from evolve.runs import run_folder
from tests.evolution.conftest import TINY, start


def sent(time_slice: TimeSlice) -> SliceResult:
    """Go on with a time_slice as on another machine: what goes there and comes back are bytes."""
    done = pickle.loads(pickle.dumps(run_slice(pickle.loads(pickle.dumps(time_slice)))))
    assert isinstance(done, SliceResult)
    return done


@pytest.mark.parametrize("openings", [pytest.param("pair", marks=pytest.mark.slow), "start"])
def test_legs_end_as_the_whole_and_find_openings_once(
    openings: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = 0
    search = loop.training_openings

    def counted(*given: object) -> object:
        nonlocal searched
        searched += 1
        return search(*given)  # type: ignore[arg-type]

    (tmp_path / "one").mkdir()
    start(tmp_path / "one" / "run", openings=openings)
    folder = tmp_path / "other" / "run"
    run_folder.create(folder, config_text(resolve({**TINY, "openings": openings}), {}))
    monkeypatch.setattr(loop, "training_openings", counted)
    time_slices, known, finished = 0, None, False
    while not finished:
        done = sent(TimeSlice.of(folder, 0.0, known))
        write_result(folder, done)
        time_slices, known, finished = time_slices + 1, done.openings, done.finished
    assert time_slices >= TINY["generations"]
    assert searched == 1
    one, other = (evolve.load_run(tmp_path / name / "run") for name in ("one", "other"))
    assert one.games.equals(other.games)
    assert one.individuals.equals(other.individuals)
