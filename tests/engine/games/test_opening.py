"""Random openings as a slow reader draws them, and whether they are balanced by minimax.

And their parts: nothing that is learned from comes to what matches are judged on.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import evolve
from evolve.engine.board.bits import canonical, symmetries
from evolve.engine.games.game import new_context
from evolve.engine.games.opening import (
    MATCH_SLOT,
    draw_openings,
    mark_balanced,
    slot_of,
    trained_moves,
)
from evolve.engine.games.training_games import RANDOM_PLAYER
from evolve.fitness.openings import Part, balanced_openings
from evolve.records.record import play_moves
from tests import networks, reference
from tests.engine import FULL_WEIGHTS, RULES, agent_row, phases_at
from tests.engine.game_records import network_games, tree_games
from tests.reference import Agent


def test_openings_are_those_of_the_draws() -> None:
    """The move of a ply is the one at the draw's share of the legal ones, from the lowest on."""
    draws = np.random.default_rng(0).random((120, 30))
    moves, positions = np.zeros((120, 30), np.int8), np.ones((120, 2), np.uint64)
    slots = np.zeros(len(draws), np.int8)
    draw_openings(draws, moves, positions, slots)
    assert slots.tolist() == [slot_of(*position) for position in positions]
    expected = []
    for row, played in zip(draws, moves.tolist(), strict=True):
        board = reference.START
        for draw, move in zip(row, played, strict=True):
            legal = reference.legal_moves(*board)
            if not legal:
                break
            assert move == legal[int(draw * len(legal))]
            board = reference.play(*board, move)
        expected.append(board if reference.legal_moves(*board) else (0, 0))
    assert [*map(tuple, positions.tolist())] == expected
    assert 0 < expected.count((0, 0)) < 60


@pytest.mark.parametrize("rules", RULES)
def test_balanced_is_what_minimax_in_its_phase_says(rules: int) -> None:
    boards = reference.random_boards(random.Random(1), 10, 8, 54)
    weights = (FULL_WEIGHTS, tuple(-weight for weight in FULL_WEIGHTS))
    agent = Agent(weights, (1, 1), phases_at(35))
    values = [reference.minimax(*one, 2, weights[agent.phase(*one)], rules) for one in boards]
    # At each margin that some value is on, and one short of it, on either side.
    margins = sorted({abs(value) - short for value in values for short in (0, 1)} - {-1})
    balanced = np.zeros((len(margins), len(boards)), np.bool_)
    for margin, marks in zip(margins, balanced, strict=True):
        rows = np.array(boards, np.uint64)
        mark_balanced(rows, agent_row(agent), 2, margin, new_context(rules), marks)
    assert balanced.tolist() == [[abs(value) <= margin for value in values] for margin in margins]
    assert min(values) < 0 < max(values)


def match_positions(count: int) -> set[tuple[int, ...]]:
    """Positions of openings as matches have them, in one of their images."""
    rng = np.random.default_rng(5)
    openings = balanced_openings(count, Part.MATCH, "standard", rng)
    boards = [play_moves(evolve.Board.start(), row.tolist()) for row in openings.moves]
    found = canonical(np.array([(board.own, board.opp) for board in boards], np.uint64))
    return set(map(tuple, found.tolist()))


def of_twelve_discs(positions: np.ndarray) -> set[tuple[int, ...]]:
    rows = positions.reshape(-1, 2)
    rows = rows[np.bitwise_count(rows[:, 0] | rows[:, 1]) == 12]
    return set(map(tuple, canonical(rows).tolist()))


def test_no_game_to_learn_from_comes_to_an_opening_of_a_match() -> None:
    """Of 500 openings 260 occurred in 60 000 games when nothing kept them away."""
    openings = match_positions(500)
    assert len(openings) == 500
    random_players = (RANDOM_PLAYER, RANDOM_PLAYER)
    played = network_games([random_players] * 6000 + [(0, 1), (2, 0), (2, 2)] * 200, 0.3)
    seen = of_twelve_discs(played["positions"])
    assert len(seen) > 1000
    assert not seen & openings
    for network in (networks.random_network(networks.VALUE), None):
        opponents = [0, RANDOM_PLAYER, 1] * 150
        searched = tree_games(network, opponents, 0, simulations=4)
        seen = of_twelve_discs(searched["positions"])
        assert len(seen) > 150
        assert not seen & openings
    # The kernel says of every image what the openings' own division says.
    images = np.array(sorted(openings), np.uint64)
    places = np.stack([np.concatenate(symmetries(images[:, side])) for side in (0, 1)], axis=1)
    assert {slot_of(own, opp) for own, opp in places} == {MATCH_SLOT}


def test_moves_into_a_match_are_those_that_are_left_out() -> None:
    found, wanted, left_out = [], [], 0
    for own, opp in reference.random_boards(random.Random(7), 60, 53, 53):
        moves = reference.legal_moves(own, opp)
        kept = int(trained_moves(np.uint64(own), np.uint64(opp), np.uint64(reference.mask(moves))))
        after = (map(np.uint64, reference.play(own, opp, move)) for move in moves)
        slots = [slot_of(*board) for board in after]
        found.append([*reference.squares(kept)])
        wanted.append([m for m, slot in zip(moves, slots, strict=True) if slot != MATCH_SLOT])
        left_out += slots.count(MATCH_SLOT)
    assert found == wanted
    assert left_out > 10
