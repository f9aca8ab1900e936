"""Networks in play: one position at a time through layers that are data.

The layers are those of `networks.architecture`. Weights are float32 in one block. A dense layer
has a row for each input, with one number for each output (padded to NARROW), then the biases.
Vectors are in a scratch block: two that alternate, and one that a residual unit keeps.

Inputs of these networks are mostly zero (boards are, their planes even more, and half of ReLU's
outputs), so a layer adds the weight rows of the non-zero inputs, as vector code. LLVM splits the
wide vectors into those of the machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types

from evolve.engine.board.bits import ONE, ZERO, U, moves_of
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import call, instructions, int64, load, lowest, spread
from evolve.engine.networks import architecture as layout


@inlined
def _squashed(value: np.float32) -> np.float32:
    """tanh by the exponential, which takes a third of the time of the library's tanh."""
    two = np.float32(2.0)
    return np.float32(1.0) - two / (np.float32(math.exp(two * value)) + np.float32(1.0))


@inlined
def _activate(values: int, size: int, activation: int) -> None:
    """Apply the activation to the first `size` floats at `values`."""
    zero, unit = np.float32(0.0), np.float32(1.0)
    if activation == layout.RELU:
        for index in range(size):
            value = read(values, index)
            write(values, index, value if value > zero else zero)
    elif activation == layout.TANH:
        for index in range(size):
            write(values, index, _squashed(read(values, index)))
    elif activation == layout.SIGMOID:
        for index in range(size):
            write(values, index, unit / (unit + np.float32(math.exp(-read(values, index)))))


@inlined
def _add_rows(source: int, size_in: int, size_out: int, weights: int, target: int) -> None:
    """target += weights · source; `size_out` a multiple of NARROW."""
    start = int64(0)
    while start < size_in:
        mask = nonzero(source + 4 * start)
        if size_in - start < layout.CHUNK:
            mask &= (ONE << U(size_in - start)) - ONE
        rows = weights + 4 * start * size_out
        column = int64(0)
        while column + layout.WIDE <= size_out:
            _add_wide_rows(
                mask, source + 4 * start, rows + 4 * column, size_out, target + 4 * column
            )
            column += layout.WIDE
        while column < size_out:
            _add_narrow_rows(
                mask, source + 4 * start, rows + 4 * column, size_out, target + 4 * column
            )
            column += layout.NARROW
        start += layout.CHUNK


