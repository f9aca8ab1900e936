"""Alpha-beta over patterns: like `search`, fail-soft and to a fixed depth; a pass costs no depth.

A leaf where the side to move must pass is evaluated as it stands.

Differences: positions carry their vector (see `patterns`). Moves are ordered by the evaluation
after them and by the replies. Bounds of deeper searches count, and those of the game's earlier
moves. Forward cuts are made where a shallow search predicts that a deep one stays outside the
window (ProbCut, Buro 1995). A finished game is worth its score times DISC.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import CORNERS, ONE, ZERO, U, final_score, flips_of, moves_of, play_of
from evolve.engine.board.rules import PASS
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
from evolve.engine.patterns.patterns import (
    DISC,
    MARGIN,
    MEAN,
    MOST_CUT_DEPTH,
    SHALLOW,
    cut_of,
    evaluate_vector,
    follow_move,
    read_vector,
    vector_size,
)
from evolve.engine.search.context import (
    FRAME_CELLS,
    FRAMES,
    MAX_DEPTH,
    PATTERNS,
    REPLIES,
    RULES,
    STOPPED,
    TURNED,
    VECTORS,
)
from evolve.engine.search.ordering import pack, pick
from evolve.engine.search.search import INFINITY, enter
from evolve.engine.search.table import (
    NOTHING,
    bucket_of,
    draft_of,
    high_of,
    low_of,
    move_of,
    probe,
    remember,
)

NO_SQUARE = 64
REPLY = 2 * DISC
"""Value of one reply less, in the order of moves."""
MOST_VECTORS = 2 * MAX_DEPTH + 4
"""Vectors of a search.

For each depth one of a child and one after a pass; one to look at a move; and the root's.
"""


@inlined
def _vector_at(place: int, context: int) -> int:
    """Address of one of the context's vectors."""
    return load(context, VECTORS) + place * vector_size(load(context, PATTERNS))


@inlined
def _leaf(own: np.uint64, opp: np.uint64, vector: int, discs: int, context: int) -> int:
    """Value of a leaf without further search; its node is already entered."""
    if moves_of(own, opp) == ZERO and moves_of(opp, own) == ZERO:
        return final_score(own, opp, load(context, RULES)) * DISC
    return evaluate_vector(vector, discs, load(context, PATTERNS))


@kernel
def pattern_search_1(
    own: np.uint64,
    opp: np.uint64,
    moves: np.uint64,
    vector: int,
    beta: int,
    context: int,
) -> int:
    """Depth 1 with moves: the best leaf, or the first one worth `beta` or more."""
    patterns = load(context, PATTERNS)
    target = load(context, VECTORS)
    discs = popcount(own | opp) + 1
    best = -INFINITY
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        if not enter(context):
            return 0
        turned = flips_of(square, own, opp)
        follow_move(vector, target, square, turned, patterns)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        best = max(best, -_leaf(child_own, child_opp, target, discs, context))
        if best >= beta:
            break
    return best


@inlined
def _list_moves(
    own: np.uint64,
    opp: np.uint64,
    moves: np.uint64,
    vector: int,
    frame: int,
    context: int,
) -> int:
    """Put `moves` into a frame, the other side's value and replies as key; return their number."""
    patterns = load(context, PATTERNS)
    target = load(context, VECTORS)
    discs = popcount(own | opp) + 1
    count = 0
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned, replies, _ = play_of(square, own, opp)
        store_bits(context, frame + TURNED + square, turned)
        store_bits(context, frame + REPLIES + square, replies)
        follow_move(vector, target, square, turned, patterns)
        key = evaluate_vector(target, discs, patterns) + REPLY * popcount(replies)
        store(context, frame + count, pack(key, square))
        count += 1
    return count


