"""Bitboards: moves, flips, stable discs, scores, random squares, perft, and the eight symmetries.

A board is two uint64: `own`, the discs of the side to move, and `opp`, those of the other
side; bit s is square s, with a1 = 0, b1 = 1, …, h8 = 63. Every constant is wrapped in
`np.uint64`, because numba turns uint64 mixed with a Python int into int64.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.board.rules import NO_SCORE, REVERSED, STANDARD
from evolve.engine.compiled.compile import inlined, kernel, wrapper
from evolve.engine.compiled.intrinsics import (
    LANES,
    RAYS,
    flips_4,
    flips_8,
    int64,
    leading_zeros,
    lowest,
    moves_4,
    moves_8,
    play_4,
    play_8,
    popcount,
)

U = np.uint64  # a bitboard, or any other number that a kernel takes as 64 bits
FULL = U(0xFFFFFFFFFFFFFFFF)
NOT_A = U(0xFEFEFEFEFEFEFEFE)
NOT_H = U(0x7F7F7F7F7F7F7F7F)
_INNER = U(0x7E7E7E7E7E7E7E7E)  # columns b to g: what a line along a row or diagonal may run over
CORNERS = U(0x8100000000000081)
ZERO, ONE, TWO = U(0), U(1), U(2)
S7, S8, S9, S14, S16, S18 = U(7), U(8), U(9), U(14), U(16), U(18)

START_OWN = U(1) << U(28) | U(1) << U(35)  # black: e4 and d5
START_OPP = U(1) << U(27) | U(1) << U(36)  # white: d4 and e5

# Squares seen from each square along four lines, [4, 64]: toward higher squares, toward lower ones.
_RAYS_UP, _RAYS_DOWN = np.array(RAYS, np.uint64).reshape(64, 2, 4).transpose(1, 2, 0).copy()


@inlined
def _reach(own: U, inner: U, step: U, double: U) -> U:
    """Squares just past a line of `inner` discs that starts beside an own disc, both ways."""
    up = inner & (own << step)
    up |= inner & (up << step)
    run = inner & (inner << step)
    up |= run & (up << double)
    up |= run & (up << double)
    down = inner & (own >> step)
    down |= inner & (down >> step)
    run = run >> step
    down |= run & (down >> double)
    down |= run & (down >> double)
    return (up << step) | (down >> step)


@inlined
def moves_scalar(own: U, opp: U) -> U:
    """Legal moves of the side with `own`, as a bitboard (parallel prefix in 8 directions)."""
    inner = opp & _INNER
    reach = _reach(own, inner, ONE, TWO)
    reach |= _reach(own, inner, S7, S14)
    reach |= _reach(own, inner, S9, S18)
    reach |= _reach(own, opp, S8, S16)
    return reach & ~(own | opp)


@inlined
def flips_scalar(square: int, own: U, opp: U) -> U:
    """Discs that turn when the side with `own` plays on the empty `square`; 0 if illegal."""
    flips = ZERO
    for line in range(4):
        # Toward higher squares: adding 1 below the ray carries through the opponent's discs.
        ray = _RAYS_UP[line, square]
        end = ((opp | ~ray) + ONE) & ray & own
        flips |= (end - U(end != ZERO)) & ray & opp
        # Toward lower squares: the highest square of the ray that is not the opponent's.
        ray = _RAYS_DOWN[line, square]
        stop = ray & ~opp
        end = (U(0x8000000000000000) >> leading_zeros(stop | ONE)) & own & ray
        flips |= ray & (FULL << U(1)) * U(end != ZERO) & ~(end | (end - ONE))
    return flips


@inlined
def play_scalar(square: int, own: U, opp: U) -> tuple[U, U, U]:
    """Flips of a move of `own`, then the moves of the other side, and of this side."""
    turned = flips_scalar(square, own, opp)
    mine, theirs = own ^ turned ^ (ONE << U(square)), opp ^ turned
    return turned, moves_scalar(theirs, mine), moves_scalar(mine, theirs)


moves_of = {0: moves_scalar, 4: moves_4, 8: moves_8}[LANES]
play_of = {0: play_scalar, 4: play_4, 8: play_8}[LANES]
flips_of = {0: flips_scalar, 4: flips_4, 8: flips_8}[LANES]


@inlined
def after_move(square: int, own: U, opp: U) -> tuple[U, U]:
    """The position after a move, for the other side."""
    turned = flips_of(square, own, opp)
    return opp ^ turned, own ^ turned ^ (ONE << U(square))


@inlined
def neighbours(bits: U) -> U:
    """Every square beside one of `bits`, in 8 directions."""
    row = bits | ((bits & NOT_H) << ONE) | ((bits & NOT_A) >> ONE)
    return row | (row << S8) | (row >> S8)


@wrapper
def _full_rows(occupied: U) -> U:
    row = occupied & (occupied >> ONE)
    row &= row >> TWO
    row &= row >> U(4)
    return (row & U(0x0101010101010101)) * U(0xFF)


@wrapper
def _full_columns(occupied: U) -> U:
    column = occupied & ((occupied >> S8) | (occupied << U(56)))
    column &= (column >> S16) | (column << U(48))
    return column & ((column >> U(32)) | (column << U(32)))


@wrapper
def _full_diagonals(occupied: U) -> tuple[U, U]:
    """Squares whose diagonal (a1–h8) and other diagonal are full.

    A square's diagonal is full when all squares up it and all down it are; the border squares
    that a shift brings in from beyond the board count as full.
    """
    edge_up, edge_down = U(0xFF80808080808080), U(0x01010101010101FF)
    up = occupied & (edge_up | (occupied >> S9))
    up &= U(0xFFFFC0C0C0C0C0C0) | (up >> S18)
    up &= U(0xFFFFFFFFF0F0F0F0) | (up >> U(36))
    down = occupied & (edge_down | (occupied << S9))
    down &= U(0x030303030303FFFF) | (down << S18)
    down &= U(0x0F0F0F0FFFFFFFFF) | (down << U(36))
    diagonal = up & down
    edge_up, edge_down = U(0xFF01010101010101), U(0x80808080808080FF)
    up = occupied & (edge_up | (occupied >> S7))
    up &= U(0xFFFF030303030303) | (up >> S14)
    up &= U(0xFFFFFFFF0F0F0F0F) | (up >> U(28))
    down = occupied & (edge_down | (occupied << S7))
    down &= U(0xC0C0C0C0C0C0FFFF) | (down << S14)
    down &= U(0xF0F0F0F0FFFFFFFF) | (down << U(28))
    return diagonal, up & down


@inlined
def _grow(stable: U, own: U, row: U, column: U, diagonal: U, other: U) -> U:
    """Stable discs of `own` from the first ones, given where the four lines are safe already."""
    while stable != ZERO:
        right = row | (stable >> ONE) | (stable << ONE)
        down = column | (stable >> S8) | (stable << S8)
        slant = diagonal | (stable >> S9) | (stable << S9)
        other_slant = other | (stable >> S7) | (stable << S7)
        grown = own & right & down & slant & other_slant
        if grown == stable:
            break
        stable = grown
    return stable


@kernel
def stable_discs(own: U, opp: U) -> tuple[U, U]:
    """Discs of either side that can be shown never to turn again, as two bitboards.

    A disc counts when each of its four lines is full, or ends beside it at the border, or has
    a stable disc of the same side beside it; the rule is applied until nothing changes. Every
    disc found is stable; a few stable discs are not found.
    """
    occupied = own | opp
    row, column = _full_rows(occupied), _full_columns(occupied)
    # Without a corner a first stable disc is in a full row and a full column.
    if occupied & CORNERS == ZERO and (row == ZERO or column == ZERO):
        return ZERO, ZERO
    diagonal, other = _full_diagonals(occupied)
    # A line is safe too where it ends at the border.
    row |= U(0x8181818181818181)
    column |= U(0xFF000000000000FF)
    diagonal |= U(0xFF818181818181FF)
    other |= U(0xFF818181818181FF)
    first = row & column & diagonal & other
    return (
        _grow(own & first, own, row, column, diagonal, other),
        _grow(opp & first, opp, row, column, diagonal, other),
    )


@kernel
def legal_moves(own: U, opp: U) -> U:
    """`moves_of` for callers in Python."""
    return moves_of(own, opp)


@kernel
def flips(square: int, own: U, opp: U) -> U:
    """`flips_of` for callers in Python."""
    return flips_of(square, own, opp)


@kernel
def legal_moves_of_all(positions: npt.NDArray[np.uint64], moves: npt.NDArray[np.uint64]) -> None:
    """Fill moves [N] with the legal moves, as bitboards, of positions [N, 2]."""
    for number in range(positions.shape[0]):
        moves[number] = moves_of(positions[number, 0], positions[number, 1])


GOLDEN = U(0x9E3779B97F4A7C15)


@inlined
def mixed(state: U) -> U:
    """SplitMix64's output for a state."""
    state = (state ^ (state >> U(30))) * U(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> U(27))) * U(0x94D049BB133111EB)
    return state ^ (state >> U(31))


