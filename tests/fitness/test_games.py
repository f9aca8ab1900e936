"""Batches of games: the same for any number of threads, and who has lost them."""

from __future__ import annotations

import pickle
import time
from unittest.mock import Mock

import numpy as np
import pytest

import evolve
from evolve.agents.memory import OutOfTimeError
from evolve.engine.board import rules
from evolve.fitness.executor import Threads
from evolve.fitness.games import Games, GamesTask, agent_rows, in_batches, parts_of, play_task
from evolve.fitness.openings import START_POSITION, Openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import all_pairs, schedule, standings
from tests.fitness import AGENTS


def test_results_do_not_depend_on_jobs_or_batches() -> None:
    pairings = schedule(all_pairs(6), np.zeros((15, 1), np.int64))
    whole = play_games(AGENTS, pairings, START_POSITION, "reversed", executor=Threads(2))
    alone = [
        play_games(AGENTS, pairing[None], START_POSITION, "reversed", largest_endgame=4)
        for pairing in pairings
    ]
    assert np.array_equal([one.moves[0] for one in alone], whole.moves)
    assert np.array_equal([one.results[0] for one in alone], whole.results)


def test_who_exceeds_the_budget_loses() -> None:
    deep = AGENTS[0].at(depth=5, endgame=0)
    shallow = AGENTS[1].at(depth=1, endgame=0)
    pairings = np.array([(0, 1, 0), (1, 0, 0)], np.int32)
    games = play_games([deep, shallow], pairings, START_POSITION, "reversed", move_budget=300)
    assert games.winner.tolist() == [-1, 1]
    assert standings(games, 2).score.tolist() == [0.0, 1.0]


def test_a_task_holds_what_its_games_need_and_nothing_else() -> None:
    openings = Openings(np.arange(40, dtype=np.int8).reshape(20, 2))
    pairings = np.array([(0, 2, 5), (3, 1, 7), (1, 3, 7), (3, 1, 2)], np.int32)
    every = GamesTask(agent_rows(AGENTS), pairings, openings.moves, "reversed", 300, 1)
    task = every.part(np.array([1, 2, 3]))
    assert task.rows.tolist() == agent_rows(AGENTS)[[1, 3]].tolist()
    assert task.pairings.tolist() == [[1, 0, 1], [0, 1, 1], [1, 0, 0]]
    assert task.openings.tolist() == [[4, 5], [14, 15]]
    assert (task.rules, task.move_budget) == ("reversed", 300)
    assert len(pickle.dumps(task)) < 2000


def test_a_task_is_played_the_same_after_a_journey() -> None:
    pairings = schedule(all_pairs(len(AGENTS)), np.zeros((15, 1), np.int64))
    whole = play_games(AGENTS, pairings, START_POSITION, "reversed")
    rows, bits = agent_rows(AGENTS), max(agent.table_bits for agent in AGENTS)
    every = GamesTask(rows, pairings, START_POSITION.moves, "reversed", 0, bits)
    tasks = [every.part(np.arange(p.start, p.stop)) for p in parts_of(len(pairings), 5)]
    moves, results, seconds = zip(
        *(play_task(pickle.loads(pickle.dumps(task))) for task in tasks), strict=True
    )
    assert np.array_equal(np.concatenate(moves), whole.moves)
    assert np.array_equal(np.concatenate(results), whole.results)
    assert min(seconds) > 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_progress_raises_ends_the_games_that_have_not_begun(jobs: int) -> None:
    played: list[int] = []
    stop = Mock(side_effect=KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        in_batches(10_000, lambda part: played.append(part.start), jobs, stop, batch=1)
    assert 1 <= len(played) < 5_000, "threads are handed some ahead"


@pytest.mark.parametrize("raises", ["progress", "play"])
def test_an_error_waits_for_the_batches_that_run(raises: str) -> None:
    begun, ended = [], []

    def play(part: slice) -> None:
        begun.append(part.start)
        if raises == "play" and part.start == 0:
            time.sleep(0.02)
            raise OutOfTimeError
        time.sleep(0.1 if part.start else 0.02)
        ended.append(part.start)

    progress = Mock(side_effect=OutOfTimeError if raises == "progress" else None)
    with pytest.raises(OutOfTimeError):
        in_batches(1000, play, 2, progress, batch=1)
    still = len(ended)
    assert still == len(begun) - (raises == "play") < 10
    time.sleep(0.15)
    assert len(ended) == still


def test_the_winner_goes_by_who_ran_out_or_failed_and_else_by_the_rules() -> None:
    kinds = ("OVER_BUDGET", "FAILED", "RESIGNED")
    reasons = [getattr(rules, f"{kind}_{side}") for kind in kinds for side in ("BLACK", "WHITE")]
    results = np.zeros((9, rules.RESULT_COLUMNS), np.int64)
    results[3:, rules.REASON] = reasons
    results[:, rules.OUTCOME] = [1, 0, -1] + [1, -1] * 3
    games = Games(np.zeros((9, 3), np.int32), np.zeros((9, 0), np.int8), results)
    assert games.winner.tolist() == [1, 0, -1] + [-1, 1] * 3


def test_rows_of_agents_are_padded_to_the_longest() -> None:
    longer = evolve.AlphaBetaAgent([[1] * 10] * 3, [2] * 3, [2] * 3, [20, 40])
    short, long = (agent_rows([agent])[0].tolist() for agent in (AGENTS[0], longer))
    assert len(short) < len(long)
    padded = agent_rows([AGENTS[0], longer]).tolist()
    assert padded == [short + [0] * (len(long) - len(short)), long]
