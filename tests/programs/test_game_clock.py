"""The clock of a program for a whole game: what it is told, and when it loses."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

import evolve
from evolve.arena.match import Match
from evolve.engine.board.board import Board
from evolve.errors import AgentError, EngineError
from evolve.fitness.openings import START_POSITION
from evolve.programs.children import LOG
from evolve.programs.sessions import GameClock
from tests.programs.test_external import agent, source


def positions(count: int) -> list[Board]:
    """Positions of a game, for the side whose turn it is not to be twice in a row."""
    boards = [Board.start()]
    while len(boards) < 2 * count:
        boards.append(boards[-1].play(boards[-1].legal_moves()[0]))
    return boards[::2]


def test_times_of_games() -> None:
    assert GameClock("60+0.6").seconds == 60
    assert GameClock("5").left == 5
    for wrong in ("", "0", "60+", "+1", "-5", "1e3", "90000", "60/5", "nan"):
        with pytest.raises(AgentError, match=r"60\+0.6"):
            GameClock(wrong)


def test_the_clock_runs_on_and_starts_again_with_the_next_game() -> None:
    clock = GameClock("10+5")
    boards = positions(3)
    lefts = []
    for board in boards:
        with clock.running(board) as left:
            lefts.append(left)
    assert lefts == pytest.approx([10, 15, 20], abs=0.5)
    with clock.running(boards[0]) as left:
        assert left == 10


def test_a_move_that_fails_costs_its_time_and_a_retry_gives_none_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [0.0]
    monkeypatch.setattr("evolve.programs.sessions.own_seconds", lambda: now[0])
    clock, boards = GameClock("10+5"), positions(3)

    def move(board: Board, seconds: float, fails: bool = False) -> float:
        with contextlib.suppress(EngineError), clock.running(board) as left:
            now[0] += seconds
            if fails:
                raise EngineError("it crashed")
        return left

    assert move(boards[1], 4) == 10
    assert move(boards[2], 3, fails=True) == 11
    assert move(boards[2], 14) == 8, "without the increment"
    assert move(boards[2].play(boards[2].legal_moves()[0]), 0) == -1, "the margin counts once"
    assert move(boards[1], 4) == 10, "another game"
    assert move(boards[1], 4) == 10, "and another one from the same first position"


@pytest.mark.slow
def test_a_program_is_told_what_is_left_and_loses_on_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LOG, str(tmp_path / "log"))
    boards = positions(8)
    slow = agent("gtp", "slow", "?clock=0.6+0&margin=0")
    with pytest.raises(EngineError, match="answer"):
        [slow.choose(board) for board in boards]
    log = (tmp_path / "log").read_text()
    assert 2 <= log.count("genmove black") <= 4, "0.15 s each of 0.6 s"
    assert "time_settings 1 0 0" in log
    assert "time_left black 0 0" in log
    (tmp_path / "log").unlink()
    slow = agent("gtp", "slow", "?clock=20+7")
    for board in boards[:3]:
        slow.choose(board)
    slow.close()
    told = re.findall(r"time_left black (\d+) 0", (tmp_path / "log").read_text())
    assert told[0] == "20"
    assert int(told[1]) in (26, 25)
    assert int(told[2]) in (33, 32, 31)


@pytest.mark.slow
def test_each_game_has_a_clock_of_its_own_and_a_lost_one_says_why() -> None:
    quick = evolve.load_agent(source("gtp", "good", "?clock=30+1"))
    assert quick.for_game(1) is not quick
    assert quick.for_game(1) == quick
    match = Match(
        evolve.load_agent(source("gtp", "slow", "?clock=0.4&margin=0.05")),
        evolve.load_agent("zero"),
        START_POSITION,
        "standard",
    )
    with pytest.raises(EngineError, match="answer"):
        match.play()
    for player in match.players:
        player.interrupt()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (source("gtp", "good", "?clock=60&time=5"), "give one of them"),
        (source("gtp", "good", "?clock=soon"), r"such as 60\+0.6"),
        (source("gtp", "good", "?margin=1000"), "must be 0 to 60 seconds"),
        ("swh?clock=60", "has no setting 'clock'"),
    ],
)
def test_clocks_that_cannot_be(name: str, said: str) -> None:
    with pytest.raises(AgentError, match=said):
        evolve.load_agent(name)
