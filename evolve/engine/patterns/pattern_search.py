"""Alpha-beta with forward cuts: fail-soft, to a fixed depth; a pass costs no depth.

It evaluates by patterns, or by the weights of squares and terms where the context's PATTERNS is a
`square_block`. Positions carry their `state`: the address of their vector (see `patterns`), or the
sum of their square weights.

A leaf where the side to move must pass is evaluated as it stands.

Other than in `search`, moves are ordered by the evaluation after them and by the replies. Bounds of
deeper searches count, and those of the game's earlier moves. Forward cuts are made where a static
value or a shallow search predicts that a deep one stays outside of the window (ProbCut, Buro 1995;
see `patterns.CUTS`). Positions evaluated in order to list moves count as nodes. A finished game is
worth its score times SCORE.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import ONE, ZERO, U, flips_of, moves_of, play_of
from evolve.engine.compiled.compile import inlined, kernel
from evolve.engine.compiled.intrinsics import (
    int64,
    load,
    load_bits,
    lowest,
    popcount,
    store,
    store_bits,
)
from evolve.engine.patterns import patterns as block
from evolve.engine.search import context as layout
from evolve.engine.search.evaluation import evaluate
from evolve.engine.search.ordering import pack, pick
from evolve.engine.search.search import INFINITY, best_leaf, enter

_NO_SQUARE = 64
_TO_REFUTE = 2 * block.DISC
"""What each reply adds to a move's key where positions are solved: all of them must be refuted.
From 20 empties five times as much needs twice the nodes in reversed play, and none of it 15 % more
in standard.
"""


@kernel
def _pattern_search_1(own: U, opp: U, moves: U, state: int, beta: int, context: int) -> int:
    """Depth 1 with moves: the best leaf, or the first one worth `beta` or more."""
    if load(load(context, layout.PATTERNS), block.BY_SQUARES) != 0:
        return best_leaf(own, opp, moves, state, beta, context)
    discs, best = popcount(own | opp) + 1, -INFINITY
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        if not enter(context):
            return 0
        turned = flips_of(square, own, opp)
        after = block.state_after(state, square, turned, 0, context)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        best = max(best, -block.leaf_value(child_own, child_opp, after, discs, context))
        if best >= beta:
            break
    return best


@inlined
def _list_moves(
    own: U, opp: U, moves: U, state: int, low: int, high: int, cut: int, frame: int, context: int
) -> tuple[int, int]:
    """List moves in a frame, with the value after them and their replies as key.

    Values are seen from the other side. Moves are cut whose prediction `cut` is outside of the
    other side's window, low to high: it returns how many are listed, and how many are left out,
    because the other side would do too well. It returns −1 where a move refutes the position. The
    next node notices when those evaluated here exceed the budget.
    """
    patterns = load(context, layout.PATTERNS)
    by_squares = load(patterns, block.BY_SQUARES) != 0
    discs = popcount(own | opp) + 1
    slope = load(patterns, cut + block.STATIC_SLOPE)
    refuting = (low - load(patterns, cut + block.STATIC_MEAN)) << block.SLOPE_BITS
    hopeless = (high - load(patterns, cut + block.STATIC_MEAN)) << block.SLOPE_BITS
    count, left_out = int64(0), int64(0)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned, replies, answers = ZERO, ZERO, ZERO
        if by_squares:  # in one piece of vector code
            turned, replies, answers = play_of(square, own, opp)
        else:
            turned = flips_of(square, own, opp)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        after = block.state_after(state, square, turned, 0, context)
        if by_squares:
            value = evaluate(child_own, child_opp, after, replies, answers, context)
        else:
            value = block.evaluate_vector(after, discs, patterns)
        if slope * value <= refuting:
            store(context, layout.NODES, load(context, layout.NODES) + count + left_out + 1)
            return int64(-1), left_out
        if not by_squares:
            replies = moves_of(child_own, child_opp)
        if slope * value >= hopeless and replies != ZERO:
            left_out += 1
            continue
        store_bits(context, frame + layout.TURNED + square, turned)
        store_bits(context, frame + layout.REPLIES + square, replies)
        store(context, frame + layout.SQUARES + square, value)
        key = value + load(patterns, block.REPLY_KEYS + popcount(replies))
        store(context, frame + count, pack(key, square))
        count += 1
    store(context, layout.NODES, load(context, layout.NODES) + count + left_out)
    return count, left_out


@kernel
def pattern_search(
    own: U,
    opp: U,
    moves: U,
    state: int,
    static: int,
    alpha: int,
    beta: int,
    depth: int,
    context: int,
) -> int:
    """Value of a position with legal moves `moves`, searched to `depth` ≥ 1 plies.

    static: its value without a search.
    """
    if not enter(context):
        return 0
    sign = 1
    # 1. A pass.
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves == ZERO:
            return block.ended_value(own, opp, context)
        if not enter(context):
            return 0
        own, opp, state = opp, own, block.state_passed(state, layout.MAX_DEPTH + 1 + depth, context)
        static = block.static_value(own, opp, state, popcount(own | opp), context)
        alpha, beta, sign = -beta, -alpha, -1
    if depth == 1:
        return sign * _pattern_search_1(own, opp, moves, state, beta, context)
    # 2. The table: bounds of this depth and of deeper searches.
    known = int64(_NO_SQUARE)
    bucket = layout.bucket_of(own, opp, context)
    entry = layout.probe(own, opp, bucket, context)
    if entry != layout.NOTHING:
        known = layout.move_of(entry, context)
        if layout.draft_of(entry, context) >= depth:
            low, high = layout.low_of(entry, context), layout.high_of(entry, context)
            if low >= beta or low == high:
                return sign * low
            if high <= alpha:
                return sign * high
            alpha, beta = max(alpha, low), min(beta, high)
    # 3. Cuts by a shallow search, where the static value promises one.
    discs = popcount(own | opp)
    patterns = load(context, layout.PATTERNS)
    cut = block.cut_of(depth, discs)
    shallow = load(patterns, cut + block.PROBE_DEPTH)
    if beta - alpha == 1 and shallow != 0:
        expected = (load(patterns, cut + block.STATIC_SLOPE) * static) >> block.SLOPE_BITS
        expected += load(patterns, cut + block.STATIC_MEAN)
        check = load(patterns, cut + block.CHECK_MARGIN)
        for side in (1, -1):  # both, where no static value promises anything: `check` is negative
            limit = beta if side > 0 else alpha
            if side * (expected - limit) < check:
                continue
            margin = side * load(patterns, cut + block.PROBE_MARGIN)
            bound = limit + margin - load(patterns, cut + block.PROBE_MEAN)
            bound = (bound * load(patterns, cut + block.PROBE_SLOPE)) >> block.SLOPE_BITS
            low, high = bound - int64(side > 0), bound + int64(side < 0)
            value = pattern_search(own, opp, moves, state, static, low, high, shallow, context)
            if load(context, layout.STOPPED) != 0:
                return 0
            if side * value >= side * bound:
                return sign * limit
    # 4. Search the table's move, then the others in order: the first with the whole window, the
    #    others with a null window, and again with an open one when they turn out better. In a null
    #    window moves are cut as they are listed: in an open one the best move could be cut.
    child_cut = block.cut_of(depth - 1, discs + 1)
    refuting, hopeless = int64(-INFINITY), int64(INFINITY)
    if beta - alpha == 1:
        margin = load(patterns, child_cut + block.STATIC_MARGIN)
        refuting, hopeless = -beta - margin, -alpha + margin
    frame = layout.FRAMES + depth * layout.FRAME_CELLS
    count, left_out, rest = int64(0), int64(0), moves
    if known != _NO_SQUARE:
        rest ^= ONE << U(known)
        turned, replies, _ = play_of(known, own, opp)
        store_bits(context, frame + layout.TURNED + known, turned)
        store_bits(context, frame + layout.REPLIES + known, replies)
        store(context, frame, known)
        count = int64(1)
    best, best_square = int64(-INFINITY), int64(_NO_SQUARE)
    index, low, high = int64(0), alpha, beta
    while True:
        if index == count:
            if rest == ZERO:
                break
            count, left_out = _list_moves(
                own, opp, rest, state, refuting, hopeless, child_cut, frame, context
            )
            if count < 0:
                return sign * beta
            if left_out > 0:
                best = max(best, alpha)
            rest, index, known = ZERO, int64(0), int64(_NO_SQUARE)
            continue
        square = pick(index, count, frame, context)
        turned = load_bits(context, frame + layout.TURNED + square)
        after = block.state_after(state, square, turned, depth, context)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        replies = load_bits(context, frame + layout.REPLIES + square)
        if known != _NO_SQUARE:
            expected = block.static_value(child_own, child_opp, after, discs + 1, context)
            store(context, frame + layout.SQUARES + square, expected)
        expected = load(context, frame + layout.SQUARES + square)
        value = -pattern_search(
            child_own, child_opp, replies, after, expected, -high, -low, depth - 1, context
        )
        if load(context, layout.STOPPED) != 0:
            return 0
        if value >= high and value < beta:
            low, high = value, beta
            continue
        if value > best:
            best, best_square = value, square
            if best >= beta:
                break
        low = max(alpha, best)
        high = low + 1
        index += 1
    # 5. Store the result in the table.
    low, high = int64(-INFINITY), int64(INFINITY)
    if best > alpha:
        low = best
    if best < beta:
        high = best
    layout.remember(own, opp, bucket, low, high, depth, best_square, context)
    return sign * best


@kernel
def list_to_solve(own: U, opp: U, moves: U, known: int, frame: int, context: int) -> int:
    """Put `moves` into a frame for the solver, best first by patterns; return their number.

    `known` is a square (from the table) to try before all others, or 64.
    """
    state, no_cut = block.state_of(own, opp, context), block.cut_of(int64(0), int64(0))
    least, most = int64(-INFINITY), int64(INFINITY)
    count, _ = _list_moves(own, opp, moves, state, least, most, no_cut, frame, context)
    for index in range(count):
        packed = load(context, frame + index)
        square = packed & 63
        replies = popcount(load_bits(context, frame + layout.REPLIES + square))
        packed += pack(_TO_REFUTE * replies, int64(0))
        if square == known:
            packed = pack(-INFINITY, known)
        store(context, frame + index, packed)
    return count


@inlined
def _list_root(own: U, opp: U, state: int, first: int, context: int) -> int:
    """List all moves in the root's frame, `first` before the others; return their number."""
    frame, no_cut = int64(layout.FRAMES), block.cut_of(int64(0), int64(0))
    least, most, moves = int64(-INFINITY), int64(INFINITY), moves_of(own, opp)
    count, _ = _list_moves(own, opp, moves, state, least, most, no_cut, frame, context)
    for index in range(count):
        if load(context, frame + index) & 63 == first:
            store(context, frame + index, pack(-INFINITY, first))
    return count


