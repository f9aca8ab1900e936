"""Whole games of networks that value moves, and what there is to learn from them."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from evolve.engine.bits import ONE, START_OPP, START_OWN, ZERO, U, flips_of, moves_of
from evolve.engine.compile import kernel
from evolve.engine.game import choose
from evolve.engine.greedy import best_action
from evolve.engine.memory import int64, popcount
from evolve.engine.parts import trained_moves
from evolve.engine.random import GOLDEN, RANDOM, mixed, random_square, uniform
from evolve.engine.rewards import DISC_SIGNS, discs_reward, end_reward, squares_reward
from evolve.engine.scoring import final_score

MOST_MOVES: Final = 60


@kernel
def play_episodes(
    players: npt.NDArray[np.int32],
    epsilons: npt.NDArray[np.float64],
    openings: npt.NDArray[np.int32],
    seeds: npt.NDArray[np.uint64],
    networks: npt.NDArray[np.int64],
    agents: npt.NDArray[np.int64],
    rules: int,
    memory: npt.NDArray[np.int64],
    scratch: npt.NDArray[np.float32],
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    moves: npt.NDArray[np.int8],
    counts: npt.NDArray[np.int64],
    scores: npt.NDArray[np.int8],
    discs: npt.NDArray[np.int8],
) -> None:
    """Play N games from the start position to their ends.

    Args:
        players: [N, 2] who is black and who white: RANDOM, one of the K `networks`, or K and
            more for a row of `agents`.
        epsilons: [N, 2] share of moves that black and white play at random.
        openings: [N] random moves before the first one that is chosen.
        seeds: [N] of each game's random draws.
        networks: [K] addresses.
        agents: [A, cells] rows of alpha-beta parameters.
        memory, scratch: context and scratch of this thread.
        positions: [N, MOST_MOVES, 2] filled with own and opp before every move.
        sides: [N, MOST_MOVES] filled with who moved, 1 black, −1 white.
        moves: [N, MOST_MOVES] filled with the squares.
        counts: [N] filled with the number of moves; 0 for a game that could only go on with an
            opening of a match (`engine.parts`): it is given up.
        scores: [N] filled with black's score by the rules.
        discs: [N, 2] filled with the discs of black and white at the end.
    """
    context = int64(memory.ctypes.data)
    agents_at = int64(agents.ctypes.data)
    scratch_at = int64(scratch.ctypes.data)
    for game in range(players.shape[0]):
        own, opp, side = START_OWN, START_OPP, int64(1)
        state = mixed(seeds[game])
        count = int64(0)
        while True:
            legal = moves_of(own, opp)
            if legal == ZERO:
                if moves_of(opp, own) == ZERO:
                    break
                own, opp, side = opp, own, -side
                continue
            legal = trained_moves(own, opp, legal)
            if legal == ZERO:
                count = int64(0)
                break
            state += GOLDEN
            column = 0 if side > 0 else 1
            player = int64(players[game, column])
            at_random = player == RANDOM or count < openings[game]
            if not at_random and epsilons[game, column] > 0.0:
                at_random = uniform(state ^ GOLDEN) < epsilons[game, column]
            if at_random:
                square = random_square(legal, state)
            elif player < networks.size:
                square, _ = best_action(own, opp, legal, side, networks[player], scratch_at)
            else:
                row = agents_at + (player - networks.size) * agents.shape[1] * 8
                square = choose(own, opp, row, context)
                if legal & (ONE << U(square)) == ZERO:
                    square = random_square(legal, state)
            positions[game, count, 0], positions[game, count, 1] = own, opp
            sides[game, count], moves[game, count] = side, square
            count += 1
            turned = flips_of(square, own, opp)
            own, opp, side = opp ^ turned, own ^ turned ^ (ONE << U(square)), -side
        counts[game] = count
        if side < 0:
            own, opp = opp, own
        scores[game] = final_score(own, opp, rules)
        discs[game, 0], discs[game, 1] = popcount(own), popcount(opp)


@kernel
def transitions_of(
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    moves: npt.NDArray[np.int8],
    counts: npt.NDArray[np.int64],
    scores: npt.NDArray[np.int8],
    discs: npt.NDArray[np.int8],
    learners: npt.NDArray[np.int8],
    kind: int,
    shaping: float,
    table: npt.NDArray[np.float32],
    positional: float,
    minimax: bool,
    negamax: bool,
    steps: int,
    gamma: float,
    rules: int,
    plies: npt.NDArray[np.int32],
    returns: npt.NDArray[np.float32],
    discounts: npt.NDArray[np.float32],
) -> int:
    """Turn games (as `play_episodes` fills them) into transitions; how many there are.

    The target of a move is returns + discounts × the best value of a move in the position that
    `plies` names; the discount is 0 where the game has ended by then.

    Args:
        learners: [N, 2] whether black's and white's moves are learned from.
        kind: of the reward at the end, for a side's last move.
        shaping: weight of the side's own discs / 64 after each of its moves.
        table: [64] values V of squares for the positional reward, V(p) + V(flips).
        positional: its weight; 0 for none.
        minimax: whether the reward of the reply is taken off it.
        negamax: whether steps are plies, those of the other side counting against this one, and
            not own moves.
        steps: steps of rewards before the bootstrap.
        gamma: discount of a step.
        rules: discs and squares count for whom they are good (`rules.RuleSet.discs`).
        plies: [N · MOST_MOVES, 3] filled with game, ply and the ply of the bootstrap.
        returns, discounts: [N · MOST_MOVES] filled.
    """
    filled = int64(0)
    positional *= DISC_SIGNS[rules]
    rewards = np.zeros(MOST_MOVES, np.float64)
    for game in range(positions.shape[0]):
        count = counts[game]
        seen_black, seen_white = False, False
        # 1. Each move's own reward; from the end, so that a side's last move is seen first.
        for ply in range(count - 1, -1, -1):
            side = int64(sides[game, ply])
            own, opp = positions[game, ply, 0], positions[game, ply, 1]
            square = int64(moves[game, ply])
            reward = 0.0
            last = ply == count - 1 if negamax else not (seen_black if side > 0 else seen_white)
            if last:
                reward += end_reward(
                    kind,
                    side,
                    int64(scores[game]),
                    int64(discs[game, 0]),
                    int64(discs[game, 1]),
                    rules,
                )
            seen_black, seen_white = seen_black or side > 0, seen_white or side < 0
            if shaping != 0.0:
                reward += shaping * discs_reward(own, opp, square, rules)
            if positional != 0.0:
                reward += positional * squares_reward(own, opp, square, table)
                if minimax and ply + 1 < count and sides[game, ply + 1] != side:
                    reward -= positional * squares_reward(
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
