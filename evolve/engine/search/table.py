"""The transposition table of a context: results of earlier nodes of the same search.

An entry is a position, bounds low ≤ value ≤ high, the draft they hold for (the depth of a
search, the empties of a solver) and the best move found. Entries of earlier moves, which may
have been searched with other weights, are recognised by their age and do not count.
"""

from __future__ import annotations

import numpy as np

from evolve.engine.board.bits import U
from evolve.engine.compiled.compile import inlined, wrapper
from evolve.engine.compiled.intrinsics import int64, load, load_bits, store, store_bits
from evolve.engine.search.context import AGE, BUCKET, ENTRY, TABLE, TABLE_BITS

NOTHING = -1
"""Returned instead of an entry: the position is not in the table."""


@wrapper
def forget(context: int) -> None:
    """Invalidate all entries of the table."""
    store(context, AGE, load(context, AGE) + 1)


@inlined
def bucket_of(own: np.uint64, opp: np.uint64, context: int) -> int:
    """The first cell of a position's bucket."""
    mixed = own * U(0x9E3779B97F4A7C15) ^ (opp * U(0xC2B2AE3D27D4EB4F) >> U(29))
    mixed = (mixed ^ opp) * U(0xD6E8FEB86659FD93)
    bits = U(load(context, TABLE_BITS))
    return TABLE + int64(mixed >> (U(64) - bits)) * (BUCKET * ENTRY)


@inlined
def probe(own: np.uint64, opp: np.uint64, bucket: int, context: int) -> int:
    """The first cell of a position's entry, or NOTHING."""
    age = load(context, AGE)
    for slot in range(BUCKET):
        entry = bucket + slot * ENTRY
        same = load_bits(context, entry) == own and load_bits(context, entry + 1) == opp
        if same and load(context, entry + 3) >> 16 == age:
            return entry
    return NOTHING


@wrapper
def low_of(entry: int, context: int) -> int:
    """Lower bound of the value."""
    return load(context, entry + 2) >> 32


@wrapper
def high_of(entry: int, context: int) -> int:
    """Upper bound of the value."""
    return load(context, entry + 2) << 32 >> 32


@wrapper
def draft_of(entry: int, context: int) -> int:
    """The draft that the bounds hold for."""
    return load(context, entry + 3) >> 8 & 0xFF


@wrapper
def move_of(entry: int, context: int) -> int:
    """The best move found, a square."""
    return load(context, entry + 3) & 0xFF


@inlined
def remember(
    own: np.uint64,
    opp: np.uint64,
    bucket: int,
    low: int,
    high: int,
    draft: int,
    move: int,
    context: int,
) -> None:
    """Store an entry; the first slot keeps the one with the larger draft."""
    age = load(context, AGE)
    entry = bucket
    if load(context, bucket + 3) >> 16 == age and draft_of(bucket, context) > draft:
        entry = bucket + ENTRY
    store_bits(context, entry, own)
    store_bits(context, entry + 1, opp)
    store(context, entry + 2, low << 32 | (high & 0xFFFFFFFF))
    store(context, entry + 3, age << 16 | draft << 8 | move)
