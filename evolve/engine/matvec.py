"""Sums of weight rows as vector code: the core of a fully connected layer.

Inputs of these networks are mostly zero (boards are, their planes even more, and half of ReLU's
outputs), so a layer adds the weight rows of the non-zero inputs. LLVM splits the wide vectors into
those of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from evolve.engine.architecture import CHUNK, NARROW, WIDE
from evolve.engine.vector import call, spread

_FLOAT = ir.FloatType()
_I64, _I32, _I8, _I1 = ir.IntType(64), ir.IntType(32), ir.IntType(8), ir.IntType(1)


def _pointer(builder: Any, address: Any, offset: Any, lanes: int) -> Any:
    """Address of `lanes` floats from the float at index `offset`."""
    base = builder.inttoptr(address, _FLOAT.as_pointer())
    place = builder.gep(base, [offset])
    return builder.bitcast(place, ir.VectorType(_FLOAT, lanes).as_pointer())


def _load(builder: Any, address: Any, offset: Any, lanes: int) -> Any:
    value = builder.load(_pointer(builder, address, offset, lanes))
    value.align = 4
    return value


def _store(builder: Any, value: Any, address: Any, offset: Any, lanes: int) -> None:
    store = builder.store(value, _pointer(builder, address, offset, lanes))
    store.align = 4


def _row_adder(lanes: int) -> Any:
    def add_rows(
        typingctx: Any, mask: Any, values: Any, weights: Any, stride: Any, sums: Any
    ) -> Any:
        """sums[:lanes] += Σ values[s] · weights[s · stride :][:lanes] over the bits s of `mask`."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            mask, values, weights, stride, sums = args
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
            value = builder.load(
                builder.gep(builder.inttoptr(values, _FLOAT.as_pointer()), [square])
            )
            row = _load(builder, weights, builder.mul(square, stride), lanes)
            name = f"llvm.fmuladd.v{lanes}f32"
            added = call(builder, name, start.type, [spread(builder, value, lanes), row, total])
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
            return context.get_dummy_value()

        return types.void(types.uint64, *(types.int64,) * 4), generate

    return add_rows


def _nonzero(typingctx: Any, values: Any) -> Any:
    """A bit for each of the CHUNK floats at `values` that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _load(builder, args[0], ir.Constant(_I64, 0), CHUNK)
        differs = builder.fcmp_unordered("!=", vector, ir.Constant(vector.type, None))
        return builder.bitcast(differs, _I64)

    return types.uint64(types.int64), generate


def _dot(typingctx: Any, left: Any, right: Any) -> Any:
    """Σ left[i] · right[i] over CHUNK floats."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(_I64, 0)
        left, right = (_load(builder, address, zero, CHUNK) for address in args)
        product = builder.fmul(left, right)
        name = f"llvm.vector.reduce.fadd.v{CHUNK}f32"
        kind = ir.FunctionType(_FLOAT, [_FLOAT, product.type])
        insert: Any = cgutils.get_or_insert_function
        # Without a fixed order, halves are added: log₂ 64 steps instead of 64.
        return builder.call(
            insert(builder.module, kind, name),
            [ir.Constant(_FLOAT, -0.0), product],
            fastmath=["reassoc"],
        )

    return types.float32(types.int64, types.int64), generate


def _spread_bits(typingctx: Any, bits: Any, values: Any) -> Any:
    """values[s] = 1.0 where bit s is set, and 0.0 elsewhere; CHUNK floats."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits, values = args
        for byte in range(8):
            part = builder.trunc(builder.lshr(bits, ir.Constant(_I64, 8 * byte)), _I8)
            ones = builder.uitofp(
                builder.bitcast(part, ir.VectorType(_I1, 8)), ir.VectorType(_FLOAT, 8)
            )
            _store(builder, ones, values, ir.Constant(_I64, 8 * byte), 8)
        return context.get_dummy_value()

    return types.void(types.uint64, types.int64), generate


def _spread_board(typingctx: Any, own: Any, opp: Any, values: Any) -> Any:
    """values[s] = 1.0 for an own disc, −1.0 for an opponent's, 0.0 for none."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        own, opp, values = args
        kind = ir.VectorType(_FLOAT, 8)
        for byte in range(8):
            by = ir.Constant(_I64, 8 * byte)
            mine, theirs = (
                builder.bitcast(builder.trunc(builder.lshr(bits, by), _I8), ir.VectorType(_I1, 8))
                for bits in (own, opp)
            )
            board = builder.fsub(builder.uitofp(mine, kind), builder.uitofp(theirs, kind))
            _store(builder, board, values, by, 8)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.int64), generate


def _read(typingctx: Any, address: Any, index: Any) -> Any:
    """The float at `index` of those at `address`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        base = builder.inttoptr(args[0], _FLOAT.as_pointer())
        return builder.load(builder.gep(base, [args[1]]))

    return types.float32(types.int64, types.int64), generate


def _write(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Write a float at `index` of those at `address`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        base = builder.inttoptr(args[0], _FLOAT.as_pointer())
        builder.store(args[2], builder.gep(base, [args[1]]))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float32), generate


# numba has no types for the results of these functions.
add_wide_rows = cast("Callable[[np.uint64, int, int, int, int], None]", intrinsic(_row_adder(WIDE)))
add_narrow_rows = cast(
    "Callable[[np.uint64, int, int, int, int], None]", intrinsic(_row_adder(NARROW))
)
nonzero = cast("Callable[[int], np.uint64]", intrinsic(_nonzero))
dot = cast("Callable[[int, int], np.float32]", intrinsic(_dot))
spread_bits = cast("Callable[[np.uint64, int], None]", intrinsic(_spread_bits))
spread_board = cast("Callable[[np.uint64, np.uint64, int], None]", intrinsic(_spread_board))
read = cast("Callable[[int, int], np.float32]", intrinsic(_read))
write = cast("Callable[[int, int, np.float32], None]", intrinsic(_write))
