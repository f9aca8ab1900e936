"""Openings: distinct, of parts that share none, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

import evolve
from evolve.agents.reference import SWH
from evolve.engine.board.board import Board
from evolve.engine.board.symmetry import canonical
from evolve.errors import SettingsError
from evolve.fitness.openings import START_POSITION, Openings, Part, balanced_openings


def positions(openings: Openings) -> set[tuple[int, int]]:
    found = []
    for row in openings.moves:
        board = Board.start()
        for square in row:
            board = board.play(int(square))
        found.append((board.own, board.opp))
    return {tuple(map(int, row)) for row in canonical(np.array(found, np.uint64))}


def test_openings_are_distinct_and_parts_disjoint_for_any_seed() -> None:
    seen: dict[Part, set[tuple[int, int]]] = {part: set() for part in Part}
    for part in Part:
        for seed in (0, 1):
            openings = balanced_openings(60, part, "standard", np.random.default_rng(seed))
            found = positions(openings)
            assert len(found) == 60, "no twins under symmetry"
            seen[part] |= found
    parts = list(seen.values())
    for index, one in enumerate(parts):
        for other in parts[index + 1 :]:
            assert not one & other


def test_the_same_seed_draws_the_same_openings() -> None:
    drawn = [
        balanced_openings(20, Part.MATCH, "reversed", np.random.default_rng(3)).texts()
        for _ in range(2)
    ]
    assert drawn[0] == drawn[1]


def test_short_openings_repeat_but_every_one_is_used() -> None:
    openings = balanced_openings(100, Part.TRAINING, "standard", np.random.default_rng(0), plies=3)
    texts = openings.texts()
    assert len(texts) == 100
    assert 1 < len(set(texts)) < 60
    counts = [texts.count(text) for text in set(texts)]
    assert max(counts) - min(counts) <= 1


def test_where_there_is_no_opening_it_is_said() -> None:
    # After one move all positions are one by symmetry, and it belongs to one part only.
    failures = 0
    for part in Part:
        try:
            balanced_openings(4, part, "standard", np.random.default_rng(0), plies=1)
        except SettingsError:
            failures += 1
    assert failures >= 3


def test_start_position_is_an_opening_without_moves() -> None:
    assert START_POSITION.texts() == [""]


@pytest.mark.parametrize("plies", [8, 12, 20])
def test_openings_have_the_asked_length(plies: int) -> None:
    openings = balanced_openings(5, Part.MATCH, "reversed", np.random.default_rng(1), plies)
    assert openings.moves.shape == (5, plies)


def test_held_out_openings_are_even_for_a_deeper_search() -> None:
    openings = balanced_openings(40, Part.MATCH, "standard", np.random.default_rng(0))
    judge = evolve.AlphaBetaAgent([SWH], [3], [6])
    values = []
    for row in openings.moves:
        board = evolve.Board.start()
        for square in row:
            board = board.play(int(square))
        values.append(max(judge.analyse(board).values.values()))
    assert np.median(np.abs(values)) <= 25