@inlined
def nth_square(moves: U, number: int) -> int:
    """The square of `moves` with this number, from 0, lowest first."""
    for _ in range(number):
        moves &= moves - ONE
    return lowest(moves)


@inlined
def random_square(moves: U, state: U) -> int:
    """One of the squares of `moves`, all equally likely over states."""
    return nth_square(moves, int64(((mixed(state) & U(0xFFFFFFFF)) * U(popcount(moves))) >> U(32)))


@inlined
def uniform(state: U) -> float:
    """A number in [0, 1) drawn from `state`."""
    return float(mixed(state) >> U(11)) * 2.0**-53


@inlined
def final_score(own: U, opp: U, rules: int) -> int:
    """Exact score of a finished game for the side with `own`, by the code of the rules.

    Standard: own − opp discs, empty squares to the winner. Reversed: opp − own discs. NO_SCORE
    for an unknown code.
    """
    mine, theirs = popcount(own), popcount(opp)
    if rules == REVERSED:
        return theirs - mine
    if rules != STANDARD:
        return NO_SCORE
    if mine > theirs:
        return 64 - 2 * theirs
    if mine < theirs:
        return 2 * mine - 64
    return 0


@kernel
def score_of(own: U, opp: U, rules: int) -> int:
    """`final_score` for callers in Python."""
    return final_score(own, opp, rules)


