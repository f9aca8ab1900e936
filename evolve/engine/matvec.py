"""Sums of weight rows as vector code: the core of a fully connected layer.

Inputs of these networks are mostly zero (boards are, their planes even more, and half of ReLU's
outputs), so a layer adds the weight rows of the non-zero inputs. LLVM splits the wide vectors into
those of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from evolve.engine.architecture import CHUNK, NARROW, WIDE
from evolve.engine.memory import instructions
from evolve.engine.vector import call, spread

_FLOAT = ir.FloatType()
_I64, _I32, _I8, _I1 = ir.IntType(64), ir.IntType(32), ir.IntType(8), ir.IntType(1)


def _pointer(builder: Any, address: Any, offset: Any, lanes: int) -> Any:
    """Address of `lanes` floats from the float at index `offset`."""
    place = _place(builder, address, offset)
    return builder.bitcast(place, ir.VectorType(_FLOAT, lanes).as_pointer())


def _load(builder: Any, address: Any, offset: Any, lanes: int) -> Any:
    value = builder.load(_pointer(builder, address, offset, lanes))
    value.align = 4
    return value


def _store(builder: Any, value: Any, address: Any, offset: Any, lanes: int) -> None:
    store = builder.store(value, _pointer(builder, address, offset, lanes))
    store.align = 4


def _add_rows(
    lanes: int, builder: Any, mask: Any, values: Any, weights: Any, stride: Any, sums: Any
) -> None:
    zero = ir.Constant(_I64, 0)
    before = builder.block
    start = _load(builder, sums, zero, lanes)
    loop = builder.append_basic_block("rows")
    done = builder.append_basic_block("rows.done")
    builder.cbranch(builder.icmp_unsigned("==", mask, zero), done, loop)
    builder.position_at_end(loop)
    left = builder.phi(_I64)
    total = builder.phi(start.type)
    square = builder.cttz(left, ir.Constant(_I1, 1))
    row = _load(builder, weights, builder.mul(square, stride), lanes)
    name = f"llvm.fmuladd.v{lanes}f32"
    value = spread(builder, _read(builder, values, square), lanes)
    added = call(builder, name, start.type, [value, row, total])
    rest = builder.and_(left, builder.sub(left, ir.Constant(_I64, 1)))
    left.add_incoming(mask, before)
    left.add_incoming(rest, loop)
    total.add_incoming(start, before)
    total.add_incoming(added, loop)
    builder.cbranch(builder.icmp_unsigned("==", rest, zero), done, loop)
    builder.position_at_end(done)
    end = builder.phi(start.type)
    end.add_incoming(start, before)
    end.add_incoming(added, loop)
    _store(builder, end, sums, zero, lanes)


def _nonzero(builder: Any, values: Any) -> Any:
    vector = _load(builder, values, ir.Constant(_I64, 0), CHUNK)
    differs = builder.fcmp_unordered("!=", vector, ir.Constant(vector.type, None))
    return builder.bitcast(differs, _I64)


def _dot(builder: Any, left: Any, right: Any) -> Any:
    zero = ir.Constant(_I64, 0)
    product = builder.fmul(*(_load(builder, address, zero, CHUNK) for address in (left, right)))
    name = f"llvm.vector.reduce.fadd.v{CHUNK}f32"
    kind = ir.FunctionType(_FLOAT, [_FLOAT, product.type])
    insert: Any = cgutils.get_or_insert_function
    # Without a fixed order, halves are added: log₂ 64 steps instead of 64.
    return builder.call(
        insert(builder.module, kind, name),
        [ir.Constant(_FLOAT, -0.0), product],
        fastmath=["reassoc"],
    )


def _flags(builder: Any, bits: Any, first: Any) -> Any:
    """Eight floats, 1.0 for each set bit from bit `first` on."""
    part = builder.trunc(builder.lshr(bits, first), _I8)
    return builder.uitofp(builder.bitcast(part, ir.VectorType(_I1, 8)), ir.VectorType(_FLOAT, 8))


def _spread_bits(builder: Any, bits: Any, values: Any) -> None:
    for byte in range(8):
        first = ir.Constant(_I64, 8 * byte)
        _store(builder, _flags(builder, bits, first), values, first, 8)


def _spread_board(builder: Any, own: Any, opp: Any, values: Any) -> None:
    for byte in range(8):
        first = ir.Constant(_I64, 8 * byte)
        board = builder.fsub(_flags(builder, own, first), _flags(builder, opp, first))
        _store(builder, board, values, first, 8)


def _place(builder: Any, address: Any, index: Any) -> Any:
    return builder.gep(builder.inttoptr(address, _FLOAT.as_pointer()), [index])


def _read(builder: Any, address: Any, index: Any) -> Any:
    return builder.load(_place(builder, address, index))


def _write(builder: Any, address: Any, index: Any, value: Any) -> None:
    builder.store(value, _place(builder, address, index))


RowAdder = Callable[[np.uint64, int, int, int, int], None]
"""sums[:lanes] += Σ values[s] · weights[s · stride :][:lanes] over the bits s of `mask`."""
_ROWS: Any = types.void(types.uint64, *(types.int64,) * 4)
add_wide_rows: RowAdder = instructions(partial(_add_rows, WIDE), _ROWS)
add_narrow_rows: RowAdder = instructions(partial(_add_rows, NARROW), _ROWS)
nonzero: Callable[[int], np.uint64] = instructions(_nonzero, types.uint64(types.int64))
"""A bit for each of the CHUNK floats at `values` that is not zero."""
dot: Callable[[int, int], np.float32] = instructions(_dot, types.float32(types.int64, types.int64))
"""Σ left[i] · right[i] over CHUNK floats."""
spread_bits: Callable[[np.uint64, int], None] = instructions(
    _spread_bits, types.void(types.uint64, types.int64)
)
"""values[s] = 1.0 where bit s is set, and 0.0 elsewhere; CHUNK floats."""
spread_board: Callable[[np.uint64, np.uint64, int], None] = instructions(
    _spread_board, types.void(types.uint64, types.uint64, types.int64)
)
"""values[s] = 1.0 for an own disc, −1.0 for an opponent's, 0.0 for none."""
read: Callable[[int, int], np.float32] = instructions(
    _read, types.float32(types.int64, types.int64)
)
"""The float at `index` of those at `address`."""
write: Callable[[int, int, np.float32], None] = instructions(
    _write, types.void(types.int64, types.int64, types.float32)
)
"""Write a float at `index` of those at `address`."""
