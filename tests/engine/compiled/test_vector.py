"""The vector and the scalar code for moves and flips: the same, on whatever CPU numba targets."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings

from evolve.engine.board import bits
from evolve.engine.compiled import intrinsics as memory
from evolve.engine.compiled.compile import kernel
from tests import reference
from tests.engine import U, any_boards, for_python
from tests.reference import Board

MOVES = (
    for_python(bits.moves_scalar),
    kernel(lambda own, opp: memory.moves_4(own, opp)),
    kernel(lambda own, opp: memory.moves_8(own, opp)),
)
FLIPS = (
    for_python(bits.flips_scalar),
    kernel(lambda square, own, opp: memory.flips_4(square, own, opp)),
    kernel(lambda square, own, opp: memory.flips_8(square, own, opp)),
)
PLAYS = (
    for_python(bits.play_scalar),
    kernel(lambda square, own, opp: memory.play_4(square, own, opp)),
    kernel(lambda square, own, opp: memory.play_8(square, own, opp)),
)


@settings(deadline=None)  # the first example compiles
@given(any_boards)
def test_a_move_and_the_moves_after_it(board: Board) -> None:
    turned, wanted = [], []
    for square in reference.legal_moves(*board):
        own, opp = reference.play(*board, square)
        expected = (
            reference.flips(*board, square),
            reference.mask(reference.legal_moves(own, opp)),
            reference.mask(reference.legal_moves(opp, own)),
        )
        found = [tuple(map(int, play(square, U(board[0]), U(board[1])))) for play in PLAYS]
        turned.append(found)
        wanted.append([expected] * len(PLAYS))
    assert turned == wanted


@settings(deadline=None)  # the first example compiles
@given(any_boards)
def test_all_agree_with_the_reference(board: Board) -> None:
    own, opp = U(board[0]), U(board[1])
    expected = reference.mask(reference.legal_moves(*board))
    assert not [moves for moves in MOVES if int(moves(own, opp)) != expected]
    empty = [square for square in range(64) if not (board[0] | board[1]) >> square & 1]
    turned = [reference.flips(*board, square) for square in empty]
    found = [[int(flips(square, own, opp)) for square in empty] for flips in FLIPS]
    assert found == [turned] * len(FLIPS)


@pytest.mark.skipif(memory.LANES == 0, reason="this machine has no AVX2, there is one path to test")
@pytest.mark.parametrize(
    ("cpu", "lanes"),
    [
        pytest.param("x86-64", "0", marks=pytest.mark.slow),
        ("haswell", "4"),
        pytest.param(
            "skylake-avx512",
            "8",
            marks=[
                pytest.mark.skipif(memory.LANES < 8, reason="this machine has no AVX-512"),
                pytest.mark.slow,  # on such a machine all other tests count so
            ],
        ),
    ],
)
def test_other_cpus_count_the_same(cpu: str, lanes: str) -> None:
    code = (
        "from evolve.engine.board import bits\n"
        "from evolve.engine.compiled.intrinsics import LANES\n"
        "print(LANES, bits.perft(bits.START_OWN, bits.START_OPP, 8))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": ""},
    )
    assert done.stdout.split() == [lanes, "390216"], done.stderr
