"""Round robins: everyone meets everyone, and known games are remembered."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.fitness.crosstable import cross_table_of
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.roundrobin import RoundRobin, all_pairs, schedule
from tests.fitness import AGENTS

NAMES = [agent.name for agent in AGENTS]


def pool() -> object:
    return balanced_openings(40, Part.TRAINING, "standard", np.random.default_rng(2))


def test_schedule_gives_each_pair_both_colours_on_each_opening() -> None:
    openings_of_pair = np.arange(12).reshape(6, 2)
    pairings = schedule(all_pairs(4), openings_of_pair)
    assert len(pairings) == 24
    games = {tuple(row) for row in pairings.tolist()}
    assert len(games) == 24
    for black, white, opening in games:
        assert (white, black, opening) in games
    # The first pair's openings are its own.
    assert {opening for black, white, opening in games if {black, white} == {0, 1}} == {0, 1}


@pytest.mark.parametrize("mode", ["pair", "shared", "start"])
def test_everyone_plays_everyone(mode: str) -> None:
    league = RoundRobin("standard", mode, pool(), openings_per_pair=2)  # type: ignore[arg-type]
    table, games = league.play(NAMES, AGENTS, np.random.default_rng(1))
    openings = games.table(0, "fitness", NAMES, "standard", league.openings)["opening"].to_pylist()
    each = 1 if mode == "start" else 2
    assert len(games) == len(openings) == 15 * 2 * each
    assert table.games.tolist() == [10 * each] * 6
    assert table.score.mean() == pytest.approx(0.5)
    distinct = {"pair": 25, "shared": 2, "start": 1}[mode]
    assert (len(set(openings)) >= distinct) if mode == "pair" else len(set(openings)) == distinct


def test_scores_against_each_are_in_the_standings_and_in_the_table() -> None:
    league = RoundRobin("reversed", "pair", pool(), openings_per_pair=3)  # type: ignore[arg-type]
    names = [f"0-{name}" for name in NAMES]
    table, games = league.play(names, AGENTS, np.random.default_rng(1))
    for a in range(6):
        for b in range(6):
            points = [
                (1 + sign) / 2 if black == a else (1 - sign) / 2
                for (black, white, _), sign in zip(
                    games.pairings.tolist(), games.winner.tolist(), strict=True
                )
                if {black, white} == {a, b}
            ]
            assert table.against[a, b] == (np.mean(points) if points else 0.5)
    others = ~np.eye(6, dtype=bool)
    means = [row[mask].mean() for row, mask in zip(table.against, others, strict=True)]
    assert means == pytest.approx(table.score.tolist())
    fitness = games.table(0, "fitness", names, "reversed", league.openings)
    found = cross_table_of(fitness, names)
    assert np.array_equal(found.scores, table.against)
    assert np.array_equal(found.totals, table.score)


def test_known_games_are_remembered_and_are_the_same() -> None:
    league = RoundRobin("standard", "start", pool())  # type: ignore[arg-type]
    first, games = league.play(NAMES, AGENTS, np.random.default_rng(1))
    told: list[int] = []
    second, again = league.play(NAMES, AGENTS, np.random.default_rng(1), told.append)
    assert told == [30], "all in one step: nothing was played"
    assert np.array_equal(games.moves, again.moves)
    assert np.array_equal(first.score, second.score)
    # A changed agent comes under a new name and plays its ten games; the others are remembered.
    changed = [AGENTS[0].at(depth=1), *AGENTS[1:]]
    told.clear()
    third, fresh = league.play(["new", *NAMES[1:]], changed, np.random.default_rng(1), told.append)
    assert told[0] == 20
    alone = RoundRobin("standard", "start", pool())  # type: ignore[arg-type]
    expected, _ = alone.play(NAMES, changed, np.random.default_rng(1))
    assert np.array_equal(third.score, expected.score)
    assert len(fresh) == 30
