"""Games of networks that value moves, and their targets as a slow reader has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from evolve.engine.games import dqn_play
from evolve.engine.games.training_games import RANDOM_PLAYER, GameRecords
from evolve.engine.networks import action_search
from tests import networks, reference
from tests.engine.game_records import network_games, sign


@pytest.mark.parametrize("rules", [0, 1])
def test_games_are_of_those_who_play(rules: int) -> None:
    players = [(0, 1), (1, 0), (0, RANDOM_PLAYER), (2, 1)] * 3
    games = network_games(players, 0.0, rules)
    nets = [networks.random_network(networks.DUELING, seed) for seed in (1, 2)]
    for game, pair in enumerate(players):
        board, side = reference.START, 1
        for ply in range(games["counts"][game]):
            if not reference.legal_moves(*board):
                board, side = (board[1], board[0]), -side
            assert tuple(games["positions"][game, ply].tolist()) == board
            assert games["sides"][game, ply] == side
            move = int(games["moves"][game, ply])
            legal = reference.legal_moves(*board)
            assert move in legal
            player = pair[0 if side == 1 else 1]
            if ply >= game % 5 and player in (0, 1):
                values = networks.outputs(nets[player], np.array([board], np.uint64))[0]
                assert move == max(legal, key=lambda square, v=values: v[square])
            board, side = reference.play(*board, move), -side
        assert reference.is_over(*board)
        own, opp = board if side == 1 else (board[1], board[0])
        assert games["results"][game] == reference.final_score(own, opp, rules)


def slow_targets(games: dict[str, np.ndarray], game: int, how: dict[str, Any]) -> Iterator[tuple]:
    """(ply, return, discount, ply of the bootstrap or None) of every move of one game."""
    count = int(games["counts"][game])
    sides = games["sides"][game, :count].tolist()
    boards = [tuple(map(int, games["positions"][game, ply])) for ply in range(count)]
    moves = games["moves"][game, :count].tolist()
    end = reference.play(*boards[-1], moves[-1])
    black, white = (bits.bit_count() for bits in (end if sides[-1] == -1 else end[::-1]))
    score = int(games["results"][game])
    reverse = how["rules"] == 1

    def final(side: int) -> float:
        own, opp = (black, white) if (side == 1) != reverse else (white, black)
        won = sign(score * side)
        return {
            action_search.NO_REWARD: 0.0,
            action_search.OUTCOME: won,
            action_search.HALVES: (won + 1) / 2,
            action_search.SHARE: own / 64,
            action_search.DIFFERENCE: (own - opp) / 64,
        }[how["kind"]]

    def worth(ply: int) -> float:
        flips = reference.flips(*boards[ply], moves[ply])
        worth_of = [how["table"][s] for s in [moves[ply], *reference.squares(flips)]]
        return -sum(worth_of) if reverse else sum(worth_of)

    def reward(ply: int) -> float:
        side, total = sides[ply], 0.0
        later = range(ply + 1, count)
        if not (later if how["negamax"] else [p for p in later if sides[p] == side]):
            total += final(side)
        own, opp = boards[ply]
        after = reference.play(own, opp, moves[ply])
        total += how["shaping"] * after[0 if reverse else 1].bit_count() / 64
        total += how["positional"] * worth(ply)
        if how["minimax"] and ply + 1 < count and sides[ply + 1] != side:
            total -= how["positional"] * worth(ply + 1)
        return total

    for ply in range(count):
        mine = [p for p in range(ply, count) if how["negamax"] or sides[p] == sides[ply]]
        total = 0.0
        for k, p in enumerate(mine[: how["steps"]]):
            total += how["gamma"] ** k * reward(p) * (1 if sides[p] == sides[ply] else -1)
        if len(mine) > how["steps"]:
            then = mine[how["steps"]]
            weight = how["gamma"] ** how["steps"] * (1 if sides[then] == sides[ply] else -1)
            yield ply, total, weight, then
        else:
            yield ply, total, 0.0, None


@pytest.mark.slow
@pytest.mark.parametrize("rules", [0, 1])
@pytest.mark.parametrize("negamax", [False, True])
@pytest.mark.parametrize("steps", [1, 3, 60])
@pytest.mark.parametrize(
    "reward",  # kind, shaping, positional, minimax
    [
        (action_search.OUTCOME, 0.0, 0.0, False),
        (action_search.HALVES, 0.5, 0.0, False),
        (action_search.SHARE, 0.0, 0.2, False),
        (action_search.DIFFERENCE, 0.0, 0.1, True),
        (action_search.NO_REWARD, 0.0, 1.0, True),
    ],
)
def test_targets_are_those_of_the_definitions(
    rules: int, negamax: bool, steps: int, reward: tuple[int, float, float, bool]
) -> None:
    games = network_games([(0, 1), (RANDOM_PLAYER, 1), (2, 2)] * 3, 0.4, rules)
    count = len(games["counts"])
    learners = np.ones((count, 2), np.int8)
    learners[1] = 0, 1
    table = np.linspace(-1, 1, 64).astype(np.float32)
    how: dict[str, Any] = {
        **dict(zip(("kind", "shaping", "positional", "minimax"), reward, strict=True)),
        "table": table, "negamax": negamax, "steps": steps, "gamma": 0.9, "rules": rules,
    }  # fmt: skip
    plies, returns, discounts = transitions = dqn_play.empty_transitions(count)
    filled = dqn_play.transitions_of(
        GameRecords(**games), learners, dqn_play.TargetOptions(**how), transitions
    )
    expected = []
    for game in range(count):
        for ply, *rest in slow_targets(games, game, how):
            if learners[game, 0 if games["sides"][game, ply] == 1 else 1]:
                expected.append((game, ply, *rest))
    assert filled == len(expected)
    assert plies[:filled, :2].tolist() == [[game, ply] for game, ply, *_ in expected]
    assert returns[:filled] == pytest.approx([row[2] for row in expected], abs=1e-4)
    assert discounts[:filled] == pytest.approx([row[3] for row in expected], abs=1e-6)
    then = [(int(found), row[4]) for found, row in zip(plies[:, 2], expected, strict=False)]
    assert not [pair for pair in then if pair[1] not in (None, pair[0])]
