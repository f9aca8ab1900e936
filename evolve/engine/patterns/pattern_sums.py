"""Vectors of 16-bit numbers in memory, as numba intrinsics: entries of instances, see `shapes`.

A vector is given by the address of its first number; its length is a multiple of
PART_LANES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types

from evolve.engine.compiled.intrinsics import call, instructions
from evolve.engine.patterns.shapes import PART_LANES

_I1, _I16, _I32, _I64 = (ir.IntType(bits) for bits in (1, 16, 32, 64))
_PART: Final = ir.VectorType(_I16, PART_LANES)
PART_BYTES: Final = 2 * PART_LANES
GATHERED: Final = 16
"""Numbers that are looked up together."""


def _number(value: int) -> Any:
    return ir.Constant(_I64, value)


def _part(builder: Any, address: Any) -> Any:
    """The numbers of a part at an address."""
    return builder.load(builder.inttoptr(address, _PART.as_pointer()), align=2)


def _number_at(kind: Any, builder: Any, address: Any) -> Any:
    """A number of that kind at an address, as int64."""
    value = builder.load(builder.inttoptr(address, kind.as_pointer()), align=kind.width // 8)
    return builder.sext(value, _I64)


def _zeros() -> Any:
    return ir.Constant(_PART, [ir.Constant(_I16, 0)] * PART_LANES)


def _sum_of_rows(builder: Any, bits: Any, column: Any, row: Any) -> Any:
    """Sum of the parts at column + row · s over the squares s in `bits`."""
    before = builder.block
    loop, after = (builder.append_basic_block(name) for name in ("disc", "summed"))
    some = builder.icmp_unsigned("!=", bits, _number(0))
    builder.cbranch(some, loop, after)

    builder.position_at_end(loop)
    rest, sums = builder.phi(_I64), builder.phi(_PART)
    square = builder.cttz(rest, ir.Constant(_I1, 1))
    more = builder.add(sums, _part(builder, builder.add(column, builder.mul(square, row))))
    fewer = builder.and_(rest, builder.sub(rest, _number(1)))
    for value, first, following in ((rest, bits, fewer), (sums, _zeros(), more)):
        value.add_incoming(first, before)
        value.add_incoming(following, loop)
    builder.cbranch(builder.icmp_unsigned("!=", fewer, _number(0)), loop, after)

    builder.position_at_end(after)
    total = builder.phi(_PART)
    total.add_incoming(_zeros(), before)
    total.add_incoming(more, loop)
    return total


def _write_parts(builder: Any, target: Any, row: Any, part_at: Callable[[Any], Any]) -> None:
    """Write to `target` the result of `part_at` for the offset of each part, up to `row` bytes."""
    before = builder.block
    loop, done = (builder.append_basic_block(name) for name in ("part", "done"))
    builder.branch(loop)
    builder.position_at_end(loop)
    offset = builder.phi(_I64)
    offset.add_incoming(_number(0), before)
    result = part_at(offset)
    builder.store(
        result, builder.inttoptr(builder.add(target, offset), _PART.as_pointer()), align=2
    )
    following = builder.add(offset, _number(PART_BYTES))
    offset.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_unsigned("<", following, row), loop, done)
    builder.position_at_end(done)


def _follow(
    builder: Any, source: Any, target: Any, square: Any, turned: Any, powers: Any, parts: Any
) -> None:
    row = builder.mul(parts, _number(PART_BYTES))
    placed = builder.add(powers, builder.mul(square, row))

    def part_at(offset: Any) -> Any:
        discs = _sum_of_rows(builder, turned, builder.add(powers, offset), row)
        begin = _part(builder, builder.add(source, offset))
        begin = builder.add(begin, _part(builder, builder.add(placed, offset)))
        return builder.neg(builder.add(begin, builder.add(discs, discs)))

    _write_parts(builder, target, row, part_at)


def _read_position(builder: Any, own: Any, opp: Any, target: Any, powers: Any, parts: Any) -> None:
    row = builder.mul(parts, _number(PART_BYTES))

    def part_at(offset: Any) -> Any:
        column = builder.add(powers, offset)
        mine = _sum_of_rows(builder, own, column, row)
        return builder.sub(mine, _sum_of_rows(builder, opp, column, row))

    _write_parts(builder, target, row, part_at)


def _gather_sum(shift: int, builder: Any, vector: Any, table: Any, middles: Any, count: Any) -> Any:
    """Add numbers of 4 − shift / 8 bytes."""
    shorts, words = ir.VectorType(_I16, GATHERED), ir.VectorType(_I32, GATHERED)
    every = ir.Constant(ir.VectorType(_I1, GATHERED), [ir.Constant(_I1, 1)] * GATHERED)
    zero = ir.Constant(words, [ir.Constant(_I32, 0)] * GATHERED)
    by = ir.Constant(words, [ir.Constant(_I32, shift)] * GATHERED)
    base = builder.inttoptr(table, ir.IntType(8).as_pointer())
    before = builder.block
    loop, done = (builder.append_basic_block(name) for name in ("gather", "gathered"))
    builder.branch(loop)

    builder.position_at_end(loop)
    first, sums = builder.phi(_I64), builder.phi(words)
    at = builder.add(vector, builder.shl(first, _number(1)))
    entries = builder.load(builder.inttoptr(at, shorts.as_pointer()), align=2)
    at = builder.add(middles, builder.shl(first, _number(2)))
    offsets = builder.load(builder.inttoptr(at, words.as_pointer()), align=4)
    places = builder.add(builder.sext(entries, words), offsets)
    scale = ir.Constant(_I32, 4 - shift // 8)
    name = "llvm.x86.avx512.mask.gather.dpi.512"
    found = call(builder, name, words, [zero, base, places, every, scale])
    if shift:
        found = builder.ashr(builder.shl(found, by), by)
    more = builder.add(sums, found)
    following = builder.add(first, _number(GATHERED))
    for value, start, step in ((first, _number(0), following), (sums, zero, more)):
        value.add_incoming(start, before)
        value.add_incoming(step, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, count), loop, done)

    builder.position_at_end(done)
    total = call(builder, f"llvm.vector.reduce.add.v{GATHERED}i32", _I32, [more])
    return builder.sext(total, _I64)


def unrolled_sum(middles: Sequence[int], first: int = 0) -> Callable[[int, int], int]:
    """An intrinsic for instances that are known in advance, from number `first` on.

    It sums the int16 table[middles[i] + vector[i]], from the addresses of vector and table.
    """

    def sum_of_shorts(builder: Any, vector: Any, table: Any) -> Any:
        # Four sums, so that no addition waits for the previous one.
        sums = [_number(0)] * 4
        for lane, middle in enumerate(middles[first:], first):
            entry = _number_at(_I16, builder, builder.add(vector, _number(2 * lane)))
            offset = builder.add(table, builder.shl(entry, _number(1)))
            value = _number_at(_I16, builder, builder.add(offset, _number(2 * int(middle))))
            part = lane % len(sums)
            sums[part] = builder.add(sums[part], value)
        return builder.add(builder.add(sums[0], sums[1]), builder.add(sums[2], sums[3]))

    made: Callable[[int, int], int] = instructions(
        sum_of_shorts, types.int64(types.int64, types.int64)
    )
    return made


_READ: Any = types.int64(types.int64)
short: Callable[[int], int] = instructions(partial(_number_at, _I16), _READ)
"""The int16 at an address."""
word: Callable[[int], int] = instructions(partial(_number_at, _I32), _READ)
"""The int32 at an address."""
read_position: Callable[[np.uint64, np.uint64, int, int, int], None] = instructions(
    _read_position, types.void(*(types.uint64,) * 2, *(types.int64,) * 3)
)
"""Write to `target` the vector of a position, of own, opp, target, powers and parts.

It is Σ powers[own] − Σ powers[opp].
"""
follow: Callable[[int, int, int, np.uint64, int, int], None] = instructions(
    _follow, types.void(*(types.int64,) * 3, types.uint64, types.int64, types.int64)
)
"""Write to `target` the vector at `source` after a move, seen by the other side.

Of source, target, square, turned, powers and parts: −(v + powers[square] + 2 · Σ powers[turned]).
`powers` is [65, 32 · parts]; its last row is zeros, because square 64 is a pass.
"""
_Gather = Callable[[int, int, int, int], int]
"""Σ table[middles[i] + vector[i]] for the first `count` numbers of a vector.

Of vector, table, middles and count: it is a multiple of 16; middles are int32. 4 bytes are read at
the place of a number.
"""
_GATHER: Any = types.int64(*(types.int64,) * 4)
gather_shorts: _Gather = instructions(partial(_gather_sum, 16), _GATHER)
gather_words: _Gather = instructions(partial(_gather_sum, 0), _GATHER)
