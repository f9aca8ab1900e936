"""Intrinsics: loads and stores at a raw address, bit counts, moves and flips as vector code.

A search passes one address (an int64 number) of a block of int64 cells instead of array arguments:
numba passes an array as seven scalars and counts references on the way. There is no bounds check:
the tests compare every kernel with a slow reference.

Source of the vector code: mobility by parallel prefix as in many bitboard programs; flips by carry
(upward) and by leading zeros or parallel prefix (downward) along rays. Each has two forms: with
AVX-512, eight lanes and one rotation for both directions of a line; with AVX2, which has no
rotation and no count of leading zeros, four lanes upward and four downward, by shifts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter, Signature
from typing import Any, Final, cast

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core import config as numba_config
from numba.extending import intrinsic

_I1, _I32, _I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)


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
    names = ["typingctx", *(f"argument_{number}" for number in range(len(signature.args)))]
    described: Any = typed
    described.__signature__ = Signature(
        [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    )
    return intrinsic(typed)


def _cell(builder: Any, address: Any, index: Any) -> Any:
    """Address of a cell in the block at an address."""
    return builder.gep(builder.inttoptr(address, _I64.as_pointer()), [index])


def _load(builder: Any, address: Any, index: Any) -> Any:
    return builder.load(_cell(builder, address, index))


def _store(builder: Any, address: Any, index: Any, value: Any) -> None:
    builder.store(value, _cell(builder, address, index))


def _call(builder: Any, address: Any, *values: Any) -> Any:
    kind = ir.FunctionType(_I64, [_I64] * len(values))
    return builder.call(builder.inttoptr(address, kind.as_pointer()), values)


def _call_clock(builder: Any, address: Any, clock: Any, target: Any) -> None:
    kind = ir.FunctionType(_I32, [_I32, _I64])
    function = builder.inttoptr(address, kind.as_pointer())
    builder.call(function, [builder.trunc(clock, _I32), target])


LOOK_TYPES: Final[Any] = (types.int64,) * 2
SEARCH_TYPES: Final[Any] = (types.uint64,) * 3 + (types.int64,) * 5
SOLVER_TYPES: Final[Any] = (types.uint64,) * 2 + (types.int64,) * 3
LISTING_TYPES: Final[Any] = (types.uint64,) * 3 + (types.int64,) * 3
CHOICE_TYPES: Final[Any] = (types.uint64,) * 2 + (types.int64,) * 2

_LOAD_TYPES: Final[Any] = (types.int64,) * 2

load: Callable[[int, int], int] = instructions(_load, types.int64(*_LOAD_TYPES))
"""The int64 in cell `index` of the block at `address`."""
load_bits: Callable[[int, int], np.uint64] = instructions(_load, types.uint64(*_LOAD_TYPES))
"""The uint64 in cell `index` of the block at `address`."""
store: Callable[[int, int, int], None] = instructions(_store, types.void(*_LOAD_TYPES, types.int64))
"""Write an int64 into cell `index` of the block at `address`."""
store_bits: Callable[[int, int, np.uint64], None] = instructions(
    _store, types.void(*_LOAD_TYPES, types.uint64)
)
"""Write a uint64 into cell `index` of the block at `address`."""
popcount: Callable[[np.uint64], int] = instructions(
    lambda builder, bits: builder.ctpop(bits), types.int64(types.uint64)
)
"""The number of set bits."""
lowest: Callable[[np.uint64], int] = instructions(
    lambda builder, bits: builder.cttz(bits, ir.Constant(_I1, 0)), types.int64(types.uint64)
)
"""The index of the lowest set bit; 64 when there is none."""
leading_zeros: Callable[[np.uint64], np.uint64] = instructions(
    lambda builder, bits: builder.ctlz(bits, ir.Constant(_I1, 1)), types.uint64(types.uint64)
)
"""The number of zero bits above the highest set one; `bits` must not be 0."""

call_search: Callable[..., int] = instructions(_call, types.int64(types.int64, *SEARCH_TYPES))
"""The result of the compiled search at `address`, for own, opp, moves, squares, alpha, beta, depth
and context."""
call_solver: Callable[..., int] = instructions(_call, types.int64(types.int64, *SOLVER_TYPES))
"""The result of the compiled solver at `address`, for own, opp, alpha, beta and context."""
call_listing: Callable[..., int] = instructions(_call, types.int64(types.int64, *LISTING_TYPES))
"""The number of moves listed by the compiled function at `address`, for own, opp, moves, known
move, frame and context."""
call_choice: Callable[..., int] = instructions(_call, types.int64(types.int64, *CHOICE_TYPES))
"""The result of the compiled choice at `address`, for own, opp, agent and context."""
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


# Lanes: along rows, columns, both diagonals.
_STEPS = (1, 8, 7, 9)
_TURNS = (*_STEPS, *(64 - step for step in _STEPS))  # up, then down, as rotations left
_ROWS, _COLUMNS, _BOTH = 0x7E7E7E7E7E7E7E7E, 0x00FFFFFFFFFFFF00, 0x007E7E7E7E7E7E00
# Squares that a line may pass over: a further step from them stays on the board.
_INNER = (_ROWS, _COLUMNS, _BOTH, _BOTH)

_AVX2_CPUS = re.compile(r"haswell|broadwell|skylake|lake|rapids|znver|x86-64-v[34]")
_AVX512_CPUS = re.compile(r"avx512|cascadelake|icelake|tigerlake|rapids|znver[45]|x86-64-v4")


def _lanes() -> int:
    """The fastest number of lanes on this CPU: 8 with AVX-512, 4 with AVX2, 0 for scalar code.

    With SSE2 alone, vectors reached 0.74 of the scalar code in a prototype; other machines were not
    measured. Both use the scalar code.
    """
    config: Any = numba_config  # numba makes its settings at run time
    name = config.CPU_NAME
    if name is None or name in ("host", llvm.get_host_cpu_name()):
        features = llvm.get_host_cpu_features()
        wide, narrow = features.get("avx512vl"), features.get("avx2")
    else:
        asked = config.CPU_FEATURES or ""
        wide = "+avx512vl" in asked or _AVX512_CPUS.search(name)
        narrow = "+avx2" in asked or _AVX2_CPUS.search(name)
    return 8 if wide else 4 if narrow else 0


LANES: Final = _lanes()


def _vector(lanes: int) -> Any:
    return ir.VectorType(_I64, lanes)


def _constant(values: Sequence[int]) -> Any:
    return ir.Constant(_vector(len(values)), [ir.Constant(_I64, value) for value in values])


def spread(builder: Any, value: Any, lanes: int) -> Any:
    """`value` in every lane."""
    nothing = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_I32, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_I32, lanes), None))


def call(
    builder: Any, name: str, result: Any, args: Sequence[Any], fastmath: Sequence[str] = ()
) -> Any:
    """The result of the LLVM intrinsic with that name."""
    kind = ir.FunctionType(result, [arg.type for arg in args])
    insert: Any = cgutils.get_or_insert_function
    return builder.call(insert(builder.module, kind, name), args, fastmath=fastmath)


def _or_lanes(builder: Any, vector: Any) -> Any:
    lanes = vector.type.count
    return call(builder, f"llvm.vector.reduce.or.v{lanes}i64", _I64, [vector])


def _lines_8(builder: Any, own: Any, opp: Any) -> Any:
    """In eight lanes, the ends of the lines of `own` over discs of `opp`; both are spread."""

    def turn(vector: Any, steps: int) -> Any:
        by = _constant([steps * rotation % 64 for rotation in _TURNS])
        return call(builder, "llvm.fshl.v8i64", vector.type, [vector, vector, by])

    inner = builder.and_(opp, _constant(_INNER * 2))
    reach = builder.and_(inner, turn(own, 1))
    reach = builder.or_(reach, builder.and_(inner, turn(reach, 1)))
    run = builder.and_(inner, turn(inner, 1))
    for _ in range(2):
        reach = builder.or_(reach, builder.and_(run, turn(reach, 2)))
    return turn(reach, 1)


def _lines_4(builder: Any, own: Any, opp: Any) -> Any:
    """The same ends in four lanes."""
    step, double = _constant(_STEPS), _constant([2 * step for step in _STEPS])
    inner = builder.and_(opp, _constant(_INNER))
    run = builder.and_(inner, builder.shl(inner, step))
    ends = []
    for shift in (builder.shl, builder.lshr):
        reach = builder.and_(inner, shift(own, step))
        reach = builder.or_(reach, builder.and_(inner, shift(reach, step)))
        for _ in range(2):
            reach = builder.or_(reach, builder.and_(run, shift(reach, double)))
        ends.append(shift(reach, step))
        run = builder.lshr(run, step)
    return builder.or_(*ends)


_LINES = {4: _lines_4, 8: _lines_8}


def _moves(lanes: int, builder: Any, own: Any, opp: Any) -> Any:
    own_lanes, opp_lanes = spread(builder, own, lanes), spread(builder, opp, lanes)
    ends = _or_lanes(builder, _LINES[lanes](builder, own_lanes, opp_lanes))
    return builder.and_(ends, builder.not_(builder.or_(own, opp)))


def _ray_table() -> list[int]:
    """For each square four rays toward higher squares, then four toward lower ones."""
    table = []
    for square in range(64):
        for sign in (1, -1):
            for dx, dy in ((1, 0), (0, 1), (-1, 1), (1, 1)):  # in the order of _STEPS
                ray = 0
                x, y = square % 8 + sign * dx, square // 8 + sign * dy
                while 0 <= x < 8 and 0 <= y < 8:
                    ray |= 1 << (8 * y + x)
                    x, y = x + sign * dx, y + sign * dy
                table.append(ray)
    return table


RAYS: Final = _ray_table()


def _rays_of(builder: Any, square: Any) -> tuple[Any, Any]:
    """The two vectors of rays of a square, from a constant table in the module."""
    name = "evolve.rays"
    table = builder.module.globals.get(name)
    if table is None:
        kind = ir.ArrayType(_I64, len(RAYS))
        table = ir.GlobalVariable(builder.module, kind, name)
        table.initializer = ir.Constant(kind, [ir.Constant(_I64, ray) for ray in RAYS])
        table.global_constant, table.linkage, table.align = True, "internal", 64
    rays = builder.bitcast(table, _vector(4).as_pointer())
    up = builder.shl(square, ir.Constant(_I64, 1))
    down = builder.or_(up, ir.Constant(_I64, 1))
    return tuple(builder.load(builder.gep(rays, [index]), align=32) for index in (up, down))


def _turned_upward(builder: Any, ray: Any, own: Any, opp: Any) -> Any:
    """Discs that turn toward higher squares: adding 1 below the ray carries to its end."""
    zero, ones = _constant([0] * 4), _constant([1] * 4)
    end = builder.add(builder.or_(opp, builder.not_(ray)), ones)
    end = builder.and_(builder.and_(end, ray), own)
    found = builder.sext(builder.icmp_unsigned("!=", end, zero), end.type)  # −1 or 0
    return builder.and_(builder.add(end, found), ray)


def _end_downward(builder: Any, lanes: int, ray: Any, own: Any, opp: Any) -> Any:
    """The own disc that ends the line toward lower squares, by the method for `lanes` lanes."""
    if lanes == 8:  # the highest square that is not the opponent's
        stop = builder.or_(builder.and_(ray, builder.not_(opp)), _constant([1] * 4))
        zeros = call(builder, "llvm.ctlz.v4i64", stop.type, [stop, ir.Constant(_I1, 1)])
        end = builder.lshr(_constant([1 << 63] * 4), zeros)
        return builder.and_(builder.and_(end, ray), own)
    # Leading zeros cost too much here. No square beyond the first one that is not in `opp` can be
    # an end.
    beyond = builder.lshr(builder.and_(ray, builder.not_(opp)), _constant(_STEPS))
    for factor in (1, 2, 4):
        by = _constant([factor * step for step in _STEPS])
        beyond = builder.or_(beyond, builder.lshr(beyond, by))
    return builder.and_(builder.and_(ray, own), builder.not_(beyond))


def _turned_lanes(builder: Any, lanes: int, square: Any, own: Any, opp: Any) -> Any:
    """In four lanes, the discs that a move on `square` turns, by the method for `lanes` lanes."""
    up, down = _rays_of(builder, square)
    upward = _turned_upward(builder, up, own, opp)
    end = _end_downward(builder, lanes, down, own, opp)
    # The squares of the ray above the end, none when there is no end.
    downward = builder.and_(builder.neg(builder.add(end, end)), down)
    return builder.or_(upward, downward)


def _flips(lanes: int, builder: Any, square: Any, own: Any, opp: Any) -> Any:
    own4, opp4 = spread(builder, own, 4), spread(builder, opp, 4)
    return _or_lanes(builder, _turned_lanes(builder, lanes, square, own4, opp4))


def _shuffled(builder: Any, vector: Any, order: Sequence[int]) -> Any:
    mask = ir.Constant(ir.VectorType(_I32, len(order)), [ir.Constant(_I32, i) for i in order])
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), mask)


def _play(lanes: int, builder: Any, square: Any, own: Any, opp: Any) -> Any:
    """Flips, and the moves after them.

    The discs stay in vectors between the two: moving them out and in again would cost more than the
    flips themselves.
    """
    own4, opp4 = spread(builder, own, 4), spread(builder, opp, 4)
    turned4 = _turned_lanes(builder, lanes, square, own4, opp4)
    turned4 = builder.or_(turned4, _shuffled(builder, turned4, (2, 3, 0, 1)))
    turned4 = builder.or_(turned4, _shuffled(builder, turned4, (1, 0, 3, 2)))
    bit = builder.shl(ir.Constant(_I64, 1), square)
    mine = builder.xor(builder.xor(own4, spread(builder, bit, 4)), turned4)
    theirs = builder.xor(opp4, turned4)
    turned = builder.extract_element(turned4, ir.Constant(_I32, 0))
    occupied = builder.or_(builder.or_(own, opp), bit)
    if lanes == 8:
        mine, theirs = (_shuffled(builder, side, (0, 1, 2, 3) * 2) for side in (mine, theirs))
    replies = _or_lanes(builder, _LINES[lanes](builder, theirs, mine))
    answers = _or_lanes(builder, _LINES[lanes](builder, mine, theirs))
    empty = builder.not_(occupied)
    return turned, builder.and_(replies, empty), builder.and_(answers, empty)


Moves = Callable[[np.uint64, np.uint64], np.uint64]
"""Legal moves of the side with `own`."""
Flips = Callable[[int, np.uint64, np.uint64], np.uint64]
"""Discs that turn when `own` plays on the empty `square`; 0 if it is illegal."""
Play = Callable[[int, np.uint64, np.uint64], tuple[np.uint64, np.uint64, np.uint64]]
"""Flips of a move of `own`, then the moves of the other side, and of this side."""

_MOVES: Any = types.uint64(types.uint64, types.uint64)
_FLIPS: Any = types.uint64(types.int64, types.uint64, types.uint64)
_TRIPLE: Any = types.UniTuple(types.uint64, 3)  # type: ignore[no-untyped-call]
_PLAY: Any = _TRIPLE(types.int64, types.uint64, types.uint64)

moves_4: Moves = instructions(partial(_moves, 4), _MOVES)
moves_8: Moves = instructions(partial(_moves, 8), _MOVES)
flips_4: Flips = instructions(partial(_flips, 4), _FLIPS)
flips_8: Flips = instructions(partial(_flips, 8), _FLIPS)
play_4: Play = instructions(partial(_play, 4), _PLAY)
play_8: Play = instructions(partial(_play, 8), _PLAY)
