"""Random moves: each as likely as the others, and the same again from the same seed."""

from __future__ import annotations

import pytest

import evolve
from evolve.agents.chance import mix


def test_random_plays_each_move_alike_over_seeds() -> None:
    board = evolve.Board.start()
    counts = dict.fromkeys(board.legal_moves(), 0)
    for seed in range(4000):
        counts[evolve.RandomAgent().for_game(seed).choose(board)] += 1
    # Four moves, 1000 expected each, standard deviation 27.
    assert all(880 < count < 1120 for count in counts.values()), counts


def test_moves_are_those_of_seed_and_position() -> None:
    board = evolve.Board.start().play(19)
    moves = [evolve.RandomAgent(seed).choose(board) for seed in range(50)]
    evolve.RandomAgent(3).choose(evolve.Board.start())
    assert moves == [evolve.RandomAgent(seed).choose(board) for seed in range(50)]
    assert {*moves} == {*board.legal_moves()}
    with pytest.raises(evolve.IllegalMoveError, match="no move"):
        evolve.RandomAgent().choose(evolve.Board(own=1, opp=0))


def test_numbers_are_mixed_as_in_kernels() -> None:
    """Vigna's splitmix64.c gives 6457827717110365317 first from the seed 1234567."""
    assert mix(1234567) == 6457827717110365317
    assert len({mix(value) for value in range(1000)}) == 1000
