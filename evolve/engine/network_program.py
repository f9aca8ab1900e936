"""A network in the form for kernels: a block of int64 cells.

A head (INPUT, WIDTH, STEPS, WEIGHTS …), then a row of STEP_CELLS for each step. No kernel is loaded
here, so that settings and files can be checked without any.
"""

from __future__ import annotations

from typing import Final

CHUNK: Final = 64
"""Inputs that are checked together, one bit of a mask each."""
WIDE: Final = 64
NARROW: Final = 16
"""Outputs summed together: as many as fit the registers of AVX2; narrower groups for the rest."""

# Cells of the head: kind of input, floats of the longest vector, number of steps, address of the
# weights, number of outputs, whether the input holds a move.
INPUT, WIDTH, STEPS, WEIGHTS, OUTPUTS, TAKES_MOVE, HEAD_CELLS = 0, 1, 2, 3, 4, 5, 8

# Kinds of input: what it shows of a position.
CANONICAL: Final = 0
"""64: 1 own disc, −1 the other side's, 0 none."""
PLANES: Final = 1
"""192: own discs, the other side's, both; by square, three numbers each."""
MOBILITY: Final = 2
"""256: own discs, the other side's, own moves, the other side's; by square, four numbers each."""
COLOURED: Final = 3
"""65: 1 black, −1 white, 0 empty; then the side to move, 1 or −1."""
COLOURED_MOVE: Final = 4
"""67: those of COLOURED; then the row and the column of a move, 0 to 1."""
INPUT_SIZES: Final = (64, 192, 256, 65, 67)

# Cells of a step.
KIND, SIZE_IN, SIZE_OUT, ACTIVATION, OFFSET, STEP_CELLS = 0, 1, 2, 3, 4, 6
# Kinds of step.
DENSE, GATE, SAVE, ADD, DUEL, CONVOLVE, SQUASH_LAST = range(7)
# Activations.
IDENTITY, RELU, TANH, SIGMOID = range(4)


def padded(size: int, to: int = NARROW) -> int:
    """The smallest multiple of `to` that is at least `size`."""
    return -(-size // to) * to
