"""The common part of all games to learn from: who plays, what is recorded, and the moves."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.board.bits import ONE, ZERO, U, moves_of, random_square
from evolve.engine.compiled.compile import inlined
from evolve.engine.compiled.intrinsics import int64, store
from evolve.engine.games.game import choose
from evolve.engine.search import context as layout
from evolve.engine.search.solver import solve_outcome

RANDOM_PLAYER: Final = -1
MOST_POSITIONS: Final = 60
"""Positions of a game in which a side has a move."""


class Lineup(NamedTuple):
    """The players of N games, and how the games start.

    players: [N, 2] int32, black and white: RANDOM_PLAYER, one of the K players of the learner (its
        networks, or a tree search: 0), or K and more for a row of alpha-beta parameters.
    openings: [N] int32, random moves before the first one that is chosen.
    seeds: [N] uint64, of each game's random draws.
    """

    players: npt.NDArray[np.int32]
    openings: npt.NDArray[np.int32]
    seeds: npt.NDArray[np.uint64]

    @classmethod
    def drawn(cls, players: npt.NDArray[np.int32], most: int, rng: np.random.Generator) -> Lineup:
        """Draw openings of at most `most` moves, and the seeds."""
        count = len(players)
        openings = rng.integers(0, most + 1, count).astype(np.int32)
        return cls(players, openings, rng.integers(0, 2**64, count, dtype=np.uint64))

    def part(self, some: slice) -> Lineup:
        """The line-up of some of the games."""
        return Lineup._make(array[some] for array in self)


class GameRecords(NamedTuple):
    """N games, position by position, from the first recorded one to the last.

    positions: [N, MOST_POSITIONS, 2] uint64, own and opp.
    sides: [N, MOST_POSITIONS] int8, the side to move, 1 black, −1 white.
    moves: [N, MOST_POSITIONS] int8, the square played there; none where the game was solved.
    values: [N, MOST_POSITIONS] float32, what that side's search found, −1 to 1.
    explored: [N, MOST_POSITIONS] bool, whether the move was not the best one found.
    visits: [N, MOST_POSITIONS, 64] float32, each square's share of the simulations; [0, …] when
        not recorded.
    counts: [N] int64, positions; 0 for a game that was given up, because it could only go on with
        an opening of a match (see `opening.trained_moves`).
    results: [N] int8, black's score by the rules, exact where the game was solved; of a tree search
        1, 0 or −1.
    scores: [N, MOST_POSITIONS] int8, the exact score for the side to move, from `solved` on.
    solved: [N] int64, positions before the first exact score; all of them where there is none.

    Networks of move values record no values; only patterns record explored moves and exact scores.
    """

    positions: npt.NDArray[np.uint64]
    sides: npt.NDArray[np.int8]
    moves: npt.NDArray[np.int8]
    values: npt.NDArray[np.float32]
    explored: npt.NDArray[np.bool_]
    visits: npt.NDArray[np.float32]
    counts: npt.NDArray[np.int64]
    results: npt.NDArray[np.int8]
    scores: npt.NDArray[np.int8]
    solved: npt.NDArray[np.int64]

    @classmethod
    def blank(cls, count: int, with_visits: bool = False) -> GameRecords:
        """Records of `count` games, all zero, to be filled."""
        shape = count, MOST_POSITIONS
        return cls(
            np.zeros((*shape, 2), np.uint64),
            np.zeros(shape, np.int8),
            np.zeros(shape, np.int8),
            np.zeros(shape, np.float32),
            np.zeros(shape, np.bool_),
            np.zeros((count if with_visits else 0, MOST_POSITIONS, 64), np.float32),
            np.zeros(count, np.int64),
            np.zeros(count, np.int8),
            np.zeros(shape, np.int8),
            np.zeros(count, np.int64),
        )

    def part(self, some: slice | npt.NDArray[np.bool_]) -> GameRecords:
        """Some of the games; the arrays are views where `some` is a slice."""
        return GameRecords._make(array[some] if len(array) else array for array in self)


@inlined
def record(number: int, count: int, own: U, opp: U, side: int, records: GameRecords) -> None:
    """Record a position of game `number`."""
    records.positions[number, count, 0], records.positions[number, count, 1] = own, opp
    records.sides[number, count] = side


@inlined
def to_move(own: U, opp: U, side: int) -> tuple[U, U, int, U]:
    """The position of the side that can move, after a pass if need be, and its moves.

    At the end of the game the position stays, and there are no moves.
    """
    moves = moves_of(own, opp)
    if moves == ZERO:
        moves = moves_of(opp, own)
        if moves != ZERO:
            return opp, own, -side, moves
    return own, opp, side, moves


@inlined
def among(moves: U, square: int) -> bool:
    """Whether the square is one of `moves`."""
    return bool((moves >> U(square)) & ONE != ZERO)


@inlined
def agent_move(
    row: int, agents: npt.NDArray[np.int64], own: U, opp: U, moves: U, state: U, context: int
) -> int:
    """The move of an alpha-beta agent; a random one of `moves` where that is not among them."""
    square = choose(own, opp, int64(agents.ctypes.data) + row * agents.shape[1] * 8, context)
    return square if among(moves, square) else random_square(moves, state)


@inlined
def solved_outcome(own: U, opp: U, context: int) -> int:
    """1, 0 or −1 for the side to move, by the solver."""
    store(context, layout.NODES, 0)
    store(context, layout.STOPPED, 0)
    bound = solve_outcome(own, opp, context)
    return int64(bound > 0) - int64(bound < 0)
