"""Games to learn move values from: whose moves are learned, and where each of them leads."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.engine.board.board import Board
from evolve.engine.games.training_games import RANDOM_PLAYER, GameRecords, Lineup
from evolve.engine.networks.architecture import Architecture
from evolve.learning.self_play import Experience, TreeGames, _Rows
from tests import networks

pytestmark = pytest.mark.learning

NETWORK = networks.random_network(Architecture("canonical", ("dense 8 relu", "dense 64")))
COUNT = 40


def played(left: float = math.inf, **changes: Any) -> tuple[int, _Rows, list[int]]:
    settings = DqnSettings(games=COUNT, steps=1, bootstrap="own", **changes)
    told: list[int] = []
    games, rows = Experience(settings, 1).play(
        np.random.default_rng(4), COUNT, 0.0, (NETWORK,), (NETWORK,), told.append, lambda: left
    )
    return games, rows, told


def test_each_move_is_legal_and_leads_to_the_next_choice_of_its_side() -> None:
    games, rows, told = played()
    assert games == sum(told) == COUNT
    lengths = {len(array) for array in rows.values()}
    assert len(lengths) == 1
    assert lengths.pop() > 40 * COUNT
    going_on = 0
    for number in range(0, len(rows["moves"]), 7):
        own, opp, own_then, opp_then = map(int, rows["boards"][number])
        side = int(rows["sides"][number])
        board = Board(own, opp, "black" if side == 1 else "white")
        assert int(rows["moves"][number]) in board.legal_moves()
        if rows["discounts"][number] == 0:
            continue
        going_on += 1
        assert rows["next_sides"][number] == side
        reached = board.play(int(rows["moves"][number]))
        moved_since = (own_then | opp_then) != (reached.own | reached.opp)
        assert moved_since == bool(reached.legal_moves()), "the other side has, or it has to pass"
    assert going_on > 100


@pytest.mark.parametrize(("both", "sides"), [(False, 1), (True, 2)])
def test_moves_of_other_agents_are_learned_where_both_sides_are(both: bool, sides: int) -> None:
    _, rows, _ = played(opponents={"random": 0.5, "swh": 0.5}, both_sides=both)
    assert 25 * COUNT * sides < len(rows["moves"]) < 35 * COUNT * sides
    assert 0.3 < (rows["sides"] == 1).mean() < 0.7, "it plays both colours"


def test_random_moves_come_first_where_they_are_asked_for() -> None:
    """Against random moves one side alone is learned, against itself both are."""
    itself, random = (played(random_first=share)[1] for share in (0.0, 0.5))
    assert len(random["moves"]) < 0.6 * len(itself["moves"])


def test_without_time_nothing_is_played() -> None:
    games, rows, told = played(left=0.0)
    assert (games, told) == (0, [])
    assert {len(array) for array in rows.values()} == {0}


SEARCHED = 24


def games_of(architecture: Architecture, in_step: bool, jobs: int, **changes: float) -> tuple:
    network = networks.random_network(architecture)
    rng = np.random.default_rng(1)
    opponents = rng.choice(np.array([0, RANDOM_PLAYER, 1], np.int32), SEARCHED)
    players = np.zeros((SEARCHED, 2), np.int32)
    players[np.arange(SEARCHED), rng.integers(0, 2, SEARCHED)] = opponents
    swh = evolve.load_agent("swh")
    told: list[int] = []
    settings = MctsSettings(simulations=20, **changes)  # type: ignore[arg-type]
    games = TreeGames(settings, Lineup.drawn(players, 5, rng), [swh], with_visits=True)
    if in_step:
        played = games.play_in_step(partial(networks.outputs, network), told.append)
    else:
        played = games.play(network, jobs, told.append)
    assert sum(told) == played == SEARCHED
    return games.records, opponents


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
    games = TreeGames(MctsSettings(simulations=5), lineup)
    games.play(network)
    records = games.records
    assert records.visits.size == 0
    assert (records.counts > 5).all()