@inlined
def _list_quickly(
    own: np.uint64, opp: np.uint64, moves: np.uint64, frame: int, context: int
) -> int:
    """Put `moves` into a frame by replies and corners alone, for depth 2.

    There the evaluation of every move took as long as all leaves, and saved 4 to 12 % of the nodes.
    """
    count = 0
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned, replies, answers = play_of(square, own, opp)
        store_bits(context, frame + TURNED + square, turned)
        store_bits(context, frame + REPLIES + square, replies)
        key = 2 * popcount(replies) + 3 * popcount(replies & CORNERS) - popcount(answers)
        if (ONE << U(square)) & CORNERS != ZERO:
            key -= 8
        store(context, frame + count, pack(key, square))
        count += 1
    return count


@inlined
def _list_by_depth(
    own: np.uint64,
    opp: np.uint64,
    moves: np.uint64,
    vector: int,
    depth: int,
    frame: int,
    context: int,
) -> int:
    """Put `moves` into a frame in the way that suits the depth."""
    if depth == 2:
        return _list_quickly(own, opp, moves, frame, context)
    return _list_moves(own, opp, moves, vector, frame, context)


@kernel
def pattern_search(
    own: np.uint64,
    opp: np.uint64,
    moves: np.uint64,
    vector: int,
    alpha: int,
    beta: int,
    depth: int,
    context: int,
) -> int:
    """Value of a position with legal moves `moves`, searched to `depth` ≥ 1 plies."""
    if not enter(context):
        return 0
    sign = 1
    # 1. A pass.
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves == ZERO:
            return final_score(own, opp, load(context, RULES)) * DISC
        if not enter(context):
            return 0
        passed = _vector_at(MAX_DEPTH + 1 + depth, context)
        follow_move(vector, passed, PASS, ZERO, load(context, PATTERNS))
        own, opp, vector = opp, own, passed
        alpha, beta, sign = -beta, -alpha, -1
    if depth == 1:
        return sign * pattern_search_1(own, opp, moves, vector, beta, context)
    # 2. The table: bounds of this depth and of deeper searches.
    known = int64(NO_SQUARE)
    bucket = bucket_of(own, opp, context)
    entry = probe(own, opp, bucket, context)
    if entry != NOTHING:
        known = move_of(entry, context)
        if draft_of(entry, context) >= depth:
            low, high = low_of(entry, context), high_of(entry, context)
            if low >= beta or low == high:
                return sign * low
            if high <= alpha:
                return sign * high
            alpha, beta = max(alpha, low), min(beta, high)
    # 3. Cuts by a shallow search.
    discs = popcount(own | opp)
    patterns = load(context, PATTERNS)
    cut = cut_of(depth, discs)
    if beta - alpha == 1 and depth <= MOST_CUT_DEPTH and load(patterns, cut + SHALLOW) != 0:
        shallow, margin = load(patterns, cut + SHALLOW), load(patterns, cut + MARGIN)
        static = evaluate_vector(vector, discs, patterns)
        if static >= beta - margin:
            bound = beta - load(patterns, cut + MEAN) + margin
            value = pattern_search(own, opp, moves, vector, bound - 1, bound, shallow, context)
            if load(context, STOPPED) != 0:
                return 0
            if value >= bound:
                return sign * beta
        if static <= alpha + margin:
            bound = alpha - load(patterns, cut + MEAN) - margin
            value = pattern_search(own, opp, moves, vector, bound, bound + 1, shallow, context)
            if load(context, STOPPED) != 0:
                return 0
            if value <= bound:
                return sign * alpha
    # 4. Search the table's move, then the others in order: the first with the whole window, the
    #    others with a null window, and again with an open one when they turn out better.
    frame = FRAMES + depth * FRAME_CELLS
    child = _vector_at(depth, context)
    count, rest = int64(0), moves
    if known != NO_SQUARE:
        rest ^= ONE << U(known)
        turned, replies, _ = play_of(known, own, opp)
        store_bits(context, frame + TURNED + known, turned)
        store_bits(context, frame + REPLIES + known, replies)
        store(context, frame, known)
        count = int64(1)
    else:
        count = _list_by_depth(own, opp, moves, vector, depth, frame, context)
        rest = ZERO
    best, best_square = int64(-INFINITY), int64(NO_SQUARE)
    index, low, high = 0, alpha, beta
    while True:
        if index == count:
            if rest == ZERO:
                break
            count = _list_by_depth(own, opp, rest, vector, depth, frame, context)
            rest, index = ZERO, 0
        square = pick(index, count, frame, context)
        turned = load_bits(context, frame + TURNED + square)
        follow_move(vector, child, square, turned, load(context, PATTERNS))
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        replies = load_bits(context, frame + REPLIES + square)
        value = -pattern_search(
            child_own, child_opp, replies, child, -high, -low, depth - 1, context
        )
        if load(context, STOPPED) != 0:
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
    remember(own, opp, bucket, low, high, depth, best_square, context)
    return sign * best


