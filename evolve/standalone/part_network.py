"""Last part of a stand-alone Python file of an agent with a network; it needs only numpy.

What follows the marker comes after `part_search.py` and uses its names: the board, the exact
search, the time and the contest's class. `render_network` of `evolve.standalone.render` writes the
agent's parameters in place of those between the markers.
"""

from time import perf_counter

import numpy as np

from evolve.standalone.part_search import *

# --- exported from here on ---
# --- The network, and a search that uses it ---
#
# The discs of the side to move are in the low half of a board.

from base64 import b64decode
from typing import Any, Dict, List, Optional, Tuple

# --- parameters ---
KIND = "mcts"  # tree search by a network of values, or "dqn": the best of its move values
INPUT = "canonical"
LAYERS = [("dense", 64, 1, "tanh")]  # kind, numbers in and out, activation
# A network for both colours, or black's and white's: for each layer with weights the weights, then
# the biases, as float32 in base64.
PACKED = [["A" * 348 + "="]]
SIMULATIONS = 100
C_PUCT = 1.1
LOOKAHEAD = 0
SQUARE_REWARDS = [0.0] * 64  # in lookahead: of a move, for its square and each disc that it turns
DISC_REWARD = 0.0  # in lookahead: of a move, times the own discs / 64 after it
# Discounts when the turn comes back to the player, by a move and by a pass, and when it goes to the
# other side, by a move and by a pass.
DISCOUNTS = (1.0, 1.0, 1.0, 1.0)
SOLVE_BY = "visits"  # how a tree search sorts moves for the exact search, or "value"
# --- end of parameters ---

BITS = np.arange(64, dtype=np.uint64)
DECIDED = 1e6  # in lookahead, a finished game counts this times its outcome


def swapped(board: int) -> int:
    """The board from the other side."""
    return (board & FULL) << 64 | board >> 64


def legal(board: int) -> int:
    """The moves of the side to move in the low half, those of the other in the high half."""
    return moves_of(board, WIDTHS[1])[0]


def after(board: int, square: int) -> int:
    """The board after a move, from the other side."""
    m0, t0, m1, t1, m2, t2, m3, t3, disc, _ = FLIPS[0][square]
    turned = t0[board & m0] | t1[board & m1] | t2[board & m2] | t3[board & m3]
    return swapped(board ^ turned ^ disc)


def outcome(board: int) -> int:
    """1, 0 or -1: the outcome of a finished game for the side in the low half."""
    score = score_of(board, 0)
    return (score > 0) - (score < 0)


def flags(bits: int) -> Any:
    """64 floats: 1 for each set bit."""
    return (np.uint64(bits) >> BITS & np.uint64(1)).astype(np.float32)


def seen(board: int, side: int, moves: int) -> Any:
    """The network's input for a board; `side` is to move: 1 black, -1 white."""
    own, opp = flags(board & FULL), flags(board >> 64)
    if INPUT == "canonical":
        return own - opp
    if INPUT == "planes":
        return np.stack([own, opp, own + opp], axis=1).ravel()
    if INPUT == "mobility":
        planes = [own, opp, flags(moves & FULL), flags(moves >> 64)]
        return np.stack(planes, axis=1).ravel()
    return np.append((own - opp) * side, np.float32(side)).astype(np.float32)


def _activated(values: Any, name: str) -> Any:
    """The values after an activation."""
    if name == "relu":
        return np.maximum(values, 0)
    if name == "tanh":
        return np.tanh(values)
    if name == "sigmoid":
        return 1 / (1 + np.exp(-values))
    return values


WEIGHTED = ("dense", "gate", "conv")  # layers that have weights
NEIGHBOURS = [(row, column) for row in range(3) for column in range(3)]


def around(values: Any) -> Any:
    """The 3x3 neighbourhood of each square, [..., 64, 9 channels]; zeros beyond the board."""
    rows = values.shape[:-1]
    channels = values.shape[-1] // 64
    wide = np.zeros((*rows, 10, 10, channels), np.float32)
    wide[..., 1:9, 1:9, :] = values.reshape((*rows, 8, 8, channels))
    parts = [wide[..., row : row + 8, column : column + 8, :] for row, column in NEIGHBOURS]
    return np.concatenate(parts, axis=-1).reshape((*rows, 64, 9 * channels))


