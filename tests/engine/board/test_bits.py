"""Moves, flips and stable discs against walked rays, on every sort of board."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.engine.board import bits
from evolve.engine.board.bits import perft
from evolve.engine.compiled import intrinsics as memory
from evolve.engine.compiled.compile import kernel
from tests import reference
from tests.cli import python
from tests.engine import U, any_boards, for_python
from tests.reference import FULL, START, Board, mask, squares

quick = settings(max_examples=200, deadline=None, derandomize=True)

MOVES = (
    bits.legal_moves,
    for_python(bits.moves_scalar),
    kernel(lambda own, opp: memory.moves_4(own, opp)),
    kernel(lambda own, opp: memory.moves_8(own, opp)),
)
FLIPS = (
    bits.flips,
    for_python(bits.flips_scalar),
    kernel(lambda square, own, opp: memory.flips_4(square, own, opp)),
    kernel(lambda square, own, opp: memory.flips_8(square, own, opp)),
)
PLAYS = (
    for_python(bits.play_scalar),
    kernel(lambda square, own, opp: memory.play_4(square, own, opp)),
    kernel(lambda square, own, opp: memory.play_8(square, own, opp)),
)


def kernel_stable(board: Board) -> Board:
    own, opp = bits.stable_discs(U(board[0]), U(board[1]))
    return int(own), int(opp)


def kernel_perft(board: Board, depth: int) -> int:
    return int(perft(U(board[0]), U(board[1]), depth))


def check_rules(board: Board) -> None:
    """Moves and the flips on every empty square, for both sides, by all paths."""
    empty = list(squares(FULL & ~(board[0] | board[1])))
    for own, opp in (board, board[::-1]):
        moves = [int(moves(U(own), U(opp))) for moves in MOVES]
        assert moves == [mask(reference.legal_moves(own, opp))] * len(MOVES)
        turned = [[int(flips(square, U(own), U(opp))) for square in empty] for flips in FLIPS]
        assert turned == [[reference.flips(own, opp, square) for square in empty]] * len(FLIPS)


def check_stable(board: Board) -> None:
    own, opp = board
    expected = reference.stable(own, opp), reference.stable(opp, own)
    assert kernel_stable(board) == expected
    assert kernel_stable((opp, own)) == expected[::-1]


@quick
@given(any_boards)
def test_rules_as_reference(board: Board) -> None:
    check_rules(board)


@quick
@given(any_boards)
def test_stable_as_reference(board: Board) -> None:
    check_stable(board)


def test_every_ray_of_every_length() -> None:
    """One line of discs from every square in every direction, closed, open or to the border."""
    boards, expected = [], []
    for square, rays in enumerate(reference.RAYS):
        for ray, length in itertools.product(rays, range(1, 8)):
            line = sum(ray[:length])
            for own in {0, *ray[length : length + 1]}:
                boards.append((square, U(own), U(line)))
                expected.append(line if own else 0)
    assert [int(bits.flips(*board)) for board in boards] == expected
    moves = [int(bits.legal_moves(*board)) >> square & 1 for square, *board in boards]
    assert moves == [turned != 0 for turned in expected]


def test_lines_do_not_wrap_round_the_border() -> None:
    """A full board but for one square, and stripes of every sort, leave no room for wrapping."""
    stripes = [mask([s for s in range(64) if s % 8 == x]) for x in range(8)]
    stripes += [mask([s for s in range(64) if s // 8 == y]) for y in range(8)]
    for stripe, other in itertools.product(stripes, stripes):
        check_rules((stripe & ~other, other))
        check_rules((FULL & ~stripe & ~other, other))
    for square in range(64):
        for opp in (FULL & ~(1 << square), 0x55AA55AA55AA55AA & ~(1 << square)):
            check_rules((FULL & ~opp & ~(1 << square), opp))


def test_stable_without_a_corner() -> None:
    """The shortcut for boards with no corner taken must not miss a disc.

    For every inner square: its four lines full, all other squares empty, in random colours;
    the least such board has 24 discs.
    """
    rng = random.Random(2)
    corners = mask(reference.CORNERS)
    smallest = 64
    for square in range(64):
        lines = mask([b.bit_length() - 1 for ray in reference.RAYS[square] for b in ray])
        lines |= 1 << square
        if lines & corners:
            continue
        smallest = min(smallest, lines.bit_count())
        for _ in range(20):
            own = lines & rng.getrandbits(64) | 1 << square
            assert kernel_stable((own, lines & ~own))[0] >> square & 1
            check_stable((own, lines & ~own))
            hole = 1 << rng.choice(list(squares(lines & ~(1 << square))))
            check_stable((own & ~hole, lines & ~own & ~hole))
    assert smallest == 24


def test_stable_discs_never_turn_on_crowded_boards() -> None:
    """Few empty squares: most lines are full, and the discs lean on one another. By all
    continuations, whatever either side plays."""
    rng, turned = random.Random(3), []
    for count in range(300):
        holes = mask([rng.randrange(64) for _ in range(count % 12)])
        own = rng.getrandbits(64)
        if count % 3 == 0:
            own |= rng.getrandbits(64)
        board = own & ~holes, FULL & ~own & ~holes
        check_stable(board)
        if count % 12 < 7:
            found = zip(kernel_stable(board), reference.never_turned(*board), strict=True)
            turned.append([stable & ~kept for stable, kept in found])
    assert turned == [[0, 0]] * len(turned)


def test_stable_discs_stay_to_the_end_of_games() -> None:
    """What is stable at some ply is of the same colour, and found stable, at all later ones."""
    rng = random.Random(5)
    games = [[*map(kernel_stable, reference.random_game(rng)[1])] for _ in range(60)]
    pairs = [pair for game in games for pair in itertools.pairwise(game)]
    assert not any(mine & ~opp | theirs & ~own for (mine, theirs), (own, opp) in pairs)


COUNTS = [
    1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284, 212_258_800,
]  # fmt: skip
"""By depth. From 9 on passes and ended games (11: wipe-outs) are among the leaves."""


def test_perft_of_the_start_position() -> None:
    assert [kernel_perft(START, depth) for depth in range(12)] == COUNTS
    assert [reference.perft(*START, depth) for depth in range(6)] == COUNTS[:6]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(any_boards, st.integers(0, 2))
def test_perft_of_any_position(board: Board, depth: int) -> None:
    assert kernel_perft(board, depth) == reference.perft(*board, depth)


def test_perft_to_the_end_of_the_game() -> None:
    """Near the end, deeper than any line goes: passes count as plies, ends as one leaf."""
    boards = reference.random_boards(random.Random(91), 60, 1, 5)
    pairs = [*itertools.product(boards, (1, 2, 3, 4, 5, 6, 8, 12))]
    expected = [reference.perft(*board, depth) for board, depth in pairs]
    assert [kernel_perft(*pair) for pair in pairs] == expected
    assert [bool(reference.legal_moves(*board)) for board in boards].count(False) > 3


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


@pytest.mark.skipif(memory.LANES == 0, reason="this machine has no AVX2, there is one path to test")
@pytest.mark.parametrize(
    ("cpu", "lanes"),
    [
        pytest.param("x86-64", "0", marks=pytest.mark.slow),
        ("haswell", "4"),
        # Slow, for on such a machine all other tests count so.
        *[pytest.param("skylake-avx512", "8", marks=pytest.mark.slow)] * (memory.LANES == 8),
    ],
)
def test_other_cpus_count_the_same(cpu: str, lanes: str) -> None:
    code = (
        "from evolve.engine.board import bits\n"
        "from evolve.engine.compiled.intrinsics import LANES\n"
        "print(LANES, bits.perft(bits.START_OWN, bits.START_OPP, 8))\n"
    )
    done = python(code, NUMBA_CPU_NAME=cpu, NUMBA_CPU_FEATURES="")
    assert done.out.split() == [lanes, "390216"], done.err