@kernel
def pattern_move(own: U, opp: U, depth: int, context: int) -> tuple[int, int]:
    """Square and value of the best move to `depth` ≥ 1 plies, with the help of the table.

    It is the lowest of the best squares. The side must have a move. Where the search was stopped it
    is the best of the moves searched by then, of which the table's move is the first; −1 for none.
    """
    state = block.state_of(own, opp, context)
    frame, known = int64(layout.FRAMES), int64(_NO_SQUARE)
    bucket = layout.bucket_of(own, opp, context)
    entry = layout.probe(own, opp, bucket, context)
    if entry != layout.NOTHING:
        known = layout.move_of(entry, context)
    count = _list_root(own, opp, state, known, context)
    discs = popcount(own | opp) + 1
    limit = int64(INFINITY)
    best, best_square = -limit, int64(_NO_SQUARE)
    index, low, high = 0, -limit, limit
    while index < count:
        square = pick(index, count, frame, context)
        if index > 0 and high != limit:
            # A lower square passes when it is as good.
            low = best - int64(square < best_square)
            high = low + 1
        turned = load_bits(context, frame + layout.TURNED + square)
        after = block.state_after(state, square, turned, depth, context)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        value = int64(0)
        if depth > 1:
            replies = load_bits(context, frame + layout.REPLIES + square)
            static = load(context, frame + layout.SQUARES + square)
            value = -pattern_search(
                child_own, child_opp, replies, after, static, -high, -low, depth - 1, context
            )
        elif enter(context):
            value = -block.leaf_value(child_own, child_opp, after, discs, context)
        if load(context, layout.STOPPED) != 0:
            return (best_square if index > 0 else int64(-1)), best
        if depth > 1 and value >= high and high < limit:
            low, high = value - 1, limit
            continue
        if value > best or (value == best and square < best_square):
            best, best_square = value, square
        low, high = best, best + 1
        index += 1
    layout.remember(own, opp, bucket, best, best, depth, best_square, context)
    return best_square, best


