"""Openings: distinct, of parts that share none, and the same for the same seed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import evolve
from evolve.agents.reference import SWH
from evolve.engine.board.bits import canonical
from evolve.engine.board.board import Board
from evolve.engine.games.opening import slot_of
from evolve.errors import SettingsError
from evolve.fitness.openings import (
    LISTS,
    Openings,
    Part,
    _opening_list,
    balanced_openings,
    listed_openings,
)


def positions(openings: Openings) -> set[tuple[int, int]]:
    found = []
    for row in openings.moves:
        board = Board.start()
        for square in row[row >= 0]:
            board = board.play(int(square))
        found.append((board.own, board.opp))
    return {tuple(map(int, row)) for row in canonical(np.array(found, np.uint64))}


LISTED = (Part.PANEL, Part.PLAYOFF, Part.MATCH)


def shortest(openings: Openings) -> int:
    """How many have the fewest moves."""
    plies = (openings.moves >= 0).sum(axis=1)
    return int((plies == plies.min()).sum())


@pytest.mark.parametrize("part", LISTED)
@pytest.mark.slow
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_listed_openings_are_distinct_and_of_their_part(rules: str, part: Part) -> None:
    with np.load(LISTS / f"{rules}.npz") as arrays:
        assert (np.abs(arrays["values"]) <= 2).all()
        assert len(arrays["values"]) == len(arrays["moves"])
    found = _opening_list(rules, part)
    assert found is not None
    assert len(found) >= 1000
    count = shortest(found)
    first = found.first(count)
    assert (first.moves[:, 8:] == -1).all()
    boards = positions(first)
    assert len(boards) == count >= 1000
    assert {slot_of(*map(np.uint64, board)) for board in boards} == set(part.value)
    if part is Part.MATCH:
        rest = found.select(np.arange(count, len(found)))
        assert (rest.moves >= 0).all()
        assert len(positions(rest)) == len(rest) >= 1000


def test_listed_openings_repeat_only_where_all_are_used_up() -> None:
    found = _opening_list("standard", Part.MATCH)
    assert found is not None
    every, short = len(found), shortest(found)
    drawn = listed_openings(every + 5, Part.MATCH, "standard", np.random.default_rng(0)).texts()
    assert len(set(drawn)) == every
    assert {len(text.split()) for text in drawn[:short]} == {8}
    assert {len(text.split()) for text in drawn[short:every]} == {10}
    again = listed_openings(7, Part.MATCH, "standard", np.random.default_rng(0)).texts()
    other = listed_openings(7, Part.MATCH, "standard", np.random.default_rng(1)).texts()
    assert again == drawn[:7] != other


def test_rules_without_a_list_have_random_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.fitness.openings._opening_list", lambda rules, part: None)
    drawn = [
        draw(9, Part.MATCH, "standard", np.random.default_rng(5)).texts()
        for draw in (listed_openings, balanced_openings)
    ]
    assert drawn[0] == drawn[1]


def test_openings_are_distinct_and_parts_disjoint_for_any_seed() -> None:
    seen: dict[Part, set[tuple[int, int]]] = {part: set() for part in Part}
    sizes = set()
    for part, seed in product(Part, (0, 1)):
        found = positions(balanced_openings(60, part, "standard", np.random.default_rng(seed)))
        seen[part] |= found
        sizes.add(len(found))
    assert sizes == {60}, "no twins under symmetry"
    assert len(set().union(*seen.values())) == sum(map(len, seen.values()))


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