def matrices(packed: List[str]) -> List[Tuple[Any, Any]]:
    """Weights [inputs, outputs] and biases of the layers of a network that have them."""
    found = []
    for text, layer in zip(packed, [layer for layer in LAYERS if layer[0] in WEIGHTED]):
        array, size = np.frombuffer(b64decode(text), np.dtype("<f4")), layer[1] * layer[2]
        found.append((array[:size].reshape(layer[1:3]), array[size:]))
    return found


def forward(values: Any, weights: List[Tuple[Any, Any]]) -> Any:
    """The network's outputs for rows of input."""
    kept, parts = values, iter(weights)
    for kind, _, size, activation in LAYERS:
        if kind == "conv":
            matrix, bias = next(parts)
            found = _activated(around(values) @ matrix + bias, activation)
            values = found.reshape((*values.shape[:-1], 64 * size))
        elif kind in WEIGHTED:
            matrix, bias = next(parts)
            found = _activated(values @ matrix + bias, activation)
            values = found * values if kind == "gate" else found
        elif kind == "save":
            kept = values
        elif kind == "add":
            values = _activated(values + kept, activation)
        elif kind == "duel":
            advantages = values[..., :size]
            values = values[..., size:] + advantages - advantages.mean(axis=-1, keepdims=True)
        else:
            values = np.append(values[..., :-1], np.tanh(values[..., -1:]), axis=-1)
    return values


COLOURS = [matrices(packed) for packed in PACKED]


class _Branch:
    """A position in the tree."""

    __slots__ = ("board", "bonus", "children", "mean", "move", "prior", "visits")

    def __init__(self, board: int, move: int, prior: float) -> None:
        self.board = board
        self.move = move
        self.children: Optional[List[_Branch]] = None
        self.mean = 0.0  # value for the side that moved here
        self.prior = self.bonus = prior
        self.visits = 0


def _expand(branch: _Branch) -> float:
    """Add a position's children; return its value for the side to move."""
    board = branch.board
    moves = legal(board)
    if not moves:
        branch.children = []
        return float(outcome(board))
    if not moves & FULL:
        branch.children = [_Branch(swapped(board), 64, 1.0)]
    else:
        squares = squares_of(moves & FULL)
        prior = 1.0 / len(squares)
        branch.children = [_Branch(after(board, square), square, prior) for square in squares]
    found = forward(seen(board, 1, moves), COLOURS[0])
    if len(found) > 1 and moves & FULL:
        logits = np.array([float(found[child.move]) for child in branch.children])
        shares = np.exp(logits - logits.max())
        for child, share in zip(branch.children, shares / shares.sum()):
            child.prior = child.bonus = float(share)
    return float(found[-1])


def _simulate(root: _Branch) -> None:
    """Select a leaf, expand it, evaluate it, and backpropagate the value."""
    path = [root]
    branch = root
    while branch.children:
        scale = C_PUCT * branch.visits**0.5
        best = -1e300
        for child in branch.children:
            score = child.mean + scale * child.bonus
            if score > best:
                best, branch = score, child
        path.append(branch)
    value = _expand(branch) if branch.children is None else float(outcome(branch.board))
    for branch in reversed(path):
        value = -value
        branch.visits += 1
        branch.mean += (value - branch.mean) / branch.visits
        branch.bonus = branch.prior / (1 + branch.visits)


def searched(board: int, deadline: float) -> Tuple[List[int], List[int]]:
    """The moves, the most visited first; and in the order of the exact search."""
    root = _Branch(board, 64, 1.0)
    for _ in range(SIMULATIONS):
        _simulate(root)
        if perf_counter() > deadline:
            break
    ranked = sorted(root.children or [], key=lambda child: (-child.visits, -child.mean))
    order = ranked
    if SOLVE_BY == "value":
        order = sorted(root.children or [], key=lambda child: (not child.visits, -child.mean))
    return [child.move for child in ranked], [child.move for child in order]


