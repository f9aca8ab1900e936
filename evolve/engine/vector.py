"""Moves and flips as vector code: eight directions at once, by LLVM vectors in intrinsics.

Source: mobility by parallel prefix as in many bitboard programs, here with rotations, so that
one instruction serves both senses of a line; flips by carry (upward) and leading zeros
(downward) along rays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core import config as numba_config
from numba.extending import intrinsic

config: Any = numba_config  # its settings are made at run time

_I1, _I32, _I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)

# Lanes of the moves: along rows, columns and both diagonals, up and down, as rotations left.
_ROTATIONS = (1, 8, 7, 9, 63, 56, 57, 55)
_ROWS, _COLUMNS, _BOTH = 0x7E7E7E7E7E7E7E7E, 0x00FFFFFFFFFFFF00, 0x007E7E7E7E7E7E00
# What a line may run over: squares from which a further step stays on the board.
_INNER = (_ROWS, _COLUMNS, _BOTH, _BOTH) * 2


def _supported() -> bool:
    """Whether the CPU that numba compiles for has vectors wide enough to win: AVX2 or AVX-512.

    With SSE2 alone this code reached 0.74 of the scalar one in a prototype, and on other
    machines it has not been measured; they use the scalar code.
    """
    name = config.CPU_NAME
    if name is None or name in ("host", llvm.get_host_cpu_name()):
        return bool(llvm.get_host_cpu_features().get("avx2"))
    return "+avx2" in (config.CPU_FEATURES or "") or bool(_AVX2_CPUS.search(name))


_AVX2_CPUS = re.compile(r"haswell|broadwell|skylake|lake|rapids|znver|x86-64-v[34]")
SUPPORTED: Final = _supported()


def _vector(lanes: int) -> Any:
    return ir.VectorType(_I64, lanes)


def _constant(values: Sequence[int]) -> Any:
    return ir.Constant(_vector(len(values)), [ir.Constant(_I64, value) for value in values])


def _spread(builder: Any, value: Any, lanes: int) -> Any:
    """`value` in every lane."""
    nothing = ir.Constant(_vector(lanes), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_I32, lanes), None))


def _call(builder: Any, name: str, result: Any, args: Sequence[Any]) -> Any:
    kind = ir.FunctionType(result, [arg.type for arg in args])
    insert: Any = cgutils.get_or_insert_function
    return builder.call(insert(builder.module, kind, name), args)


def _or_lanes(builder: Any, vector: Any) -> Any:
    lanes = vector.type.count
    return _call(builder, f"llvm.vector.reduce.or.v{lanes}i64", _I64, [vector])


def _moves(typingctx: Any, own: Any, opp: Any) -> Any:
    """Legal moves of the side with `own`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def turn(vector: Any, steps: int) -> Any:
            by = _constant([steps * rotation % 64 for rotation in _ROTATIONS])
            return _call(builder, "llvm.fshl.v8i64", vector.type, [vector, vector, by])

        inner = builder.and_(_spread(builder, args[1], 8), _constant(_INNER))
        reach = builder.and_(inner, turn(_spread(builder, args[0], 8), 1))
        reach = builder.or_(reach, builder.and_(inner, turn(reach, 1)))
        run = builder.and_(inner, turn(inner, 1))
        for _ in range(2):
            reach = builder.or_(reach, builder.and_(run, turn(reach, 2)))
        empty = builder.not_(builder.or_(args[0], args[1]))
        return builder.and_(_or_lanes(builder, turn(reach, 1)), empty)

    return types.uint64(types.uint64, types.uint64), generate


def _ray_table() -> list[int]:
    """For each square four rays toward higher squares, then four toward lower ones."""
    table = []
    for square in range(64):
        for sign in (1, -1):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                ray = 0
                x, y = square % 8 + sign * dx, square // 8 + sign * dy
                while 0 <= x < 8 and 0 <= y < 8:
                    ray |= 1 << (8 * y + x)
                    x, y = x + sign * dx, y + sign * dy
                table.append(ray)
    return table


_RAYS = _ray_table()


def _rays_of(builder: Any, square: Any) -> tuple[Any, Any]:
    """The two vectors of rays of a square, out of a constant table in the module."""
    name = "evolve.rays"
    table = builder.module.globals.get(name)
    if table is None:
        kind = ir.ArrayType(_I64, len(_RAYS))
        table = ir.GlobalVariable(builder.module, kind, name)
        table.initializer = ir.Constant(kind, [ir.Constant(_I64, ray) for ray in _RAYS])
        table.global_constant, table.linkage, table.align = True, "internal", 64
    rays = builder.bitcast(table, _vector(4).as_pointer())
    up = builder.shl(square, ir.Constant(_I64, 1))
    down = builder.or_(up, ir.Constant(_I64, 1))
    return tuple(builder.load(builder.gep(rays, [place]), align=32) for place in (up, down))


def _flips(typingctx: Any, square: Any, own: Any, opp: Any) -> Any:
    """Discs that turn when the side with `own` plays on the empty `square`; 0 if it is no move."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        up, down = _rays_of(builder, args[0])
        own4, opp4 = _spread(builder, args[1], 4), _spread(builder, args[2], 4)
        zero, one = _constant([0] * 4), _constant([1] * 4)
        # Upward: adding 1 below the ray carries through the opponent's discs to the end.
        end = builder.add(builder.or_(opp4, builder.not_(up)), one)
        end = builder.and_(builder.and_(end, up), own4)
        found = builder.sext(builder.icmp_unsigned("!=", end, zero), end.type)  # −1 or 0
        above = builder.and_(builder.add(end, found), up)
        # Downward: the highest square of the ray that is not the opponent's.
        stop = builder.or_(builder.and_(down, builder.not_(opp4)), one)
        zeros = _call(builder, "llvm.ctlz.v4i64", stop.type, [stop, ir.Constant(_I1, 1)])
        end = builder.lshr(_constant([1 << 63] * 4), zeros)
        end = builder.and_(builder.and_(end, down), own4)
        below = builder.not_(builder.or_(end, builder.sub(end, one)))
        return _or_lanes(builder, builder.or_(above, builder.and_(below, down)))

    return types.uint64(types.int64, types.uint64, types.uint64), generate


# numba has no types for what it makes of these functions.
moves_of = cast("Callable[[np.uint64, np.uint64], np.uint64]", intrinsic(_moves))
flips_of = cast("Callable[[int, np.uint64, np.uint64], np.uint64]", intrinsic(_flips))
