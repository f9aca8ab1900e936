"""Who meets whom: pairs of players [pairs, 2] by their numbers, the smaller first, in order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Pairs = npt.NDArray[np.int64]


def all_pairs(players: int) -> Pairs:
    """Everyone meets everyone: (0, 1), (0, 2), …, (1, 2), …"""
    return np.stack(np.triu_indices(players, 1), axis=1)


def pairs_by_lot(players: int, opponents: int, rng: np.random.Generator) -> Pairs:
    """Each of N players meets K others, each pair at most once; N · K must be even.

    The players are put round a table at random. Where N is even, K rounds of the circle method's
    N − 1 are drawn, in each of which everyone meets another one; where it is odd, K / 2 distances,
    and everyone meets those so far away on either side. Drawing pairs one after another until it
    comes out even would need many tries where K is near N.
    """
    assert 0 < opponents < players
    assert players * opponents % 2 == 0
    seats = rng.permutation(players)
    if players % 2 == 0:
        others = players - 1  # one sits in the middle and meets whoever comes by
        rounds = np.sort(rng.choice(others, opponents, replace=False))[:, None]
        steps = np.arange(1, players // 2)
        middle = np.broadcast_to(players - 1, rounds.shape)
        first = np.hstack([middle, (rounds + steps) % others])
        second = np.hstack([rounds, (rounds - steps) % others])
    else:
        distances = np.sort(rng.choice(players // 2, opponents // 2, replace=False))[:, None] + 1
        first = np.broadcast_to(np.arange(players), (len(distances), players))
        second = (first + distances) % players
    met = np.sort(np.stack([seats[first.ravel()], seats[second.ravel()]], axis=1), axis=1)
    return met[np.lexsort((met[:, 1], met[:, 0]))]
