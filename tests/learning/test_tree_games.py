"""Games to learn from, one after the other and side by side: the same games."""

from __future__ import annotations

import numpy as np
import pytest

import evolve
from evolve.config.learning import MctsSettings
from evolve.engine.games.training_games import RANDOM_PLAYER, GameRecords, Lineup
from evolve.engine.networks.architecture import Architecture
from evolve.learning.tree_games import searched_games
from tests import networks

COUNT = 24


def games_of(architecture: Architecture, in_step: bool, jobs: int, **changes: float) -> tuple:
    network = networks.random_network(architecture)
    rng = np.random.default_rng(1)
    opponents = rng.choice(np.array([0, RANDOM_PLAYER, 1], np.int32), COUNT)
    players = np.zeros((COUNT, 2), np.int32)
    players[np.arange(COUNT), rng.integers(0, 2, COUNT)] = opponents
    swh = evolve.load_agent("swh")
    assert isinstance(swh, evolve.AlphaBetaAgent)
    told: list[int] = []
    games, played = searched_games(
        network,
        MctsSettings(simulations=20, **changes),  # type: ignore[arg-type]
        Lineup.drawn(players, 5, rng),
        agents=[swh],
        with_visits=True,
        evaluate=network.outputs if in_step else None,
        jobs=jobs,
        progress=told.append,
    )
    assert sum(told) == played == COUNT
    return games, opponents


def assert_same(first: GameRecords, second: GameRecords) -> None:
    assert (first.counts == second.counts).all()
    assert (first.results == second.results).all()
    some = np.arange(first.positions.shape[1]) < first.counts[:, None]
    for name in ("positions", "sides", "moves", "values", "visits"):
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
    lineup = Lineup.drawn(np.zeros((3, 2), np.int32), 0, np.random.default_rng(0))
    records, _ = searched_games(network, MctsSettings(simulations=5), lineup)
    assert records.visits.size == 0
    assert (records.counts > 5).all()
