"""Openings: distinct, of parts that share none, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
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
from evolve.records.record import play_moves


def boards(openings: Openings) -> list[Board]:
    return [
        play_moves(Board.start(), [square for square in row if square >= 0])
        for row in openings.moves.tolist()
    ]


def positions(openings: Openings) -> set[tuple[int, int]]:
    found = np.array([(board.own, board.opp) for board in boards(openings)], np.uint64)
    return {tuple(map(int, row)) for row in canonical(found)}


def shortest(openings: Openings) -> int:
    """How many have the fewest moves."""
    plies = (openings.moves >= 0).sum(axis=1)
    return int((plies == plies.min()).sum())


@pytest.mark.parametrize("part", [Part.PANEL, Part.PLAYOFF, Part.MATCH])
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
    different = positions(first)
    assert len(different) == count >= 1000
    assert {slot_of(*map(np.uint64, board)) for board in different} == set(part.value)
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
    one, other = (
        draw(9, Part.MATCH, "standard", np.random.default_rng(5)).texts()
        for draw in (listed_openings, balanced_openings)
    )
    assert one == other


def test_openings_are_distinct_and_parts_disjoint_for_any_seed() -> None:
    drawn = {
        (part, seed): positions(
            balanced_openings(60, part, "standard", np.random.default_rng(seed))
        )
        for part, seed in product(Part, (0, 1))
    }
    assert {len(found) for found in drawn.values()} == {60}, "no twins under symmetry"
    parts = [drawn[part, 0] | drawn[part, 1] for part in Part]
    assert len(set().union(*parts)) == sum(map(len, parts))


def test_short_openings_repeat_but_every_one_is_used() -> None:
    openings = balanced_openings(100, Part.TRAINING, "standard", np.random.default_rng(0), plies=3)
    texts = openings.texts()
    assert openings.moves.shape == (100, 3)
    assert 1 < len(set(texts)) < 50
    counts = Counter(texts).values()
    assert max(counts) - min(counts) <= 1
    rounds = [texts[start : start + len(counts)] for start in (0, len(counts))]
    assert rounds[0] != rounds[1], "shuffled each time"


def test_where_there_is_no_opening_it_is_said() -> None:
    # After one move all positions are one by symmetry, and it belongs to one part only.
    found = 0
    for part in Part:
        with suppress(SettingsError):
            found += len(balanced_openings(4, part, "standard", np.random.default_rng(0), plies=1))
    assert found in (0, 4)


def test_held_out_openings_are_even_for_a_deeper_search() -> None:
    openings = balanced_openings(40, Part.MATCH, "standard", np.random.default_rng(0))
    judge = evolve.AlphaBetaAgent([SWH], [3], [6])
    values = [max(judge.analyse(board).values.values()) for board in boards(openings)]
    assert np.median(np.abs(values)) <= 25
