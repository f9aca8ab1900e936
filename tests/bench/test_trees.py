"""Speed of tree searches: the same work again, and figures that add up."""

from __future__ import annotations

import pytest

from evolve.bench import trees
from tests.bench import numbers_are_sound


@pytest.mark.parametrize("name", trees.NETWORKS)
def test_networks_are_always_the_same(name: str) -> None:
    one, same = (trees.random_network(trees.NETWORKS[name]) for _ in range(2))
    assert one.digest == same.digest


def test_each_search_is_of_so_many_simulations() -> None:
    rows = trees.mcts_rows()
    numbers_are_sound(rows)
    assert {row["simulations"] for row in rows} == {trees.SIMULATIONS}
    assert {row["empties"] for row in rows} == set(trees.TREE_EMPTIES)
    assert {row["values"] for row in rows} == {"random games", *trees.NETWORKS}


@pytest.mark.slow
def test_games_to_learn_from_are_whole_games_and_the_same_again() -> None:
    rows, again = trees.selfplay_rows(), trees.selfplay_rows()
    numbers_are_sound(rows)
    for row, other in zip(rows, again, strict=True):
        assert row["positions"] == other["positions"]
        assert 30 <= row["positions"] / trees.SELFPLAY_GAMES <= 60
