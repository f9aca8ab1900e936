"""Loads and stores at a raw address, and three bit-count instructions, as numba intrinsics.

A search passes one address (an int64 number) of a block of int64 cells instead of array arguments:
numba passes an array as seven scalars and counts references on the way. There is no bounds check:
the tests compare every kernel with a slow reference.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Final, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_CELL = ir.IntType(64)


def instructions(emit: Callable[..., Any], signature: Any) -> Any:
    """A numba intrinsic of a `signature`.

    `emit` adds its LLVM instructions; it gets the builder and the arguments, and returns the
    result: a value, a tuple of values, or None.
    """

    def typed(typingctx: Any, *arguments: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            result = emit(builder, *values)
            if isinstance(result, tuple):
                return context.make_tuple(builder, signature.return_type, result)
            return context.get_dummy_value() if result is None else result

        return signature, generate

    # numba calls an intrinsic by the names of its parameters; the first is the typing context.
    names = ["typingctx", *(f"argument_{place}" for place in range(len(signature.args)))]
    described: Any = typed
    described.__signature__ = Signature(
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    )
    return intrinsic(typed)


def _cell(builder: Any, address: Any, index: Any) -> Any:
    """Address of a cell in the block at an address."""
    return builder.gep(builder.inttoptr(address, _CELL.as_pointer()), [index])


def _load(builder: Any, address: Any, index: Any) -> Any:
    return builder.load(_cell(builder, address, index))


def _store(builder: Any, address: Any, index: Any, value: Any) -> None:
    builder.store(value, _cell(builder, address, index))


def _popcount(builder: Any, bits: Any) -> Any:
    return builder.ctpop(bits)


def _lowest(builder: Any, bits: Any) -> Any:
    return builder.cttz(bits, ir.Constant(ir.IntType(1), 0))


def _leading_zeros(builder: Any, bits: Any) -> Any:
    return builder.ctlz(bits, ir.Constant(ir.IntType(1), 1))


def _call(builder: Any, address: Any, *values: Any) -> Any:
    kind = ir.FunctionType(_CELL, [_CELL] * len(values))
    return builder.call(builder.inttoptr(address, kind.as_pointer()), values)


def _call_clock(builder: Any, address: Any, clock: Any, target: Any) -> None:
    number = ir.IntType(32)
    kind = ir.FunctionType(number, [number, _CELL])
    function = builder.inttoptr(address, kind.as_pointer())
    builder.call(function, [builder.trunc(clock, number), target])


LOOK_TYPES: Final[Any] = (types.int64,) * 2
SEARCH_TYPES: Final[Any] = (types.uint64,) * 3 + (types.int64,) * 5
SOLVER_TYPES: Final[Any] = (types.uint64,) * 2 + (types.int64,) * 3

load: Callable[[int, int], int] = instructions(_load, types.int64(types.int64, types.int64))
"""The int64 in cell `index` of the block at `address`."""
load_bits: Callable[[int, int], np.uint64] = instructions(
    _load, types.uint64(types.int64, types.int64)
)
"""The uint64 in cell `index` of the block at `address`."""
store: Callable[[int, int, int], None] = instructions(
    _store, types.void(types.int64, types.int64, types.int64)
)
"""Write an int64 into cell `index` of the block at `address`."""
store_bits: Callable[[int, int, np.uint64], None] = instructions(
    _store, types.void(types.int64, types.int64, types.uint64)
)
"""Write a uint64 into cell `index` of the block at `address`."""
popcount: Callable[[np.uint64], int] = instructions(_popcount, types.int64(types.uint64))
"""The number of set bits."""
lowest: Callable[[np.uint64], int] = instructions(_lowest, types.int64(types.uint64))
"""The index of the lowest set bit; 64 when there is none."""
leading_zeros: Callable[[np.uint64], np.uint64] = instructions(
    _leading_zeros, types.uint64(types.uint64)
)
"""The number of zero bits above the highest set one; `bits` must not be 0."""

call_search: Callable[..., int] = instructions(_call, types.int64(types.int64, *SEARCH_TYPES))
"""The result of the compiled search at `address`, for own, opp, moves, squares, alpha, beta, depth
and context."""
call_solver: Callable[..., int] = instructions(_call, types.int64(types.int64, *SOLVER_TYPES))
"""The result of the compiled solver at `address`, for own, opp, alpha, beta and context."""
call_look: Callable[[int, int, int], int] = instructions(
    _call, types.int64(types.int64, *LOOK_TYPES)
)
"""The result of the compiled look at the clock at `address`, for nodes and context."""
call_clock: Callable[[int, int, int], None] = instructions(
    _call_clock, types.void(types.int64, types.int64, types.int64)
)
"""Let C's `clock_gettime` at `address` write seconds and nanoseconds of `clock` to `target`."""

int64 = cast("Callable[[int | np.uint64], int]", np.int64)
"""A whole number as a value: numba compiles a function again for each literal argument."""
