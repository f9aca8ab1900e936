"""Last part of a stand-alone Python file that uses numba (`evolve export --to python --numba`).

It is the search of the other parts, compiled while those play. What follows the marker comes after
the evaluation for numba of `part_values.py` or `part_patterns.py`, which have the same names.
It needs numba 0.53 and Python 3.7 or later.
"""

from typing import Any

import numpy as np

from evolve.standalone.part_search import *

# --- exported from here on ---
# --- With numba: the same search, compiled ---
#
# The first move starts a thread that compiles. That takes some seconds and, with numba itself, 150
# to 250 MB of memory. Until it is done, and if numba is not installed, the search above plays.
#
# In the compiled functions, own and opp are the discs of the side to move and of the other side, as
# unsigned ints of 64 bits. `cells` holds the stop flag and the rules, `weights` the evaluation's
# parameters.

from threading import Thread

STOP, RULE_CELL = range(2)
DEPTH, ALPHA, BETA, BEST, INDEX, SIZE, PASS = range(7)
LOWEST = -(1 << 60)
MOST_PLIES = 130
ORDER = 8  # plies of the search that sorts the moves before an exact search by the clock
LAST_SORTED = 5  # empties up to which the exact search does not sort moves


def compiled(numba: Any) -> Any:
    """Compile the function that finds the best of the root's moves."""
    u8 = np.uint64
    kernel = numba.njit(nogil=True)
    unit, none = u8(1), u8(0)
    not_a, not_h = u8(0xFEFEFEFEFEFEFEFE), u8(0x7F7F7F7F7F7F7F7F)
    corners = u8(CORNERS)
    steps = np.array([1, 7, 8, 9], np.uint64)
    up_masks = np.array([not_a, not_h, u8(FULL), not_a], np.uint64)
    down_masks = np.array([not_h, not_a, u8(FULL), not_h], np.uint64)

    @kernel
    def count(bits):
        bits = bits - ((bits >> u8(1)) & u8(0x5555555555555555))
        bits = (bits & u8(0x3333333333333333)) + ((bits >> u8(2)) & u8(0x3333333333333333))
        bits = (bits + (bits >> u8(4))) & u8(0x0F0F0F0F0F0F0F0F)
        return np.int64((bits * u8(0x0101010101010101)) >> u8(56))

    @kernel
    def moves(own, opp):
        reach = none
        for line in range(4):
            step, up_mask, down_mask = steps[line], up_masks[line], down_masks[line]
            up, down = (own << step) & up_mask & opp, (own >> step) & down_mask & opp
            for _ in range(5):
                up |= (up << step) & up_mask & opp
                down |= (down >> step) & down_mask & opp
            reach |= ((up << step) & up_mask) | ((down >> step) & down_mask)
        return reach & ~(own | opp)

    @kernel
    def flips(bit, own, opp):
        turned = none
        for line in range(4):
            step, up_mask, down_mask = steps[line], up_masks[line], down_masks[line]
            run, at = none, (bit << step) & up_mask
            while at & opp:
                run |= at
                at = (at << step) & up_mask
            if at & own:
                turned |= run
            run, at = none, (bit >> step) & down_mask
            while at & opp:
                run |= at
                at = (at >> step) & down_mask
            if at & own:
                turned |= run
        return turned

    @kernel
    def beside(bits):
        row = bits | ((bits << unit) & not_a) | ((bits >> unit) & not_h)
        return row | (row << u8(8)) | (row >> u8(8))

    @kernel
    def full_lines(occupied, step, up_mask, down_mask):
        """Squares with a full line in one direction, up to the border."""
        up = down = occupied
        for _ in range(7):
            up &= ~up_mask | (up << step) | ((unit << step) - unit)
            down &= ~down_mask | (down >> step) | ~(u8(FULL) >> step)
        return up & down

    @kernel
    def stable(own, safe0, safe1, safe2, safe3):
        known = own & safe0 & safe1 & safe2 & safe3
        while known:
            grown = (
                own
                & (safe0 | (known << unit) | (known >> unit))
                & (safe1 | (known << u8(7)) | (known >> u8(7)))
                & (safe2 | (known << u8(8)) | (known >> u8(8)))
                & (safe3 | (known << u8(9)) | (known >> u8(9)))
            )
            if grown == known:
                break
            known = grown
        return known

    score = kernel(final_score)

    @kernel
    def final(own, opp, cells):
        return score(own, opp, cells[RULE_CELL], count)

    @kernel
    def stable_lead(own, opp):
        empty = ~(own | opp)
        rim = u8(0xFF818181818181FF)
        sides, ends = u8(0x8181818181818181), u8(0xFF000000000000FF)
        safe0 = sides | full_lines(~empty, unit, not_a, not_h)
        safe1 = rim | full_lines(~empty, u8(7), not_h, not_a)
        safe2 = ends | full_lines(~empty, u8(8), u8(FULL), u8(FULL))
        safe3 = rim | full_lines(~empty, u8(9), not_a, not_h)
        own_stable = count(stable(own, safe0, safe1, safe2, safe3))
        return own_stable - count(stable(opp, safe0, safe1, safe2, safe3))

    evaluate = compiled_evaluation(kernel, count, beside, stable_lead)

    @kernel
    def leaf(own, opp, cells, weights):
        mine, theirs = moves(own, opp), moves(opp, own)
        if mine == none and theirs == none:
            return final(own, opp, cells) * WIN
        return evaluate(own, opp, mine, theirs, weights)

    @kernel
    def ordered(own, opp, mine, exact, cells, weights, row):
        """Fill `row` with the moves, the most promising first; return their number."""
        size = 0
        while mine:
            bit = mine & (~mine + unit)
            mine ^= bit
            turned = flips(bit, own, opp)
            if exact:
                replies = moves(opp ^ turned, own ^ turned ^ bit)
                key = count(replies) + count(replies & corners)
            else:
                key = leaf(opp ^ turned, own ^ turned ^ bit, cells, weights)
            key = key * 64 + count(bit - unit)
            at = size
            while at > 0 and row[at - 1] > key:
                row[at] = row[at - 1]
                at -= 1
            row[at] = key
            size += 1
        return size

    @kernel
    def search(own, opp, depth, alpha, beta, exact, cells, weights, room):
        """The value for the side to move at `depth`, or the exact score with so many empties.

        A loop with its own stack: in a file that is not imported as usual, numba cannot compile
        recursion.
        """
        stack, frames, boards = room
        ply = 0
        boards[0, 0], boards[0, 1] = own, opp
        frames[0, DEPTH], frames[0, ALPHA], frames[0, BETA] = depth, alpha, beta
        while True:
            # 1. Enter the position on top of the stack.
            own, opp, depth = boards[ply, 0], boards[ply, 1], frames[ply, DEPTH]
            known, value = False, 0
            if depth == 0 and not exact:
                known, value = True, leaf(own, opp, cells, weights)
            elif cells[STOP] != 0:
                return 0
            else:
                mine = moves(own, opp)
                frames[ply, BEST], frames[ply, INDEX], frames[ply, PASS] = LOWEST, 0, 0
                if mine == none:
                    frames[ply, SIZE], frames[ply, PASS] = 1, 1
                    if moves(opp, own) == none:
                        value = final(own, opp, cells)
                        known, value = True, value if exact else value * WIN
                elif depth > (LAST_SORTED if exact else 1):
                    frames[ply, SIZE] = ordered(own, opp, mine, exact, cells, weights, stack[ply])
                else:
                    size = 0
                    while mine:
                        bit = mine & (~mine + unit)
                        mine ^= bit
                        stack[ply, size] = count(bit - unit)
                        size += 1
                    frames[ply, SIZE] = size
            # 2. Return values to positions above, while these have no more moves to try.
            while known:
                if ply == 0:
                    return value
                ply -= 1
                value = max(-value, frames[ply, BEST])
                frames[ply, BEST] = value
                frames[ply, INDEX] += 1
                known = value >= frames[ply, BETA] or frames[ply, INDEX] == frames[ply, SIZE]
            # 3. Play the next move of the position on top.
            own, opp = boards[ply, 0], boards[ply, 1]
            turned, bit, depth = none, none, frames[ply, DEPTH]
            if frames[ply, PASS] == 0:
                bit = unit << u8(stack[ply, frames[ply, INDEX]] & 63)
                turned = flips(bit, own, opp)
                depth -= 1
            low, high = max(frames[ply, ALPHA], frames[ply, BEST]), frames[ply, BETA]
            ply += 1
            boards[ply, 0], boards[ply, 1] = opp ^ turned, own ^ turned ^ bit
            frames[ply, DEPTH], frames[ply, ALPHA], frames[ply, BETA] = depth, -high, -low

    i8, bits, yes, numbers = numba.int64, numba.uint64, numba.boolean, numba.int64[::1]

    @numba.njit(i8(bits, bits, i8, yes, numbers, numbers, numba.typeof(weights_of(0))), nogil=True)
    def best_of(own, opp, depth, exact, order, cells, weights):
        """The best move of `order`; among equals the lowest square. -1 if stopped."""
        room = (
            np.zeros((MOST_PLIES, 64), np.int64),
            np.zeros((MOST_PLIES, 7), np.int64),
            np.zeros((MOST_PLIES, 2), np.uint64),
        )
        best, best_square = LOWEST, order[0]
        for index in range(len(order)):
            square = order[index]
            bit = unit << u8(square)
            turned = flips(bit, own, opp)
            child_own, child_opp = opp ^ turned, own ^ turned ^ bit
            low = best - 1 if square < best_square else best
            value = -search(
                child_own, child_opp, depth - 1, LOWEST, -low, exact, cells, weights, room
            )
            if cells[STOP] != 0:
                return -1
            if value > low:
                best, best_square = value, square
        return best_square

    return best_of


