"""Parts of the openings: nothing that is learned from comes to what matches are judged on."""

from __future__ import annotations

import random

import numpy as np

import evolve
from evolve.engine import dqn_play
from evolve.engine.mcts_games import RANDOM_OPPONENT, SELF_PLAY
from evolve.engine.opening_split import MATCH_SLOT, slots_of_all, trained_moves
from evolve.engine.symmetry import canonical, symmetries
from evolve.fitness.openings import Part, balanced_openings
from evolve.records.record import play_moves
from tests import networks, reference
from tests.engine.games import episodes_of, tree_games


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
    random_players = (dqn_play.RANDOM_PLAYER, dqn_play.RANDOM_PLAYER)
    played = episodes_of([random_players] * 6000 + [(0, 1), (2, 0), (2, 2)] * 200, 0.3)
    seen = of_twelve_discs(played["positions"])
    assert len(seen) > 1000
    assert not seen & openings
    for network in (networks.random_network(networks.VALUE), None):
        opponents = [SELF_PLAY, RANDOM_OPPONENT, 0] * 150
        searched = tree_games(network, opponents, 0, simulations=4)
        seen = of_twelve_discs(searched["positions"])
        assert len(seen) > 150
        assert not seen & openings
    # The kernel says of every image what the openings' own division says.
    images = np.array(sorted(openings), np.uint64)
    for turned in zip(*(symmetries(images[:, side]) for side in (0, 1)), strict=True):
        slots = np.zeros(len(images), np.int8)
        slots_of_all(np.stack(turned, axis=1), slots)
        assert set(slots.tolist()) == {MATCH_SLOT}


def test_moves_into_a_match_are_those_that_are_left_out() -> None:
    rng, left_out = random.Random(7), 0
    for own, opp in reference.random_boards(rng, 60, 53, 53):
        moves = reference.legal_moves(own, opp)
        kept = int(trained_moves(np.uint64(own), np.uint64(opp), np.uint64(reference.mask(moves))))
        after = np.array([reference.play(own, opp, move) for move in moves], np.uint64)
        slots = np.zeros(len(moves), np.int8)
        slots_of_all(after.reshape(-1, 2), slots)
        wanted = [m for m, slot in zip(moves, slots.tolist(), strict=True) if slot != MATCH_SLOT]
        assert list(reference.squares(kept)) == wanted
        left_out += len(moves) - len(wanted)
    assert left_out > 10
