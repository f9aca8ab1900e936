"""Loads and stores at a raw address, and three bit-count instructions, as numba intrinsics.

A search passes one address (an int64 number) of a block of int64 cells instead of array arguments:
numba passes an array as seven scalars and counts references on the way. There is no bounds check:
the tests compare every kernel with a slow reference.
"""

# Signatures follow numba's protocol: the first argument is the typing context.
from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_CELL = ir.IntType(64)


def _cell(builder: Any, args: Any) -> Any:
    """Address of cell `args[1]` in the block at address `args[0]`."""
    return builder.gep(builder.inttoptr(args[0], _CELL.as_pointer()), [args[1]])


def _load(typingctx: Any, address: Any, index: Any) -> Any:
    """The int64 in cell `index` of the block at `address`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_cell(builder, args))

    return types.int64(types.int64, types.int64), generate


def _load_bits(typingctx: Any, address: Any, index: Any) -> Any:
    """The uint64 in cell `index` of the block at `address`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_cell(builder, args))

    return types.uint64(types.int64, types.int64), generate


def _store(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Write an int64 into cell `index` of the block at `address`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _cell(builder, args))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


def _store_bits(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Write a uint64 into cell `index` of the block at `address`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _cell(builder, args))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.uint64), generate


def _popcount(typingctx: Any, bits: Any) -> Any:
    """Number of set bits, int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


def _lowest(typingctx: Any, bits: Any) -> Any:
    """Index of the lowest set bit, int64; 64 when there is none."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


def _leading_zeros(typingctx: Any, bits: Any) -> Any:
    """Number of zero bits above the highest set one, uint64; `bits` must not be 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


def _call_search(
    typingctx: Any,
    address: Any,
    own: Any,
    opp: Any,
    moves: Any,
    squares: Any,
    alpha: Any,
    beta: Any,
    depth: Any,
    context: Any,
) -> Any:
    """The result of the compiled search at `address` for these arguments."""
    return types.int64(types.int64, *_SEARCH_TYPES), _call


def _call_solver(
    typingctx: Any, address: Any, own: Any, opp: Any, alpha: Any, beta: Any, context: Any
) -> Any:
    """The result of the compiled solver at `address` for these arguments."""
    return types.int64(types.int64, *_SOLVER_TYPES), _call


def _call_look(typingctx: Any, address: Any, nodes: Any, context: Any) -> Any:
    """The result of the compiled look at the clock at `address` for these arguments."""
    return types.int64(types.int64, *_LOOK_TYPES), _call


def _call_clock(typingctx: Any, address: Any, clock: Any, target: Any) -> Any:
    """Let C's `clock_gettime` at `address` write seconds and nanoseconds to `target`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = ir.IntType(32)
        kind = ir.FunctionType(number, [number, _CELL])
        function = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(function, [builder.trunc(args[1], number), args[2]])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


_LOOK_TYPES = (types.int64,) * 2
_SEARCH_TYPES = (types.uint64,) * 3 + (types.int64,) * 5
_SOLVER_TYPES = (types.uint64,) * 2 + (types.int64,) * 3


def _call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    address, *values = args
    kind = ir.FunctionType(_CELL, [_CELL] * len(values))
    return builder.call(builder.inttoptr(address, kind.as_pointer()), values)


# numba has no types for the results of these functions.
load = cast("Callable[[int, int], int]", intrinsic(_load))
load_bits = cast("Callable[[int, int], np.uint64]", intrinsic(_load_bits))
store = cast("Callable[[int, int, int], None]", intrinsic(_store))
store_bits = cast("Callable[[int, int, np.uint64], None]", intrinsic(_store_bits))
popcount = cast("Callable[[np.uint64], int]", intrinsic(_popcount))
lowest = cast("Callable[[np.uint64], int]", intrinsic(_lowest))
leading_zeros = cast("Callable[[np.uint64], np.uint64]", intrinsic(_leading_zeros))

call_search = cast("Callable[..., int]", intrinsic(_call_search))
call_solver = cast("Callable[..., int]", intrinsic(_call_solver))
call_look = cast("Callable[[int, int, int], int]", intrinsic(_call_look))
call_clock = cast("Callable[[int, int, int], None]", intrinsic(_call_clock))
LOOK_TYPES: Any = _LOOK_TYPES
SEARCH_TYPES: Any = _SEARCH_TYPES
SOLVER_TYPES: Any = _SOLVER_TYPES

int64 = cast("Callable[[int | np.uint64], int]", np.int64)
"""A whole number as a value: numba compiles a function again for each literal argument."""