@kernel
def _dense_step(source: int, target: int, size_in: int, size_out: int, weights: int) -> None:
    """target = weights · source + biases, float32 at these addresses.

    A single output has its weights in a row that is padded with zeros to a multiple of CHUNK, then
    its bias.
    """
    if size_out == 1:
        total = np.float32(0.0)
        start = int64(0)
        for index in range(size_in, (size_in + layout.CHUNK - 1) // layout.CHUNK * layout.CHUNK):
            write(source, index, total)  # the old value may be NaN
        while start < size_in:
            total += dot(source + 4 * start, weights + 4 * start)
            start += layout.CHUNK
        write(target, 0, total + read(weights, start))
        return
    columns = (size_out + layout.NARROW - 1) // layout.NARROW * layout.NARROW
    biases = weights + 4 * size_in * columns
    for index in range(columns):
        write(target, index, read(biases, index))
    _add_rows(source, size_in, columns, weights, target)


@kernel
def _convolve_step(source: int, target: int, size_in: int, size_out: int, weights: int) -> None:
    """3×3 convolution of [64, size_in] to [64, size_out]; squares beyond the board are zero.

    The weights are [9, size_in, size_out], neighbours row by row from the upper left.
    """
    columns = (size_out + layout.NARROW - 1) // layout.NARROW * layout.NARROW
    biases = weights + 4 * 9 * size_in * columns
    last = target + 4 * 64 * size_out  # room for the padding of one square
    for square in range(64):
        for index in range(columns):
            write(last, index, read(biases, index))
        row, column = square // 8, square % 8
        for neighbour in range(9):
            y, x = row + neighbour // 3 - 1, column + neighbour % 3 - 1
            if 0 <= y < 8 and 0 <= x < 8:
                near = source + 4 * (8 * y + x) * size_in
                _add_rows(near, size_in, columns, weights + 4 * neighbour * size_in * columns, last)
        for index in range(size_out):
            write(target, square * size_out + index, read(last, index))


@inlined
def _encode(own: U, opp: U, side: int, move: int, kind: int, target: int) -> None:
    """Write a network's input for a position; `own` are the discs of `side` (1 black, −1 white)."""
    if kind == layout.CANONICAL:
        spread_board(own, opp, target)
    elif kind in (layout.PLANES, layout.MOBILITY):
        planes = 3 if kind == layout.PLANES else 4
        for chunk in range(planes):
            spread_board(ZERO, ZERO, target + 4 * layout.CHUNK * chunk)
        third = own | opp
        fourth = ZERO
        if kind == layout.MOBILITY:
            third, fourth = moves_of(own, opp), moves_of(opp, own)
        for plane in range(planes):
            bits = own if plane == 0 else opp if plane == 1 else third if plane == 2 else fourth
            while bits != ZERO:
                write(target, lowest(bits) * planes + plane, np.float32(1.0))
                bits &= bits - ONE
    else:
        spread_board(own if side > 0 else opp, opp if side > 0 else own, target)
        write(target, 64, np.float32(side))
        if kind == layout.COLOURED_MOVE:
            write(target, 65, np.float32(move // 8) / np.float32(7.0))
            write(target, 66, np.float32(move % 8) / np.float32(7.0))


@kernel
def forward(own: U, opp: U, side: int, move: int, network: int, scratch: int) -> int:
    """Run the network on a position (and a move, where it takes one); return the outputs' address.

    `side` is the colour to move, 1 black, −1 white; most networks ignore it.
    """
    width = load(network, layout.WIDTH)
    weights = load(network, layout.WEIGHTS)
    source, target = scratch, scratch + 4 * width
    kept = scratch + 8 * width
    _encode(own, opp, side, move, load(network, layout.INPUT), source)
    for number in range(load(network, layout.STEPS)):
        step = layout.HEAD_CELLS + number * layout.STEP_CELLS
        kind = load(network, step + layout.KIND)
        size_in, size_out = (
            load(network, step + layout.SIZE_IN),
            load(network, step + layout.SIZE_OUT),
        )
        activation = load(network, step + layout.ACTIVATION)
        layer = weights + 4 * load(network, step + layout.OFFSET)
        if kind == layout.SAVE:
            for index in range(size_in):
                write(kept, index, read(source, index))
            continue
        if kind == layout.ADD:
            for index in range(size_in):
                write(source, index, read(source, index) + read(kept, index))
            _activate(source, size_in, activation)
            continue
        if kind == layout.DUEL:
            mean = np.float32(0.0)
            for index in range(size_out):
                mean += read(source, index)
            shift = read(source, size_out) - mean / np.float32(size_out)
            for index in range(size_out):
                write(source, index, read(source, index) + shift)
            continue
        if kind == layout.SQUASH_LAST:
            write(source, size_in - 1, _squashed(read(source, size_in - 1)))
            continue
        if kind == layout.CONVOLVE:
            _convolve_step(source, target, size_in, size_out, layer)
            _activate(target, 64 * size_out, activation)
        else:
            _dense_step(source, target, size_in, size_out, layer)
            _activate(target, size_out, activation)
            if kind == layout.GATE:
                for index in range(size_out):
                    write(target, index, read(target, index) * read(source, index))
        source, target = target, source
    return source


@kernel
def encode_all(
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    moves: npt.NDArray[np.int8],
    kind: int,
    inputs: npt.NDArray[np.float32],
) -> None:
    """Fill inputs [N, size] with a network's inputs for positions [N, 2]."""
    base = int64(inputs.ctypes.data)
    for number in range(positions.shape[0]):
        row = base + 4 * number * inputs.shape[1]
        own, opp = positions[number, 0], positions[number, 1]
        _encode(own, opp, int64(sides[number]), int64(moves[number]), kind, row)


_FLOAT = ir.FloatType()
_I64, _I8, _I1 = ir.IntType(64), ir.IntType(8), ir.IntType(1)


def _pointer(builder: Any, address: Any, offset: Any, lanes: int) -> Any:
    """Address of `lanes` floats from the float at index `offset`."""
    floats = _place(builder, address, offset)
    return builder.bitcast(floats, ir.VectorType(_FLOAT, lanes).as_pointer())


def _load(builder: Any, address: Any, offset: Any, lanes: int) -> Any:
    value = builder.load(_pointer(builder, address, offset, lanes))
    value.align = 4
    return value


def _store(builder: Any, value: Any, address: Any, offset: Any, lanes: int) -> None:
    store = builder.store(value, _pointer(builder, address, offset, lanes))
    store.align = 4


def _emit_rows(
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
    vector = _load(builder, values, ir.Constant(_I64, 0), layout.CHUNK)
    differs = builder.fcmp_unordered("!=", vector, ir.Constant(vector.type, None))
    return builder.bitcast(differs, _I64)


def _dot(builder: Any, left: Any, right: Any) -> Any:
    zero = ir.Constant(_I64, 0)
    product = builder.fmul(
        *(_load(builder, address, zero, layout.CHUNK) for address in (left, right))
    )
    name, start = f"llvm.vector.reduce.fadd.v{layout.CHUNK}f32", ir.Constant(_FLOAT, -0.0)
    # Without a fixed order, halves are added: log₂ 64 steps instead of 64.
    return call(builder, name, _FLOAT, [start, product], fastmath=("reassoc",))


def _flags(builder: Any, bits: Any, first: Any) -> Any:
    """Eight floats, 1.0 for each set bit from bit `first` on."""
    part = builder.trunc(builder.lshr(bits, first), _I8)
    return builder.uitofp(builder.bitcast(part, ir.VectorType(_I1, 8)), ir.VectorType(_FLOAT, 8))


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


_RowAdder = Callable[[np.uint64, int, int, int, int], None]
"""sums[:lanes] += Σ values[s] · weights[s · stride :][:lanes] over the bits s of `mask`."""
_ROWS: Any = types.void(types.uint64, *(types.int64,) * 4)
_add_wide_rows: _RowAdder = instructions(partial(_emit_rows, layout.WIDE), _ROWS)
_add_narrow_rows: _RowAdder = instructions(partial(_emit_rows, layout.NARROW), _ROWS)
nonzero: Callable[[int], np.uint64] = instructions(_nonzero, types.uint64(types.int64))
"""A bit for each of the CHUNK floats at `values` that is not zero."""
dot: Callable[[int, int], np.float32] = instructions(_dot, types.float32(types.int64, types.int64))
"""Σ left[i] · right[i] over CHUNK floats."""
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