@inlined
def outcome(own: U, opp: U, rules: int) -> int:
    """1, 0 or −1: the outcome of a finished game for the side with `own`."""
    score = final_score(own, opp, rules)
    return int64(score > 0) - int64(score < 0)


@kernel
def perft(own: U, opp: U, depth: int) -> int:
    """Leaves of the tree of `depth` ≥ 0 plies; a pass is a ply, a finished game is one leaf.

    One thread, no table, no symmetry; the last ply is counted, not played.
    """
    if depth == 0:
        return 1
    moves = moves_of(own, opp)
    if moves == ZERO:
        if moves_of(opp, own) == ZERO:
            return 1
        own, opp = opp, own
        depth -= 1
        if depth == 0:
            return 1
        moves = moves_of(own, opp)
    if depth == 1:
        return popcount(moves)
    count = 0
    if depth == 2:
        while moves != ZERO:
            square = lowest(moves)
            moves &= moves - ONE
            _, replies, _ = play_of(square, own, opp)
            # A pass is the second ply, and so is the end of the game.
            count += popcount(replies) if replies != ZERO else 1
        return count
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        child_own, child_opp = after_move(square, own, opp)
        count += perft(child_own, child_opp, depth - 1)
    return count


_Bitboards = npt.NDArray[np.uint64]


def _swap(bits: _Bitboards, mask: int, shift: int) -> _Bitboards:
    """Swap the bits under `mask` with those `shift` above them."""
    difference: _Bitboards = (bits ^ (bits >> U(shift))) & U(mask)
    swapped: _Bitboards = bits ^ difference ^ (difference << U(shift))
    return swapped


def _transpose(bits: _Bitboards) -> _Bitboards:
    """Exchange columns with rows: b1 with a2, and so on."""
    bits = _swap(bits, 0x00AA00AA00AA00AA, 7)
    bits = _swap(bits, 0x0000CCCC0000CCCC, 14)
    return _swap(bits, 0x00000000F0F0F0F0, 28)


def symmetries(bits: _Bitboards) -> list[_Bitboards]:
    """All eight images of each bitboard; the first is the bitboard itself."""
    images = []
    for image in (bits, _transpose(bits)):
        mirrored = image.byteswap()  # row 1 with row 8, and so on
        turned = _transpose(mirrored).byteswap()
        images += [image, mirrored, turned, turned.byteswap()]
    return images


SQUARE_IMAGES: Final = np.log2(np.stack(symmetries(ONE << np.arange(64, dtype=np.uint64)))).astype(
    np.int8
)
"""The image of every square under each of the symmetries, [8, 64]."""


@inlined
def image_of(bits: U, number: int) -> U:
    """The image of a bitboard under one of the symmetries."""
    image = ZERO
    while bits != ZERO:
        image |= ONE << U(SQUARE_IMAGES[number, lowest(bits)])
        bits &= bits - ONE
    return image


def images_of(positions: _Bitboards, images: npt.NDArray[np.int8]) -> _Bitboards:
    """Images number `images` [N] of bitboards [N, K]."""
    return np.stack(symmetries(positions))[images, np.arange(len(positions))]


def canonical(positions: _Bitboards) -> _Bitboards:
    """For each of the positions [N, 2] the lowest of its eight images by (own, opp)."""
    best_own, best_opp = positions[:, 0].copy(), positions[:, 1].copy()
    for own, opp in zip(symmetries(positions[:, 0]), symmetries(positions[:, 1]), strict=True):
        less = (own < best_own) | ((own == best_own) & (opp < best_opp))
        best_own[less], best_opp[less] = own[less], opp[less]
    return np.stack([best_own, best_opp], axis=1)
