"""Who meets whom: everyone, or so many by lot."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.fitness.roundrobin import all_pairs, pairs_by_lot


@pytest.mark.parametrize(
    ("players", "opponents"),
    [(4, 1), (4, 2), (4, 3), (5, 2), (5, 4), (9, 6), (16, 5), (64, 20), (65, 64), (512, 63)],
)
def test_by_lot_each_meets_so_many_others_and_nobody_twice(players: int, opponents: int) -> None:
    pairs = pairs_by_lot(players, opponents, np.random.default_rng(players))
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len({tuple(pair) for pair in pairs.tolist()}) == len(pairs) == players * opponents // 2
    assert np.bincount(pairs.ravel(), minlength=players).tolist() == [opponents] * players
    assert pairs.tolist() == sorted(pairs.tolist())


def test_all_others_by_lot_are_all_pairs() -> None:
    for players in (6, 7):
        drawn = pairs_by_lot(players, players - 1, np.random.default_rng(1))
        assert drawn.tolist() == all_pairs(players).tolist()


@pytest.mark.parametrize("players", [8, 9])
def test_every_pair_is_as_likely_as_every_other(players: int) -> None:
    rng = np.random.default_rng(0)
    draws, opponents = 4000, 2
    met = np.zeros((players, players))
    for _ in range(draws):
        pairs = pairs_by_lot(players, opponents, rng)
        met[pairs[:, 0], pairs[:, 1]] += 1
    share = opponents / (players - 1)
    found = met[np.triu_indices(players, 1)] / draws
    assert np.abs(found - share).max() < 5 * np.sqrt(share * (1 - share) / draws)
