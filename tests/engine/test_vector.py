"""The vector and the scalar code for moves and flips: the same, on whatever CPU numba targets."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings

from evolve.engine import bits, vector
from evolve.engine.compile import kernel
from tests import reference
from tests.engine import U, any_boards
from tests.reference import Board


@kernel
def scalar_moves(own: np.uint64, opp: np.uint64) -> np.uint64:
    return bits.moves_scalar(own, opp)


@kernel
def scalar_flips(square: int, own: np.uint64, opp: np.uint64) -> np.uint64:
    return bits.flips_scalar(square, own, opp)


@kernel
def vector_moves(own: np.uint64, opp: np.uint64) -> np.uint64:
    return vector.moves_of(own, opp)


@kernel
def vector_flips(square: int, own: np.uint64, opp: np.uint64) -> np.uint64:
    return vector.flips_of(square, own, opp)


@settings(deadline=None)  # the first example compiles
@given(any_boards)
def test_both_agree_with_the_reference(board: Board) -> None:
    own, opp = U(board[0]), U(board[1])
    expected = reference.mask(reference.legal_moves(*board))
    assert int(scalar_moves(own, opp)) == int(vector_moves(own, opp)) == expected
    for square in range(64):
        if not (board[0] | board[1]) >> square & 1:
            turned = reference.flips(*board, square)
            assert int(scalar_flips(square, own, opp)) == turned
            assert int(vector_flips(square, own, opp)) == turned


@pytest.mark.skipif(
    not vector.SUPPORTED, reason="this machine has no AVX2, there is one path to test"
)
@pytest.mark.parametrize(("cpu", "supported"), [("x86-64", "False"), ("haswell", "True")])
def test_other_cpus_count_the_same(cpu: str, supported: str) -> None:
    code = (
        "from evolve.engine import bits, perft, vector\n"
        "print(vector.SUPPORTED, perft.perft(bits.START_OWN, bits.START_OPP, 8))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""},
    )
    assert done.stdout.split() == [supported, "390216"], done.stderr
