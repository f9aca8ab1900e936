"""Games to learn move values from: whose moves are learned, and where each of them leads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from evolve.config.learning import DqnSettings
from evolve.engine.board.board import Board
from evolve.engine.networks.architecture import Architecture
from evolve.learning.dqn_games import Experience, Rows
from tests import networks

pytestmark = pytest.mark.learning

NETWORK = networks.random_network(Architecture("canonical", ("dense 8 relu", "dense 64")))
COUNT = 40


def played(left: float = math.inf, **changes: Any) -> tuple[int, Rows, list[int]]:
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
