"""Games from which patterns learn, and the learning.

During training, weights are int32: ONE_VALUE for a value of 1, which is a win by 64 discs. Sums of
whole numbers do not depend on their order, so a training gives the same result on any processor.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.board import bits
from evolve.engine.board.bits import ONE, ZERO, U, flips_of
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import int64, load, lowest, popcount
from evolve.engine.games.opening import trained_moves
from evolve.engine.games.training_games import GameRecords, among, record, to_move
from evolve.engine.patterns.pattern_search import pattern_move
from evolve.engine.patterns.patterns import DISC, follow_move, read_vector, sum_words
from evolve.engine.search import context as layout
from evolve.engine.search.solver import solve_score

ONE_VALUE = 1 << 22
_MOST_GAIN: Final = 8.0
"""The first step of a weight in `fit_positions`, in common steps."""
TO_EVALUATION = ONE_VALUE // (64 * DISC)
"""Ratio of weights during training to those of an evaluation."""


class GameOptions(NamedTuple):
    """How games to learn from are played.

    seed: of all games; openings: most random plies at the start; epsilon: probability of a random
    move after that; solved: empties from which the score is exact; depth: plies of the searches, 0
    for one ply ahead with the weights in training.
    """

    seed: np.uint64
    openings: int
    epsilon: float
    solved: int
    depth: int


class TrainingData(NamedTuple):
    """Weights in training, and their structure.

    tables [phases, entries + 2] int32; sums [phases, entries + 2, 2] float32: for each weight the
    sum of its errors and the sum of their sizes, in learning by differences; updates
    [phases, entries + 2] int32: how often `fit_positions` has moved it; phase_of [65] int64;
    following [entries] int32 and middles [instances] int64: see `shapes.ShapeSet`.
    """

    tables: npt.NDArray[np.int32]
    sums: npt.NDArray[np.float32]
    updates: npt.NDArray[np.int32]
    phase_of: npt.NDArray[np.int64]
    following: npt.NDArray[np.int32]
    middles: npt.NDArray[np.int64]


@inlined
def _table_at(discs: int, taught: TrainingData) -> int:
    """Address of the table for positions with `discs` discs."""
    phase: int = taught.phase_of[discs]
    address = int64(taught.tables.ctypes.data)
    return address + int64(taught.tables.shape[1] * 4 * phase)


@kernel
def _greedy_move(
    own: U, opp: U, moves: U, taught: TrainingData, vectors: npt.NDArray[np.int16], patterns: int
) -> tuple[int, int]:
    """The lowest of the best squares one ply ahead, and its value.

    The value is by the weights; a finished game has one as well.
    """
    before, after = int64(vectors[0].ctypes.data), int64(vectors[1].ctypes.data)
    read_vector(own, opp, before, patterns)
    table = _table_at(popcount(own | opp) + 1, taught)
    best, square = -int64(1 << 40), int64(0)
    while moves != ZERO:
        move = lowest(moves)
        moves &= moves - ONE
        turned = flips_of(move, own, opp)
        follow_move(before, after, move, turned, patterns)
        value = -sum_words(after, table, patterns)
        if value > best:
            best, square = value, move
    return square, best


@kernel
def _searched_move(own: U, opp: U, depth: int, context: int) -> tuple[int, int]:
    """A best square of a deepening search, and its value in the unit of weights in training."""
    layout.forget(context)
    square, value = int64(0), int64(0)
    for plies in range(2 - depth % 2, depth + 1, 2):
        square, value = pattern_move(own, opp, plies, context)
    return square, value * TO_EVALUATION


@kernel
def play_to_learn(
    first: int,
    options: GameOptions,
    taught: TrainingData,
    vectors: npt.NDArray[np.int16],
    context: int,
    records: GameRecords,
) -> None:
    """Play games from number `first` on, each with its own random numbers; fill `records`.

    A solved game goes on, so that the last stages are taught as well. A game that can only go on
    with an opening of a match (see `opening.trained_moves`) is given up: it has no positions.

    `vectors` [2, lanes] is scratch; the context has an evaluation with the shapes in training.
    """
    patterns = load(context, layout.PATTERNS)
    for game in range(records.counts.size):
        state = bits.mixed(options.seed + U(first + game) * bits.GOLDEN)
        own, opp, side = bits.START_OWN, bits.START_OPP, int64(1)
        book = int64(int(bits.uniform(state) * (options.openings + 1)))
        count, ply, result, solved = int64(0), int64(0), int64(0), int64(-1)
        while True:
            own, opp, side, moves = to_move(own, opp, side)
            if moves == ZERO:
                if solved < 0:
                    result = side * bits.final_score(own, opp, load(context, layout.RULES))
                break
            moves = trained_moves(own, opp, moves)
            if moves == ZERO:
                count = int64(0)
                break
            state += bits.GOLDEN
            ply += 1
            if ply <= book:
                square = bits.random_square(moves, state)
            else:
                record(game, count, own, opp, side, records)
                if 64 - popcount(own | opp) <= options.solved:
                    score = solve_score(own, opp, context)
                    records.scores[game, count] = score
                    if solved < 0:
                        result, solved = side * score, count
                if options.depth == 0:
                    best, value = _greedy_move(own, opp, moves, taught, vectors, patterns)
                else:
                    best, value = _searched_move(own, opp, options.depth, context)
                square = best
                state += bits.GOLDEN
                if not among(moves, best) or bits.uniform(state) < options.epsilon:
                    state += bits.GOLDEN
                    square = bits.random_square(moves, state)
                records.moves[game, count] = square
                records.explored[game, count] = square != best
                records.values[game, count] = min(max(value, -ONE_VALUE), ONE_VALUE) / ONE_VALUE
                count += 1
            own, opp = bits.after_move(square, own, opp)
            side = -side
        records.results[game] = result
        records.solved[game] = count if solved < 0 else solved
        records.counts[game] = count


@inlined
def _known_value(game: int, ply: int, records: GameRecords) -> float:
    """The exact value of a position, −1 to 1: of a solved one, or of the last by the result."""
    if ply >= records.solved[game]:
        return float(records.scores[game, ply]) / 64.0
    return float(records.sides[game, ply] * int64(records.results[game])) / 64.0


@kernel
def learn_by_differences(
    records: GameRecords,
    trace: float,
    rate: float,
    taught: TrainingData,
    vectors: npt.NDArray[np.int16],
    patterns: int,
) -> tuple[float, int]:
    """Learn from games, each backwards from its end; return sum and number of squared errors.

    TD(λ), Sutton 1988, with λ = `trace`: a position's target is the next position's value, mixed
    with that position's target. A move that was not the best cuts the trace: its position's target
    is the best move's value. A weight's rate is |Σ errors| / Σ |errors|: temporal coherence, Beal
    and Smith 1999.
    """
    tables, sums = taught.tables, taught.sums
    vector = vectors[0]
    address = int64(vector.ctypes.data)
    unit = float(ONE_VALUE)
    squares, learned = 0.0, 0
    for game in range(records.counts.size):
        last = records.counts[game] - 1
        target = 0.0
        for ply in range(last, -1, -1):
            own, opp = records.positions[game, ply, 0], records.positions[game, ply, 1]
            discs = popcount(own | opp)
            phase = taught.phase_of[discs]
            read_vector(own, opp, address, patterns)
            value = sum_words(address, _table_at(discs, taught), patterns) / unit
            if ply >= records.solved[game] or (ply == last and not records.explored[game, ply]):
                target = _known_value(game, ply, records)
            elif records.explored[game, ply]:
                target = float(records.values[game, ply])
            error = target - value
            squares += error * error
            learned += 1
            for lane in range(taught.middles.size):
                entry = int64(taught.middles[lane] + vector[lane])
                size = sums[phase, entry, 1]
                coherence = 1.0
                if size > 0.0:
                    coherence = abs(sums[phase, entry, 0]) / size
                moved = tables[phase, entry] + rate * coherence * error * unit
                weight = np.int32(min(max(moved, -unit), unit))
                whole = sums[phase, entry, 0] + error
                size += abs(error)
                other = entry
                while True:
                    tables[phase, other] = weight
                    sums[phase, other, 0] = whole
                    sums[phase, other, 1] = size
                    other = int64(taught.following[other])
                    if other == entry:
                        break
            if ply > 0:
                value = min(max(value, -1.0), 1.0)
                target = (1.0 - trace) * value + trace * target
                if records.sides[game, ply - 1] != records.sides[game, ply]:
                    target = -target
    return squares, learned


@kernel
def label_positions(
    records: GameRecords,
    trace: float,
    searched: float,
    positions: npt.NDArray[np.uint64],
    targets: npt.NDArray[np.float32],
) -> int:
    """Fill positions [N, 2] and targets [N] from games; return their number.

    A target is the λ-return of the values of the searches, λ = `trace`; the value of the position's
    own search has the share `searched` in it.
    """
    filled = 0
    for game in range(records.counts.size):
        last = records.counts[game] - 1
        target = 0.0
        for ply in range(last, -1, -1):
            value = float(records.values[game, ply])
            if ply >= records.solved[game] or (ply == last and not records.explored[game, ply]):
                value = target = _known_value(game, ply, records)
            elif records.explored[game, ply]:
                target = value
            positions[filled, 0] = records.positions[game, ply, 0]
            positions[filled, 1] = records.positions[game, ply, 1]
            targets[filled] = searched * value + (1.0 - searched) * target
            filled += 1
            if ply > 0:
                target = (1.0 - trace) * value + trace * target
                if records.sides[game, ply - 1] != records.sides[game, ply]:
                    target = -target
    return filled


@inlined
def _gain(updates: int, rare: float) -> float:
    """How many times the common step a weight moves that has moved so often before.

    It falls by the root of the updates, from _MOST_GAIN to 1 at about `rare` of them, as the steps
    of AdaGrad do (Duchi et al. 2011). At one step for all, rare weights hardly move: trainings of
    95 000 games scored 0.40 in place of 0.47 against the same agent (three seeds each).
    """
    return max(1.0, math.sqrt(rare / (updates + rare / _MOST_GAIN**2))) if rare > 0.0 else 1.0


@inlined
def _saturated(value: float, scale: float) -> float:
    """A value in units that shrink with its size: at `scale` a third of a step counts.

    Of square roots, unlike of hyperbolic tangents, all processors have the same.
    """
    return value / math.sqrt(1.0 + value * value / (scale * scale)) if scale > 0.0 else value


@kernel
def fit_positions(
    positions: npt.NDArray[np.uint64],
    targets: npt.NDArray[np.float32],
    order: npt.NDArray[np.int64],
    rate: float,
    rare: float,
    overlap: int,
    saturation: float,
    taught: TrainingData,
    vectors: npt.NDArray[np.int16],
    patterns: int,
) -> float:
    """Move weights towards the targets of positions, in `order`; return the squared errors' sum.

    rate: the common step of a weight, in shares of the error; rare: see `_gain`. A position teaches
    the phases of up to `overlap` discs fewer and more as well, each by its own error, so that
    values do not jump where phases meet. The sum is of the errors of the position's own phase.
    saturation: see `_saturated`, of targets and values; 0 for none.
    """
    tables, updates = taught.tables, taught.updates
    vector = vectors[0]
    address = int64(vector.ctypes.data)
    squares = 0.0
    for number in order:
        own, opp = positions[number, 0], positions[number, 1]
        discs = popcount(own | opp)
        own_phase = taught.phase_of[discs]
        read_vector(own, opp, address, patterns)
        for side in range(-1, 2):
            beside = min(max(discs + side * overlap, 0), 64)
            phase = taught.phase_of[beside]
            if side != 0 and phase == own_phase:
                continue
            value = sum_words(address, _table_at(beside, taught), patterns) / float(ONE_VALUE)
            error = _saturated(targets[number], saturation) - _saturated(value, saturation)
            if side == 0:
                squares += error * error
            step = rate * error * ONE_VALUE
            for lane in range(taught.middles.size):
                entry = int64(taught.middles[lane] + vector[lane])
                before = updates[phase, entry]
                moved = tables[phase, entry] + int64(np.rint(step * _gain(before, rare)))
                weight = np.int32(min(max(moved, -ONE_VALUE), ONE_VALUE))
                other = entry
                while True:
                    tables[phase, other] = weight
                    updates[phase, other] = before + 1
                    other = int64(taught.following[other])
                    if other == entry:
                        break
    return squares
