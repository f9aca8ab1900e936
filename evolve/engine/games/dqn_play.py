"""Whole games of networks that value moves, and the transitions to learn from them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evolve.engine.board import bits
from evolve.engine.compiled.compile import kernel
from evolve.engine.compiled.intrinsics import int64, popcount
from evolve.engine.games import training_games as training
from evolve.engine.games.opening import trained_moves
from evolve.engine.networks import action_search


class TargetOptions(NamedTuple):
    """How the target of a move is computed.

    kind: of the reward at the end, for a side's last move; see `networks.action_search`.
    shaping: weight of the side's own discs / 64 after each of its moves.
    table: [64] float32, values V of squares for the positional reward, V(p) + V(flips).
    positional: its weight; 0 for none.
    minimax: whether the positional reward of the reply is subtracted.
    negamax: whether steps are plies, and the other side's plies count against this side; otherwise
        steps are own moves.
    steps: steps of rewards before the bootstrap: n of n-step returns; Sutton and Barto 2018,
        "Reinforcement learning", chapter 7.
    gamma: discount of a step.
    rules: under reversed rules discs and squares count for the other side.
    """

    kind: int
    shaping: float
    table: npt.NDArray[np.float32]
    positional: float
    minimax: bool
    negamax: bool
    steps: int
    gamma: float
    rules: int


class Transitions(NamedTuple):
    """The data to learn from T moves.

    The target of a move is returns + discounts × the highest value of a move in the position of
    the bootstrap; the discount is 0 where the game has ended before that.

    plies: [T, 3] int32, game, ply and the ply of the bootstrap.
    returns: [T] float32.
    discounts: [T] float32.
    """

    plies: npt.NDArray[np.int32]
    returns: npt.NDArray[np.float32]
    discounts: npt.NDArray[np.float32]


def empty_transitions(count: int) -> Transitions:
    """Memory for the transitions of `count` games."""
    most = count * training.MOST_POSITIONS
    return Transitions(
        np.empty((most, 3), np.int32), np.empty(most, np.float32), np.empty(most, np.float32)
    )


@kernel
def play_network_games(
    lineup: training.Lineup,
    epsilons: npt.NDArray[np.float64],
    networks: npt.NDArray[np.int64],
    agents: npt.NDArray[np.int64],
    rules: int,
    memory: npt.NDArray[np.int64],
    scratch: npt.NDArray[np.float32],
    records: training.GameRecords,
) -> None:
    """Play the games of `lineup` from the start position to their ends, and fill `records`.

    epsilons [N, 2]: the share of moves that black and white play at random; networks [K]:
    addresses; agents [A, cells]: rows of alpha-beta parameters; memory, scratch: a context, and a
    network's scratch memory, both used by this thread only.
    """
    players, openings, seeds = lineup
    context = int64(memory.ctypes.data)
    scratch_at = int64(scratch.ctypes.data)
    for game in range(players.shape[0]):
        own, opp, side = bits.START_OWN, bits.START_OPP, int64(1)
        state = bits.mixed(seeds[game])
        count = int64(0)
        while True:
            own, opp, side, legal = training.to_move(own, opp, side)
            if legal == bits.ZERO:
                break
            legal = trained_moves(own, opp, legal)
            if legal == bits.ZERO:
                count = int64(0)
                break
            state += bits.GOLDEN
            column = 0 if side > 0 else 1
            player = int64(players[game, column])
            at_random = player == training.RANDOM_PLAYER or count < openings[game]
            if not at_random and epsilons[game, column] > 0.0:
                at_random = bits.uniform(state ^ bits.GOLDEN) < epsilons[game, column]
            if at_random:
                square = bits.random_square(legal, state)
            elif player < networks.size:
                square, _ = action_search.best_action(
                    own, opp, legal, side, networks[player], scratch_at
                )
            else:
                row = player - networks.size
                square = training.agent_move(row, agents, own, opp, legal, state, context)
            training.record(game, count, own, opp, side, records)
            records.moves[game, count] = square
            count += 1
            own, opp = bits.after_move(square, own, opp)
            side = -side
        records.results[game] = side * bits.final_score(own, opp, rules)
        records.counts[game] = count


@kernel
def transitions_of(
    records: training.GameRecords,
    learners: npt.NDArray[np.int8],
    options: TargetOptions,
    transitions: Transitions,
) -> int:
    """Turn games into transitions; return their number.

    learners [N, 2]: whether black's and white's moves are learned from. `transitions` must have
    room for all of them.
    """
    positions, sides, moves = records.positions, records.sides, records.moves
    kind, shaping, table, positional, minimax, negamax, steps, gamma, rules = options
    plies, returns, discounts = transitions
    filled = int64(0)
    positional *= action_search.DISC_SIGNS[rules]
    rewards = np.zeros(training.MOST_POSITIONS, np.float64)
    for game in range(positions.shape[0]):
        count = records.counts[game]
        last = max(count - 1, 0)
        own, opp = bits.after_move(
            int64(moves[game, last]), positions[game, last, 0], positions[game, last, 1]
        )
        black, white = popcount(own), popcount(opp)
        if sides[game, last] > 0:
            black, white = white, black
        score = int64(records.results[game])
        seen_black, seen_white = False, False
        # 1. Each move's own reward; from the end, so that a side's last move is seen first.
        for ply in range(count - 1, -1, -1):
            side = int64(sides[game, ply])
            own, opp = positions[game, ply, 0], positions[game, ply, 1]
            square = int64(moves[game, ply])
            reward = 0.0
            ends = ply == count - 1 if negamax else not (seen_black if side > 0 else seen_white)
            if ends:
                reward += action_search.end_reward(kind, side, score, black, white, rules)
            seen_black, seen_white = seen_black or side > 0, seen_white or side < 0
            if shaping != 0.0:
                reward += shaping * action_search.discs_reward(own, opp, square, rules)
            if positional != 0.0:
                reward += positional * action_search.squares_reward(own, opp, square, table)
                if minimax and ply + 1 < count and sides[game, ply + 1] != side:
                    reward -= positional * action_search.squares_reward(
                        positions[game, ply + 1, 0],
                        positions[game, ply + 1, 1],
                        int64(moves[game, ply + 1]),
                        table,
                    )
            rewards[ply] = reward
        # 2. Sums of them up to the bootstrap.
        for ply in range(count):
            side = sides[game, ply]
            if learners[game, 0 if side > 0 else 1] == 0:
                continue
            total, factor, taken = 0.0, 1.0, int64(0)
            at = ply
            while at < count and taken < steps:
                mine = sides[game, at] == side
                if mine or negamax:
                    total += factor * (rewards[at] if mine else -rewards[at])
                    factor *= gamma
                    taken += 1
                at += 1
            while at < count and not negamax and sides[game, at] != side:
                at += 1
            plies[filled, 0], plies[filled, 1], plies[filled, 2] = game, ply, min(at, count - 1)
            returns[filled] = total
            if at >= count:
                discounts[filled] = 0.0
            else:
                discounts[filled] = factor if sides[game, at] == side else -factor
            filled += 1
    return filled