@kernel
def pattern_move(own: np.uint64, opp: np.uint64, depth: int, context: int) -> tuple[int, int]:
    """Square and value of the best move to `depth` ≥ 1 plies, with the help of the table.

    It is the lowest of the best squares. The side must have a move. The square is −1 when the
    search was stopped.
    """
    patterns = load(context, PATTERNS)
    vector = _vector_at(MOST_VECTORS - 1, context)
    read_vector(own, opp, vector, patterns)
    frame = int64(FRAMES)
    count = _list_moves(own, opp, moves_of(own, opp), vector, frame, context)
    bucket = bucket_of(own, opp, context)
    entry = probe(own, opp, bucket, context)
    if entry != NOTHING:
        known = move_of(entry, context)
        for index in range(count):
            if load(context, frame + index) & 63 == known:
                store(context, frame + index, pack(-INFINITY, known))
    child = _vector_at(depth, context)
    discs = popcount(own | opp) + 1
    limit = int64(INFINITY)
    best, best_square = -limit, int64(NO_SQUARE)
    index, low, high = 0, -limit, limit
    while index < count:
        square = pick(index, count, frame, context)
        if index > 0 and high != limit:
            # A lower square passes when it is as good.
            low = best - int64(square < best_square)
            high = low + 1
        turned = load_bits(context, frame + TURNED + square)
        follow_move(vector, child, square, turned, patterns)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        value = int64(0)
        if depth > 1:
            replies = load_bits(context, frame + REPLIES + square)
            value = -pattern_search(
                child_own, child_opp, replies, child, -high, -low, depth - 1, context
            )
        elif enter(context):
            value = -_leaf(child_own, child_opp, child, discs, context)
        if load(context, STOPPED) != 0:
            return int64(-1), int64(0)
        if depth > 1 and value >= high and high < limit:
            low, high = value - 1, limit
            continue
        if value > best or (value == best and square < best_square):
            best, best_square = value, square
        low, high = best, best + 1
        index += 1
    remember(own, opp, bucket, best, best, depth, best_square, context)
    return best_square, best


@kernel
def pattern_values(
    own: np.uint64,
    opp: np.uint64,
    depth: int,
    values: npt.NDArray[np.int64],
    context: int,
) -> None:
    """Fill values[square] for every legal move with its value to `depth` ≥ 1 plies.

    The context must not have a node budget: a search that stops early is not reported here.
    """
    patterns = load(context, PATTERNS)
    vector, child = _vector_at(MOST_VECTORS - 1, context), _vector_at(depth, context)
    read_vector(own, opp, vector, patterns)
    discs = popcount(own | opp) + 1
    limit = int64(INFINITY)
    moves = moves_of(own, opp)
    while moves != ZERO:
        square = lowest(moves)
        moves &= moves - ONE
        turned, replies, _ = play_of(square, own, opp)
        follow_move(vector, child, square, turned, patterns)
        child_own, child_opp = opp ^ turned, own ^ turned ^ (ONE << U(square))
        if depth == 1:
            values[square] = -_leaf(child_own, child_opp, child, discs, context)
        else:
            values[square] = -pattern_search(
                child_own, child_opp, replies, child, -limit, limit, depth - 1, context
            )