class _Compiler:
    """A thread that compiles, and its result: None before that is ready."""

    def __init__(self) -> None:
        self.thread = Thread(target=self.work, daemon=True)
        self.best_of: Any = None

    def work(self) -> None:
        """Compile, if numba is installed."""
        try:
            import numba
        except ImportError:
            return
        self.best_of = compiled(numba)


COMPILER = _Compiler()


def _choose_compiled(board: int, moves: list[int], seconds: float) -> int:
    """The same as `choose`, with the compiled search as soon as it is ready."""
    if COMPILER.best_of is None:
        if COMPILER.thread.ident is None:
            COMPILER.thread.start()
        return choose(board, moves, seconds)
    empties, phase = 64 - bit_count(board), phase_of(board, BOUNDARIES)
    own, opp = np.uint64(board & FULL), np.uint64(board >> 64)
    cells, weights = np.array([0, RULE], np.int64), weights_of(phase)
    order = list(moves)

    def think() -> None:
        exact = empties <= EXACT
        deepest = DEPTHS[phase]
        if SECONDS:
            deepest = min(ORDER if exact else empties, DEEPEST)
        # The best move of each search comes first in the next, and is played if that is too slow.
        plies = [(depth, False) for depth in range(1, deepest + 1)]
        for depth, to_the_end in plies + [(empties, True)] * exact:
            tried = np.array(order, np.int64)
            square = COMPILER.best_of(own, opp, depth, to_the_end, tried, cells, weights)
            if square < 0:
                return
            order.remove(square)
            order.insert(0, square)

    thread = Thread(target=think, daemon=True)
    thread.start()
    thread.join(seconds)
    cells[STOP] = 1
    thread.join()
    return int(order[0])


AI.chooser = staticmethod(_choose_compiled)
