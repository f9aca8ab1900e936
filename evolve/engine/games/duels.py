"""Duels: games between two evaluations that differ by noise of opposite signs.

An evolution strategy of mirrored samples (Salimans et al. 2017) sums each duel's result times the
signs of its noise. Results are whole numbers, so that sums do not depend on their order.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.board import bits
from evolve.engine.board.bits import ONE, ZERO, U, flips_of
from evolve.engine.board.rules import PASS
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import int64, load, lowest, popcount
from evolve.engine.games.opening import trained_moves
from evolve.engine.games.training_games import to_move
from evolve.engine.patterns import pattern_sums as sums
from evolve.engine.patterns.pattern_search import pattern_move
from evolve.engine.patterns.patterns import MIDDLES, TABLE_OF, follow_move, read_vector
from evolve.engine.search import context as layout

WON: Final = 1 << 10
"""What a game is worth at most; the least is −WON."""


class DuelOptions(NamedTuple):
    """How duels are played.

    seed: of all duels; low, high: random plies at the start, of which each duel draws a number;
    depths [D] int64: plies of the searches, of which each duel draws one; worth [129] int64: of a
    score, −64 to 64, for its side.
    """

    seed: np.uint64
    low: int
    high: int
    depths: npt.NDArray[np.int64]
    worth: npt.NDArray[np.int64]


class Duelists(NamedTuple):
    """The two sides of a thread's duels, and its scratch.

    first, second [phases, entries + 2] int16: the tables that their contexts' evaluations read;
    signs [phases, weights] int16: −1 where the first has more; lanes [64, words] uint64: by square
    a bit for each instance that has it; vectors [3, lanes] int16.
    """

    first: npt.NDArray[np.int16]
    second: npt.NDArray[np.int16]
    signs: npt.NDArray[np.int16]
    lanes: npt.NDArray[np.uint64]
    vectors: npt.NDArray[np.int16]


@kernel
def _draw(
    state: U,
    plus: npt.NDArray[np.int16],
    minus: npt.NDArray[np.int16],
    weight_of: npt.NDArray[np.int64],
    duelists: Duelists,
) -> U:
    """Draw the signs of a duel and write both tables; return the state of its random numbers."""
    signs = duelists.signs
    for phase in range(signs.shape[0]):
        for start in range(0, signs.shape[1], 64):
            state += bits.GOLDEN
            word = bits.mixed(state)
            for bit in range(min(64, signs.shape[1] - start)):
                signs[phase, start + bit] = -int64(word >> U(bit) & ONE)
        for entry in range(weight_of.size):
            more, less = plus[phase, entry], minus[phase, entry]
            differing = (more ^ less) & signs[phase, weight_of[entry]]
            duelists.first[phase, entry] = less ^ differing
            duelists.second[phase, entry] = more ^ differing
    return state


@inlined
def _change(
    changed: U, passed: int, after: int, discs: int, lanes: npt.NDArray[np.uint64], patterns: int
) -> int:
    """What the instances on `changed` squares add to a value, since no others do."""
    table, middles = load(patterns, TABLE_OF + discs), load(patterns, MIDDLES)
    total = int64(0)
    for word in range(lanes.shape[1]):
        touched, rest = ZERO, changed
        while rest != ZERO:
            touched |= lanes[lowest(rest), word]
            rest &= rest - ONE
        while touched != ZERO:
            lane = 64 * word + lowest(touched)
            touched &= touched - ONE
            start = table + 2 * sums.word(middles + 4 * lane)
            total += sums.short(start + 2 * sums.short(after + 2 * lane))
            total -= sums.short(start + 2 * sums.short(passed + 2 * lane))
    return total


@kernel
def _greedy(own: U, opp: U, moves: U, duelists: Duelists, patterns: int) -> int:
    """The lowest of the best squares one ply ahead.

    A move changes a tenth of the instances, so values are sums of changes: .6 of the time of whole
    sums.
    """
    vectors = duelists.vectors
    before, passed = int64(vectors[0].ctypes.data), int64(vectors[1].ctypes.data)
    after = int64(vectors[2].ctypes.data)
    read_vector(own, opp, before, patterns)
    follow_move(before, passed, PASS, ZERO, patterns)
    discs = popcount(own | opp) + 1
    best, square = int64(1 << 40), int64(0)
    while moves != ZERO:
        move = lowest(moves)
        moves &= moves - ONE
        turned = flips_of(move, own, opp)
        follow_move(before, after, move, turned, patterns)
        value = _change(turned | ONE << U(move), passed, after, discs, duelists.lanes, patterns)
        if value < best:
            best, square = value, move
    return square


@kernel
def _score(own: U, opp: U, depth: int, mover: int, other: int, duelists: Duelists) -> int:
    """Play a game to its end; return the score of the side to move, whose context is `mover`."""
    layout.forget(mover)
    layout.forget(other)
    side = int64(1)
    while True:
        own, opp, side, moves = to_move(own, opp, side)
        if moves == ZERO:
            return side * bits.final_score(own, opp, load(mover, layout.RULES))
        context = mover if side == 1 else other
        if moves & (moves - ONE) == ZERO:
            square = lowest(moves)
        elif depth == 1:
            square = _greedy(own, opp, moves, duelists, load(context, layout.PATTERNS))
        else:
            square, _ = pattern_move(own, opp, depth, context)
        own, opp = bits.after_move(square, own, opp)
        side = -side


@kernel
def play_duels(
    start: int,
    count: int,
    options: DuelOptions,
    plus: npt.NDArray[np.int16],
    minus: npt.NDArray[np.int16],
    weight_of: npt.NDArray[np.int64],
    duelists: Duelists,
    first: int,
    second: int,
    totals: npt.NDArray[np.int64],
) -> int:
    """Play duels from number `start` on: two games each, in which the sides change colours.

    plus, minus [phases, entries]: the evaluation with noise added and taken away; weight_of
    [entries]: see `shapes.ShapeSet`; first, second: contexts of the duelists. Adds the first one's
    worth in each duel times its signs to totals [phases, weights]; returns how many duels counted.
    A duel whose opening can only go on with one of a match, or ends the game, counts for nothing.
    """
    played = 0
    for duel in range(start, start + count):
        state = bits.mixed(options.seed + U(duel) * bits.GOLDEN)
        state += bits.GOLDEN
        depth = options.depths[int(bits.uniform(state) * options.depths.size)]
        state += bits.GOLDEN
        left = options.low + int(bits.uniform(state) * (options.high - options.low + 1))
        own, opp, side = bits.START_OWN, bits.START_OPP, int64(1)
        moves = ZERO
        while True:
            own, opp, side, moves = to_move(own, opp, side)
            moves = trained_moves(own, opp, moves)
            if left == 0 or moves == ZERO:
                break
            left -= 1
            state += bits.GOLDEN
            own, opp = bits.after_move(bits.random_square(moves, state), own, opp)
            side = -side
        if moves == ZERO:
            continue
        state = _draw(state, plus, minus, weight_of, duelists)
        worth = options.worth[64 + _score(own, opp, depth, first, second, duelists)]
        worth -= options.worth[64 + _score(own, opp, depth, second, first, duelists)]
        played += 1
        for phase in range(totals.shape[0]):
            for weight in range(totals.shape[1]):
                totals[phase, weight] -= worth * (2 * duelists.signs[phase, weight] + 1)
    return played