@kernel
def pattern_near(
    own: U, opp: U, depth: int, first: int, guess: int, low: int, high: int, disc: int, context: int
) -> tuple[int, int]:
    """A square within `disc` of the best to `depth` ≥ 2 plies, and about its value.

    The side must have a move. All windows are null windows, so forward cuts are made below every
    move: it asks whether a move is worth the guess, `first` before the others, and so on from there
    (MTD(f), Plaat et al. 1996), for no value up to `low` or from `high` on. The square is −1 where
    none is known to be worth more than `low`, which a search that was stopped may not know yet.
    """
    state, frame = block.state_of(own, opp, context), int64(layout.FRAMES)
    count, step, best = _list_root(own, opp, state, first, context), disc, int64(-1)
    while high - low > disc:
        found = int64(-1)
        for index in range(count):
            square = pick(index, count, frame, context)
            turned = load_bits(context, frame + layout.TURNED + square)
            after = block.state_after(state, square, turned, depth, context)
            child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
            replies = load_bits(context, frame + layout.REPLIES + square)
            static = load(context, frame + layout.SQUARES + square)
            value = -pattern_search(
                child_own, child_opp, replies, after, static, -guess, 1 - guess, depth - 1, context
            )
            if load(context, layout.STOPPED) != 0:
                return best, guess
            if value >= guess:
                if index > 0:  # it comes first from now on
                    store(context, frame + index, pack((load(context, frame) >> 6) - 1, square))
                found = square
                break
        if found >= 0:
            low, best = guess, found
        else:
            high = guess
        if low > -INFINITY and high < INFINITY:
            guess = (low + high) // 2
        else:
            guess += step if best >= 0 else -step
            step *= 2
    return best, guess


@kernel
def pattern_values(own: U, opp: U, depth: int, values: npt.NDArray[np.int64], context: int) -> None:
    """Fill values[square] for every legal move with its value to `depth` ≥ 1 plies.

    The context must not have a node budget: a search that stops early is not reported here.
    """
    state = block.state_of(own, opp, context)
    discs, limit = popcount(own | opp) + 1, int64(INFINITY)
    moves = moves_of(own, opp)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned, replies, _ = play_of(square, own, opp)
        after = block.state_after(state, square, turned, depth, context)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        if depth == 1:
            values[square] = -block.leaf_value(child_own, child_opp, after, discs, context)
        else:
            static = block.static_value(child_own, child_opp, after, discs, context)
            values[square] = -pattern_search(
                child_own, child_opp, replies, after, static, -limit, limit, depth - 1, context
            )
