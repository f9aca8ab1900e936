"""Random moves: each as likely as the others, and the same again from the same seed."""

from __future__ import annotations

import evolve


def test_random_plays_each_move_alike_over_seeds() -> None:
    board = evolve.Board.start()
    counts = dict.fromkeys(board.legal_moves(), 0)
    for seed in range(4000):
        counts[evolve.RandomAgent().for_game(seed).choose(board)] += 1
    # Four moves, 1000 expected each, standard deviation 27.
    assert all(880 < count < 1120 for count in counts.values()), counts
