"""Games to learn from, one after the other and side by side: the same games."""

from __future__ import annotations

import numpy as np
import pytest

import evolve
from evolve.engine.architecture import Architecture
from evolve.engine.mcts_games import RANDOM_OPPONENT, SELF_PLAY, Fixtures
from evolve.learning.tree_games import SearchedGames, TreePlay, searched_games
from tests import networks

COUNT = 24


def games_of(architecture: Architecture, in_step: bool, jobs: int, **changes: float) -> tuple:
    network = networks.random_network(architecture)
    rng = np.random.default_rng(1)
    opponents = rng.choice(np.array([SELF_PLAY, RANDOM_OPPONENT, 0], np.int32), COUNT)
    swh = evolve.load_agent("swh")
    assert isinstance(swh, evolve.AlphaBetaAgent)
    told: list[int] = []
    games = searched_games(
        network,
        TreePlay(20, **changes),  # type: ignore[arg-type]
        Fixtures(
            opponents,
            rng.choice(np.array([1, -1], np.int8), COUNT),
            rng.integers(0, 6, COUNT).astype(np.int32),
            rng.integers(0, 2**64, COUNT, dtype=np.uint64),
        ),
        agents=[swh],
        with_visits=True,
        evaluate=network.outputs if in_step else None,
        jobs=jobs,
        progress=told.append,
    )
    assert sum(told) == COUNT
    return games, opponents


def assert_same(one: SearchedGames, other: SearchedGames) -> None:
    first, second = one.records, other.records
    assert (first.counts == second.counts).all()
    assert (first.results == second.results).all()
    some = np.arange(first.positions.shape[1]) < first.counts[:, None]
    for name in ("positions", "sides", "searched", "visits"):
        assert (getattr(first, name)[some] == getattr(second, name)[some]).all(), name


@pytest.mark.parametrize("architecture", [networks.VALUE, networks.POLICY], ids=lambda a: a.input)
@pytest.mark.parametrize("noise", [0.3, pytest.param(0.0, marks=pytest.mark.slow)])
def test_side_by_side_they_are_the_same_games(architecture: Architecture, noise: float) -> None:
    one, opponents = games_of(architecture, False, 1, noise=noise)
    assert len(set(opponents.tolist())) == 3
    assert_same(one, games_of(architecture, True, 1, noise=noise)[0])


def test_jobs_change_nothing() -> None:
    assert_same(games_of(networks.MOBILE, False, 1)[0], games_of(networks.MOBILE, False, 2)[0])


def test_without_visits_there_are_none() -> None:
    network = networks.random_network(networks.VALUE)
    fixtures = Fixtures(
        np.full(3, SELF_PLAY, np.int32),
        np.ones(3, np.int8),
        np.zeros(3, np.int32),
        np.arange(3, dtype=np.uint64),
    )
    records = searched_games(network, TreePlay(5), fixtures).records
    assert records.visits.size == 0
    assert (records.counts > 5).all()
