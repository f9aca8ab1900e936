"""A run that goes from worker to worker, in legs of a generation."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import evolve
from evolve.config.toml import config_text, resolve
from evolve.evolution import loop
from evolve.evolution.leg import Leg, LegDone, go, keep
from evolve.tables import folder as store
from tests.evolution.conftest import TINY, start


def sent(leg: Leg) -> LegDone:
    """Go on with a leg as on another machine: what goes there and comes back are bytes."""
    done = go(pickle.loads(pickle.dumps(leg)))
    assert isinstance(done, LegDone)
    return pickle.loads(pickle.dumps(done))  # type: ignore[no-any-return]


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
