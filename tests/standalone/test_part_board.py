"""Boards side by side in one wide number: each lane is what a board alone would give."""

from __future__ import annotations

import random

import pytest

from evolve.standalone.part_board import (
    FULL,
    WIDTHS,
    class_of,
    count_of,
    moves_of,
    neighbours_of,
    side_by_side,
    squares_of,
    stable_of,
)
from tests import reference


def boards_of(count: int) -> list[tuple[int, int]]:
    """Positions out of games, and discs strewn anyhow, which reach every border."""
    rng = random.Random(count)
    met = reference.random_boards(rng, count, 4, 63)
    strewn = [reference.scattered_board(rng, rng.random() / 2, 0.5) for _ in range(count)]
    return [(int(own), int(opp)) for own, opp in [*met, *strewn]]


def lanes_of(wide: int, count: int) -> list[tuple[int, int]]:
    """The two lanes of each board."""
    slots = [wide >> 128 * number & (1 << 128) - 1 for number in range(count)]
    return [(slot & FULL, slot >> 64) for slot in slots]


@pytest.mark.parametrize("count", [1, 2, 17])
def test_lanes_do_not_disturb_one_another(count: int) -> None:
    boards = boards_of(count)
    width = WIDTHS[len(boards)]
    wide = side_by_side([own | opp << 64 for own, opp in boards])
    assert lanes_of(wide, len(boards)) == boards
    reach, empty = moves_of(wide, width)
    assert lanes_of(reach, len(boards)) == [
        (reference.mask(reference.legal_moves(*b)), reference.mask(reference.legal_moves(*b[::-1])))
        for b in boards
    ]
    assert lanes_of(empty, len(boards)) == [(FULL & ~(own | opp),) * 2 for own, opp in boards]
    assert lanes_of(count_of(wide, width), len(boards)) == [
        (own.bit_count(), opp.bit_count()) for own, opp in boards
    ]
    beside = lanes_of(neighbours_of(wide, width) & empty, len(boards))
    expected = [
        (reference.beside(own) & free[0], reference.beside(opp) & free[1])
        for (own, opp), free in zip(boards, lanes_of(empty, len(boards)), strict=True)
    ]
    assert beside == expected
    assert lanes_of(stable_of(wide, empty, 0, width), len(boards)) == [
        (reference.stable(own, opp), reference.stable(opp, own)) for own, opp in boards
    ]


def test_squares_are_of_the_class_of_their_images() -> None:
    bits = [1 << reference.square_of(name) for name in reference.CLASSES]
    images = [
        squares_of(reference.transform(bit, symmetry)) for bit in bits for symmetry in range(8)
    ]
    assert [class_of(image) for (image,) in images] == [
        k for k in range(len(bits)) for _ in range(8)
    ]
