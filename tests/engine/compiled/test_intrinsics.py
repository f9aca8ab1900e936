"""Raw memory and counts of bits, against Python's own whole numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.engine.compiled import intrinsics as memory
from evolve.engine.compiled.compile import kernel
from tests.engine import U, bitboards

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