def action_values(board: int, side: int) -> Dict[int, float]:
    """The network's value of every legal move."""
    moves = legal(board)
    weights = COLOURS[0 if side > 0 else -1]
    squares = squares_of(moves & FULL)
    if INPUT == "coloured-move":
        base = seen(board, side, moves)
        pairs = [(square // 8 / 7, square % 8 / 7) for square in squares]
        rows = np.array([[*base, row, column] for row, column in pairs], np.float32)
        return dict(zip(squares, forward(rows, weights)[:, 0].tolist()))
    found = forward(seen(board, side, moves), weights)
    return {square: float(found[square]) for square in squares}


def earned(board: int, child: int) -> float:
    """The immediate reward of the move from a board to a child."""
    kept = abs(DISC_SIGN) * bit_count(child & FULL if DISC_SIGN < 0 else child >> 64)
    gained = sum(SQUARE_REWARDS[square] for square in squares_of(child >> 64 & ~board & FULL))
    return float(DISC_SIGN * gained + DISC_REWARD * kept / 64)


def _discounted(discount: float, value: float) -> float:
    """A value one step later; the value of a finished game is exact and stays the same."""
    return value if abs(value) > DECIDED / 2 else discount * value


def window(gain: float, discount: float, alpha: float, beta: float) -> Tuple[float, float]:
    """The bounds of a child's value v within which gain - discount * v is in (alpha, beta)."""
    if not discount:
        return -1e300, 1e300
    return (gain - beta) / discount, (gain - alpha) / discount


def _deep_value(
    board: int, side: int, root: int, plies: int, alpha: float, beta: float, deadline: float
) -> float:
    """The value for the side to move after `plies`, in a search of side `root`.

    A pass costs no ply.
    """
    if perf_counter() > deadline:
        raise OutOfTimeError
    moves = legal(board)
    if not moves:
        return DECIDED * outcome(board)
    if not moves & FULL:
        discount = DISCOUNTS[3] if side == root else DISCOUNTS[1]
        bounds = window(0.0, discount, alpha, beta)
        value = _deep_value(swapped(board), -side, root, plies, *bounds, deadline)
        return -_discounted(discount, value)
    if plies == 0:
        return max(action_values(board, side).values())
    best = -1e300
    discount = DISCOUNTS[2] if side == root else DISCOUNTS[0]
    for square in squares_of(moves & FULL):
        child = after(board, square)
        gain = earned(board, child)
        bounds = window(gain, discount, max(alpha, best), beta)
        value = _deep_value(child, -side, root, plies - 1, *bounds, deadline)
        best = max(best, gain - _discounted(discount, value))
        if best >= beta:
            break
    return best


def valued(board: int, side: int, deadline: float) -> List[int]:
    """The moves, the highest value first; with fewer plies if time is short."""
    values = action_values(board, side)
    for plies in range(LOOKAHEAD):
        try:
            found = {}
            for square in values:
                child = after(board, square)
                value = _deep_value(child, -side, side, plies, -1e300, 1e300, deadline)
                found[square] = earned(board, child) - _discounted(DISCOUNTS[2], value)
            values = found
        except OutOfTimeError:
            break
    return sorted(values, key=lambda square: -values[square])


def _choose_by_network(player: AI, board: int, moves: List[int], seconds: float) -> int:
    """The best of two or more moves of the player."""
    start = perf_counter()
    forget_flips()
    exact = 64 - bit_count(board) <= ENDGAME
    deadline = start + (0.4 if exact else 1.0) * seconds
    if KIND == "mcts":
        ranked, order = searched(board, deadline)
    else:
        ranked = order = valued(board, -player.color, deadline)
    if exact:
        search = Search(board, 0, start + seconds)
        children = search.deepen(start + seconds, 1)
        children.sort(key=lambda child: order.index(child.square))
        square = search.solve_root(children, start + seconds)
        # In a lost position the network's move is harder to refute.
        if search.score >= 0:
            return square
    return ranked[0]


AI.chooser = _choose_by_network  # type: ignore[assignment]
