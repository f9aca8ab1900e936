"""A run that goes from worker to worker, in legs of a generation."""

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
from evolve.evolution.leg import Leg, LegDone, check_leg, go, keep
from evolve.fitness.answers import WrongAnswerError
from evolve.fitness.openings import START_POSITION, Openings
from evolve.tables import folder as store
from tests.evolution.conftest import TINY, start


def sent(leg: Leg) -> LegDone:
    """Go on with a leg as on another machine: what goes there and comes back are bytes."""
    done = pickle.loads(pickle.dumps(go(pickle.loads(pickle.dumps(leg)))))
    assert isinstance(done, LegDone)
    check_leg(leg, done)
    return done


@pytest.mark.parametrize("openings", ["pair", "start"])
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
    legs, known, finished = 0, None, False
    while not finished:
        done = sent(Leg.of(folder, 0.0, known))
        keep(folder, done)
        legs, known, finished = legs + 1, done.openings, done.finished
    assert legs >= TINY["generations"]
    assert searched == 1
    one, other = (evolve.load_run(tmp_path / name / "run") for name in ("one", "other"))
    assert one.games.equals(other.games)
    assert one.individuals.equals(other.individuals)


def without(done: LegDone, name: str) -> LegDone:
    return replace(done, files={one: data for one, data in done.files.items() if one != name})


def having(done: LegDone, name: str, data: Any) -> LegDone:
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
    change: Callable[[LegDone], Any], text: str, leg_of_two: tuple[Leg, LegDone]
) -> None:
    leg, done = leg_of_two
    check_leg(leg, done)
    with pytest.raises(WrongAnswerError, match=text):
        check_leg(leg, change(done))


@pytest.fixture(scope="module")
def leg_of_two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Leg, LegDone]:
    """A part of a run, two generations long, and what came of it."""
    folder = tmp_path_factory.mktemp("leg") / "run"
    store.create(folder, config_text(resolve({**TINY, "openings": "start"}), {}))
    leg = Leg.of(folder, 1e9)
    return leg, go(leg)
