"""Moves, flips and stable discs against walked rays, on every sort of board."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from evolve.engine.board import bits
from tests import reference
from tests.engine import U, any_boards, kernel_moves, reachable_boards
from tests.reference import FULL, START, Board, mask, squares

quick = settings(max_examples=200, deadline=None, derandomize=True)


def kernel_flips(board: Board, square: int) -> int:
    return int(bits.flips(square, U(board[0]), U(board[1])))


def kernel_stable(board: Board) -> Board:
    own, opp = bits.stable_discs(U(board[0]), U(board[1]))
    return int(own), int(opp)


def check_rules(board: Board) -> None:
    """Moves and the flips on every empty square, for both sides."""
    for own, opp in (board, board[::-1]):
        assert kernel_moves((own, opp)) == mask(reference.legal_moves(own, opp))
        for square in squares(FULL & ~(own | opp)):
            assert kernel_flips((own, opp), square) == reference.flips(own, opp, square)


def check_stable(board: Board) -> None:
    own, opp = board
    expected = reference.stable(own, opp), reference.stable(opp, own)
    assert kernel_stable(board) == expected
    assert kernel_stable((opp, own)) == expected[::-1]


def test_start_position() -> None:
    assert (int(bits.START_OWN), int(bits.START_OPP)) == START
    assert list(squares(kernel_moves(START))) == [19, 26, 37, 44]  # d3 c4 f5 e6
    assert kernel_flips(START, 19) == 1 << 27


@quick
@given(any_boards)
def test_rules_as_reference(board: Board) -> None:
    check_rules(board)


@quick
@given(any_boards)
def test_stable_as_reference(board: Board) -> None:
    check_stable(board)


@pytest.mark.parametrize("square", range(64))
def test_every_ray_of_every_length(square: int) -> None:
    """One line of discs from every square in every direction, closed, open or to the border."""
    boards, expected = [], []
    for ray in reference.RAYS[square]:
        for length in range(1, len(ray) + 1):
            line = sum(ray[:length])
            for own in {0, ray[length] if length < len(ray) else 0}:
                boards.append((own, line))
                expected.append(line if own else 0)
    assert [kernel_flips(board, square) for board in boards] == expected
    moves = [bool(kernel_moves(board) >> square & 1) for board in boards]
    assert moves == [turned != 0 for turned in expected]


def test_lines_do_not_wrap_round_the_border() -> None:
    """A full board but for one square, and stripes of every sort, leave no room for wrapping."""
    stripes = [mask([s for s in range(64) if s % 8 == x]) for x in range(8)]
    stripes += [mask([s for s in range(64) if s // 8 == y]) for y in range(8)]
    for stripe in stripes:
        for other in stripes:
            check_rules((stripe & ~other, other))
            check_rules((FULL & ~stripe & ~other, other))
    for square in range(64):
        for opp in (FULL & ~(1 << square), 0x55AA55AA55AA55AA & ~(1 << square)):
            check_rules((FULL & ~opp & ~(1 << square), opp))


@pytest.mark.parametrize("board", [(0, 0), (FULL, 0), (0, FULL), (0xFF, FULL ^ 0xFF), (1, 0)])
def test_no_moves_on_full_empty_and_wiped_out_boards(board: Board) -> None:
    assert kernel_moves(board) == kernel_moves((board[1], board[0])) == 0
    check_stable(board)


def test_most_moves_that_a_side_can_have() -> None:
    """An unreachable board with many more moves than any game has: 28 round the border."""
    inner = 0x007E7E7E7E7E7E00
    centre = 0x00003C3C3C3C0000
    board = (centre, inner & ~centre)
    assert kernel_moves(board).bit_count() == 28
    check_rules(board)


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


def test_stable_on_crowded_boards() -> None:
    """Few empty squares: most lines are full, and the discs lean on one another."""
    rng = random.Random(3)
    for count in range(300):
        holes = mask([rng.randrange(64) for _ in range(count % 12)])
        own = rng.getrandbits(64)
        if count % 3 == 0:
            own |= rng.getrandbits(64)
        check_stable((own & ~holes, FULL & ~own & ~holes))


@pytest.mark.slow
@settings(max_examples=30, deadline=None, derandomize=True)
@given(reachable_boards.filter(lambda board: reference.empties(*board) <= 7))
def test_stable_discs_never_turn_in_games(board: Board) -> None:
    check_never_turned(board)


def test_stable_discs_never_turn_on_crowded_boards() -> None:
    rng = random.Random(4)
    for count in range(120):
        holes = mask([rng.randrange(64) for _ in range(1 + count % 6)])
        own = rng.getrandbits(64)
        check_never_turned((own & ~holes, FULL & ~own & ~holes))


def check_never_turned(board: Board) -> None:
    """By all continuations, whatever either side plays."""
    own_stable, opp_stable = kernel_stable(board)
    own_kept, opp_kept = reference.never_turned(*board)
    assert own_stable & ~own_kept == 0
    assert opp_stable & ~opp_kept == 0


def test_stable_discs_stay_to_the_end_of_games() -> None:
    """What is stable at some ply is of the same colour, and found stable, at all later ones."""
    rng = random.Random(5)
    for _ in range(60):
        _, boards = reference.random_game(rng)
        before = (0, 0)
        for ply, board in enumerate(boards):
            own, opp = kernel_stable(board)
            if ply > 0:
                assert before[1] & ~own == 0
                assert before[0] & ~opp == 0
            before = own, opp
