"""Round robins: everyone meets everyone, and known games are remembered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from evolve.errors import SettingsError
from evolve.fitness.openings import START_POSITION, Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import (
    FITNESS_FUNCTIONS,
    Round,
    RoundRobin,
    _random_pairs,
    all_pairs,
    finite_numbers,
    schedule,
    standings,
)
from evolve.tables.games import cross_table_of
from tests.fitness import AGENTS

NAMES = [agent.name for agent in AGENTS]


def pool() -> object:
    return balanced_openings(40, Part.TRAINING, "standard", np.random.default_rng(2))


def test_schedule_gives_each_pair_both_colours_on_each_opening() -> None:
    openings_of_pair = np.arange(12).reshape(6, 2)
    pairings = schedule(all_pairs(4), openings_of_pair)
    games = {tuple(row) for row in pairings.tolist()}
    assert len(pairings) == len(games) == 24
    assert not [black for black, white, opening in games if (white, black, opening) not in games]
    # The first pair's openings are its own.
    assert {opening for black, white, opening in games if {black, white} == {0, 1}} == {0, 1}


@pytest.mark.parametrize("mode", ["pair", "shared", "start"])
def test_everyone_plays_everyone(mode: str) -> None:
    openings = START_POSITION if mode == "start" else pool()
    league = RoundRobin("standard", mode, openings, openings_per_pair=2)  # type: ignore[arg-type]
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
    fitness = games.table(0, "fitness", names, "reversed", league.openings)
    found = cross_table_of(fitness, names)
    assert np.array_equal(found.scores, table.against)
    assert np.array_equal(found.totals, table.score)
    assert np.unique(table.score).size > 1


def test_known_games_are_remembered_and_are_the_same() -> None:
    league = RoundRobin("standard", "start", START_POSITION)
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
    alone = RoundRobin("standard", "start", START_POSITION)
    expected, _ = alone.play(NAMES, changed, np.random.default_rng(1))
    assert np.array_equal(third.score, expected.score)
    assert len(fresh) == 30


@pytest.mark.parametrize(
    ("players", "opponents"),
    [(4, 1), (4, 2), (4, 3), (5, 2), (5, 4), (9, 6), (16, 5), (64, 20), (65, 64), (512, 63)],
)
def test_by_lot_each_meets_so_many_others_and_nobody_twice(players: int, opponents: int) -> None:
    pairs = _random_pairs(players, opponents, np.random.default_rng(players))
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert len({tuple(pair) for pair in pairs.tolist()}) == len(pairs) == players * opponents // 2
    assert np.bincount(pairs.ravel(), minlength=players).tolist() == [opponents] * players
    assert pairs.tolist() == sorted(pairs.tolist())


@pytest.mark.parametrize("players", [8, 9])
def test_every_pair_is_as_likely_as_every_other(players: int) -> None:
    rng = np.random.default_rng(0)
    draws, opponents = 4000, 2
    met = np.zeros((players, players))
    for _ in range(draws):
        pairs = _random_pairs(players, opponents, rng)
        met[pairs[:, 0], pairs[:, 1]] += 1
    share = opponents / (players - 1)
    found = met[np.triu_indices(players, 1)] / draws
    assert np.abs(found - share).max() < 5 * np.sqrt(share * (1 - share) / draws)


def test_fitness_is_the_score_or_what_a_function_makes_of_the_games() -> None:
    pairings = schedule(all_pairs(6), np.zeros((15, 1), np.int64))
    games = play_games(AGENTS, pairings, START_POSITION, "standard")
    table = standings(games, 6)
    scores = FITNESS_FUNCTIONS["score"](Round(AGENTS, table, games, np.random.default_rng(0)))
    assert finite_numbers("fitness", scores, 6).tolist() == table.score.tolist()
    black, white = games.pairings[:, 0], games.pairings[:, 1]
    more = games.disc_difference
    discs = finite_numbers("fitness", np.bincount(black, more) - np.bincount(white, more), 6)
    assert sum(discs) == 0.0
    assert (discs / 10).tolist() == pytest.approx(table.disc_difference.tolist())


@pytest.mark.parametrize(
    "given",
    [1.0, None, ["x"] * 6, [1.0] * 5, [[1.0]] * 6, [1.0] * 5 + [float("nan")], [float("inf")] * 6],
)
def test_what_is_no_finite_number_for_each_is_refused(given: Any) -> None:
    with pytest.raises(SettingsError, match="fitness"):
        finite_numbers("fitness", given, 6)


WINNERS = ["black", "draw", "white", "white"]
GAMES = pa.table({"black": [*"abac"], "white": [*"bacc"], "winner": WINNERS})


def test_points_games_and_scores_of_each_against_each() -> None:
    table = cross_table_of(GAMES, ["a", "b", "c", "d"])
    assert table.points.tolist() == [[0, 1.5, 0, 0], [0.5, 0, 0, 0], [1, 0, 1, 0], [0] * 4]
    assert table.games.tolist() == [[0, 2, 1, 0], [2, 0, 0, 0], [1, 0, 2, 0], [0] * 4]
    assert table.scores[0].tolist() == [0.5, 0.75, 0.0, 0.5]
    assert table.scores[2, 2] == 0.5, "against itself with both colours"
    assert table.totals.tolist() == [0.5, 0.25, 2 / 3, 0.0]


def test_no_games_and_games_of_others() -> None:
    empty = cross_table_of(GAMES.slice(0, 0), ["a", "b"])
    assert (empty.scores == 0.5).all()
    assert not empty.games.any()
    with pytest.raises(KeyError):
        cross_table_of(GAMES, ["a", "b"])
