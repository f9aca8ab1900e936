"""Random numbers for kernels: those of SplitMix64, and draws that favour nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np

from evolve.engine.board import bits as streams
from evolve.engine.compiled.compile import kernel
from tests import reference
from tests.engine import U

DRAWS = 20_000


@kernel
def outputs(seed: np.uint64, found: np.ndarray) -> None:
    state = seed
    for place in range(found.size):
        state += streams.GOLDEN
        found[place] = streams.mixed(state)


@kernel
def squares_drawn(moves: np.uint64, seed: np.uint64, found: np.ndarray) -> None:
    state = seed
    for place in range(found.size):
        state += streams.GOLDEN
        found[place] = streams.random_square(moves, state)


@kernel
def numbers_drawn(seed: np.uint64, found: np.ndarray) -> None:
    state = seed
    for place in range(found.size):
        state += streams.GOLDEN
        found[place] = streams.uniform(state)


def test_the_stream_is_the_published_one() -> None:
    """As Vigna's splitmix64.c gives it, which many others test themselves against."""
    found = np.zeros(5, np.uint64)
    outputs(U(1234567), found)
    assert found.tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_squares_are_drawn_alike() -> None:
    moves = [0, 19, 26, 37, 44, 63]
    found = np.zeros(DRAWS, np.int64)
    squares_drawn(U(reference.mask(moves)), U(1), found)
    counts = Counter(found.tolist())
    share = 1 / len(moves)
    assert sorted(counts) == moves
    spread = 5 * (DRAWS * share * (1 - share)) ** 0.5
    assert all(abs(count - DRAWS * share) < spread for count in counts.values()), counts


def test_numbers_are_even_from_0_to_1() -> None:
    found = np.zeros(DRAWS)
    numbers_drawn(U(2), found)
    assert ((found >= 0) & (found < 1)).all()
    counts = np.histogram(found, 10, (0.0, 1.0))[0]
    assert (abs(counts - DRAWS / 10) < 5 * (DRAWS * 0.09) ** 0.5).all()
