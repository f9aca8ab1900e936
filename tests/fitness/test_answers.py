"""What workers of a cluster answer: all that cannot be is refused, in words."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.cluster.workers import _facts_in
from evolve.engine.board.rules import DISCS_BLACK, NODES_BLACK, OUTCOME, PLIES, REASON, Rules
from evolve.errors import RunError
from evolve.fitness.answers import (
    DONE,
    FAILED,
    RAISED,
    WrongAnswerError,
    raised,
    reply_of,
    unpacked,
)
from evolve.fitness.games import GamesTask, PlayedTask, TaskMaker, check_played, play_task
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.roundrobin import all_pairs, schedule

WORKER = "tcp://127.0.0.1:1"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (None, "answered None, which is not a reply"),
        (b"done", "answered a bytes, which is not a reply"),
        ([WORKER, DONE, b"", 0.0], "answered a list, which is not a reply"),
        ((WORKER, DONE, b""), "answered a tuple, which is not a reply"),
        ((WORKER, ["done"], b"", 0.0), "not a reply to a task"),
        ((WORKER, "finished", b"", 0.0), "not a reply to a task"),
        ((None, DONE, b"", 0.0), "not a reply to a task"),
        ((WORKER, DONE, None, 0.0), "its answer is None in place of bytes"),
        ((WORKER, FAILED, b"", 0.0), "its answer is a bytes in place of str"),
        ((WORKER, DONE, b"", None), "worked for None seconds"),
        ((WORKER, DONE, b"", True), "worked for True seconds"),
        ((WORKER, DONE, b"", -1.0), "worked for -1.0 seconds"),
        ((WORKER, DONE, b"", float("nan")), "worked for nan seconds"),
        ((WORKER, DONE, b"", 1e300), r"worked for 1e\+300 seconds on a task .* 5.0 seconds ago"),
    ],
)
def test_what_is_no_reply(found: Any, text: str) -> None:
    with pytest.raises(WrongAnswerError, match=text):
        reply_of(found, 5.0)


def test_what_a_reply_says_is_fit_to_be_shown() -> None:
    text = reply_of((WORKER, FAILED, "\x1b[31m" + "x" * 1000, 0.0), 5.0).answer
    assert text.startswith("\\x1b[31mxxx")
    assert len(text) < 310


class Bomb:
    """Its pickle raises what it names where it is unpacked."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return int, ("not\na number",)


@pytest.mark.parametrize("answer", [b"", b"garbage", pickle.dumps(Bomb()), b"cno.such\nthing\n."])
def test_what_cannot_be_unpacked(answer: bytes) -> None:
    with pytest.raises(WrongAnswerError, match="its answer cannot be unpacked: ") as caught:
        unpacked(answer)
    assert "\n" not in str(caught.value)


def test_only_errors_of_evolve_are_raised_here() -> None:
    assert isinstance(raised(pickle.dumps(RunError("no room"))), RunError)
    for other in (KeyboardInterrupt(), ValueError(), None):
        with pytest.raises(WrongAnswerError, match="it says that a task has raised"):
            raised(pickle.dumps(other))
    assert reply_of((WORKER, RAISED, b"x", 0.1), 5.0).kind == RAISED


def games(rules: Rules, move_budget: int = 0) -> GamesTask:
    """A task of games that end in all ways."""
    agents = [evolve.load_agent(name) for name in ("swh", "zero", "swh-mobility?depth=3")]
    openings = balanced_openings(4, Part.TRAINING, rules, np.random.default_rng(3))
    numbers = np.tile(np.arange(4, dtype=np.int64), (3, 1))
    maker = TaskMaker(
        [agent.with_rules(rules) for agent in agents], openings, rules, move_budget=move_budget
    )
    return maker.task(schedule(all_pairs(3), numbers))


@pytest.mark.parametrize(("rules", "budget"), [("standard", 0), ("reversed", 0), ("standard", 30)])
def test_games_that_were_played_are_taken(rules: Rules, budget: int) -> None:
    task = games(rules, budget)
    played = play_task(task)
    assert budget == 0 or played.results[:, REASON].any()
    check_played(task, pickle.loads(pickle.dumps(played)))


def changed(column: int, value: int) -> Callable[[PlayedTask], Any]:
    def change(played: PlayedTask) -> PlayedTask:
        results = played.results.copy()
        results[3, column] = value
        return played._replace(results=results)

    return change


def without_a_move(played: PlayedTask) -> PlayedTask:
    moves = played.moves.copy()
    moves[2, 5] = -1
    return played._replace(moves=moves)


@pytest.mark.parametrize(
    "change",
    [
        lambda played: None,
        lambda played: tuple(played),
        lambda played: played._replace(moves=None),
        lambda played: played._replace(moves=played.moves.tolist()),
        lambda played: played._replace(moves=played.moves[1:]),
        lambda played: played._replace(moves=played.moves.astype(np.int16)),
        lambda played: played._replace(results=played.results[:, :3]),
        lambda played: played._replace(results=played.results.astype(object)),
        lambda played: played._replace(seconds=float("nan")),
        lambda played: played._replace(seconds="1"),
        lambda played: played._replace(results=np.zeros_like(played.results)),
        changed(DISCS_BLACK, 65),
        changed(DISCS_BLACK, -1),
        changed(DISCS_BLACK, 0),
        changed(PLIES, 121),
        changed(PLIES, 3),
        changed(NODES_BLACK, -5),
        changed(REASON, 3),
        changed(REASON, 1),
        changed(OUTCOME, 7),
        without_a_move,
    ],
)
def test_games_that_cannot_be(change: Callable[[PlayedTask], Any]) -> None:
    task = games("standard")
    with pytest.raises(WrongAnswerError, match="its answer"):
        check_played(task, change(play_task(task)))


def test_another_winner_than_the_discs_say() -> None:
    task = games("standard")
    played = play_task(task)
    with pytest.raises(WrongAnswerError, match="games that cannot be"):
        check_played(replace(task, rules="reversed"), played)


@pytest.mark.parametrize(
    "found",
    [
        None,
        [],
        {},
        {"make": ("1", "2", "3"), "why": "x"},
        {"make": ("1", "2", 3)},
        {"make": ("1", "2")},
        {"make": "123"},
        {"why": None},
        {"why": "x", "host": 5},
        {"why": "x", "cores": "two"},
    ],
)
def test_facts_of_a_worker_that_are_none(found: Any) -> None:
    with pytest.raises(WrongAnswerError):
        _facts_in(found)


def test_facts_of_a_worker_that_are_taken() -> None:
    facts = {"host": "a", "cores": None, "make": ("1", "2", "3")}
    assert _facts_in({**facts, "left_out": "and whatever else it says"}) == facts
