"""Raw memory and counts of bits, against Python's own whole numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.engine.board import bits as streams
from evolve.engine.compiled import intrinsics as memory
from evolve.engine.compiled.compile import kernel
from tests import reference
from tests.engine import U, bitboards, for_python

quick = settings(max_examples=200, deadline=None, derandomize=True)
numbers = st.integers(-(2**63), 2**63 - 1)

counted = kernel(lambda bits: (memory.popcount(bits), memory.lowest(bits)))
above = kernel(lambda bits: memory.leading_zeros(bits))


@kernel
def exchanged(address: int, index: int, value: int) -> int:
    before = memory.load(address, index)
    memory.store(address, index, value)
    return before


@kernel
def exchanged_bits(address: int, index: int, bits: np.uint64) -> np.uint64:
    before = memory.load_bits(address, index)
    memory.store_bits(address, index, bits)
    return before


@quick
@given(bitboards)
def test_bits_are_counted(bits: int) -> None:
    lowest = (bits & -bits).bit_length() - 1 if bits else 64
    assert counted(U(bits)) == (bits.bit_count(), lowest)
    if bits:
        assert above(U(bits)) == 64 - bits.bit_length()


@quick
@given(numbers, bitboards, st.integers(0, 3))
def test_a_cell_is_changed_and_no_other(number: int, bits: int, index: int) -> None:
    cells = np.arange(4, dtype=np.int64)
    expected = cells.copy()
    assert exchanged(cells.ctypes.data, index, number) == index
    expected[index] = number
    assert (cells == expected).all()
    assert int(exchanged_bits(cells.ctypes.data, index, U(bits))) == number % 2**64
    expected.view(np.uint64)[index] = bits
    assert (cells == expected).all()


DRAWS = 20_000

mixed, uniform = for_python(streams.mixed), for_python(streams.uniform)
random_square = for_python(streams.random_square)


def states(seed: int, count: int) -> list[np.uint64]:
    """The states of a stream, one for each draw."""
    return [U((seed + (1 + k) * int(streams.GOLDEN)) % 2**64) for k in range(count)]


def test_the_stream_is_the_published_one() -> None:
    """As Vigna's splitmix64.c gives it, which many others test themselves against."""
    assert [int(mixed(state)) for state in states(1234567, 5)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
        16408922859458223821,
    ]  # fmt: skip


def test_squares_are_drawn_alike() -> None:
    moves = [0, 19, 26, 37, 44, 63]
    mask, share = U(reference.mask(moves)), 1 / len(moves)
    drawn = [random_square(mask, state) for state in states(1, DRAWS)]
    found, counts = np.unique(drawn, return_counts=True)
    assert found.tolist() == moves
    assert (abs(counts - DRAWS * share) < 5 * (DRAWS * share * (1 - share)) ** 0.5).all()


def test_numbers_are_even_from_0_to_1() -> None:
    found = np.array([uniform(state) for state in states(2, DRAWS)])
    assert ((found >= 0) & (found < 1)).all()
    counts = np.histogram(found, 10, (0.0, 1.0))[0]
    assert (abs(counts - DRAWS / 10) < 5 * (DRAWS * 0.09) ** 0.5).all()
