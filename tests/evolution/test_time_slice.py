"""A run that goes from worker to worker, in time_slices of a generation."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.config.toml import config_text, resolve
from evolve.evolution import loop
from evolve.evolution.time_slice import TimeSlice, TimeSliceDone, check_time_slice, go, keep
from evolve.fitness.executor import WrongAnswerError
from evolve.fitness.openings import START_POSITION, Openings
from evolve.runs import run_folder as store
from tests.evolution.conftest import TINY, start


def sent(time_slice: TimeSlice) -> TimeSliceDone:
    """Go on with a time_slice as on another machine: what goes there and comes back are bytes."""
    done = pickle.loads(pickle.dumps(go(pickle.loads(pickle.dumps(time_slice)))))
    assert isinstance(done, TimeSliceDone)
    check_time_slice(time_slice, done)
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
    store.create(folder, config_text(resolve({**TINY, "openings": openings}), {}))
    monkeypatch.setattr(loop, "training_openings", counted)
    time_slices, known, finished = 0, None, False
    while not finished:
        done = sent(TimeSlice.of(folder, 0.0, known))
        keep(folder, done)
        time_slices, known, finished = time_slices + 1, done.openings, done.finished
    assert time_slices >= TINY["generations"]
    assert searched == 1
    one, other = (evolve.load_run(tmp_path / name / "run") for name in ("one", "other"))
    assert one.games.equals(other.games)
    assert one.individuals.equals(other.individuals)


def without(done: TimeSliceDone, name: str) -> TimeSliceDone:
    return replace(done, files={one: data for one, data in done.files.items() if one != name})


def having(done: TimeSliceDone, name: str, data: Any) -> TimeSliceDone:
    return replace(done, files={**done.files, name: data})


FIRST = "generations/gen-0000.parquet"
GAMES_FILE = "games/gen-0000.parquet"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda done: None, "None in place of a part of a run"),
        (lambda done: {"files": {}}, "a dict in place of a part of a run"),
        (lambda done: replace(done, openings=None), "no openings"),
        (lambda done: replace(done, openings=Openings(START_POSITION.moves + 70)), "no openings"),
        (lambda done: replace(done, files=None), "no files of a run"),
        (lambda done: replace(done, gone=None), "no files of a run"),
        (lambda done: replace(done, finished=1), "no files of a run"),
        (lambda done: replace(done, generations="1"), "no files of a run"),
        (lambda done: replace(done, generations=-1), "has -1 generations"),
        (lambda done: replace(done, generations=1 << 40), "generations"),
        (lambda done: replace(done, generations=done.generations + 1), "lacks files"),
        (lambda done: having(done, "champion.json", "text"), "no files of a run"),
        (lambda done: without(done, GAMES_FILE), "lacks files of a generation"),
        (lambda done: having(done, "../planted", b"x"), "'../planted', which no part of a run has"),
        (lambda done: having(done, "/tmp/planted", b"x"), "which no part of a run has"),
        (lambda done: having(done, "config.toml", b"x"), "'config.toml', which no part"),
        (lambda done: having(done, "generations/gen-0099.parquet", b"x"), "which no part of a run"),
        (lambda done: replace(done, gone=("../../x",)), "'../../x', which no part of a run has"),
        (lambda done: replace(done, gone=(FIRST,)), "which no part of a run has"),
        (lambda done: having(done, FIRST, b"garbage"), "gen-0000.parquet that cannot be read"),
        (lambda done: having(done, FIRST, done.files[GAMES_FILE]), "cannot be read"),
        (lambda done: having(done, GAMES_FILE, done.files["games/gen-0001.parquet"]), "of another"),
        (lambda done: having(done, "champion.json", b"{}"), "champion.json that cannot be read"),
        (lambda done: having(done, "champion.npz", b"PK"), "champion.npz that cannot be read"),
    ],
)
def test_what_is_no_part_of_a_run_is_refused(
    change: Callable[[TimeSliceDone], Any], text: str, leg_of_two: tuple[TimeSlice, TimeSliceDone]
) -> None:
    time_slice, done = leg_of_two
    check_time_slice(time_slice, done)
    with pytest.raises(WrongAnswerError, match=text):
        check_time_slice(time_slice, change(done))


@pytest.fixture(scope="module")
def leg_of_two(tmp_path_factory: pytest.TempPathFactory) -> tuple[TimeSlice, TimeSliceDone]:
    """A part of a run, two generations long, and what came of it."""
    folder = tmp_path_factory.mktemp("time_slice") / "run"
    store.create(folder, config_text(resolve({**TINY, "openings": "start"}), {}))
    time_slice = TimeSlice.of(folder, 1e9)
    return time_slice, go(time_slice)
