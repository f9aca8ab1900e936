"""A game against an agent: passes that are left out, moves taken back, and whose turn it is."""

from __future__ import annotations

import math

import numpy as np
import pytest

import evolve
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS
from evolve.errors import IllegalMoveError
from evolve.protocols.session import Clock, Session


def whole_game() -> Session:
    """A game with passes, played by the agent against itself."""
    session = Session(evolve.load_agent("random?seed=26"))
    while not session.board.is_over():
        session.play(session.choose())
    assert session.moves.count(PASS) > 1
    return session


def test_moves_and_positions_are_those_of_the_game() -> None:
    session = whole_game()
    again = Session(session.agent, moves=session.moves)
    assert (again.boards, again.moves) == (session.boards, session.moves)
    without = Session(session.agent, moves=[move for move in session.moves if move != PASS])
    assert without.boards == session.boards, "passes that are left out are made"
    record = session.record("a", "b")
    assert (record.moves, record.final) == (session.moves, session.board)


def test_each_step_is_taken_back() -> None:
    game = whole_game()
    session = Session(game.agent)
    for move in game.moves:
        if move != PASS:
            session.play(move)
    session.play(PASS)
    assert session.boards == game.boards, "a pass after the end changes nothing"
    for _ in range(1 + sum(move != PASS for move in game.moves)):
        session.undo()
    assert session.boards == [Board.start()]
    with pytest.raises(IllegalMoveError, match="undo"):
        session.undo()


def test_the_moves_of_one_side_are_taken_back() -> None:
    session = whole_game()
    boards = list(session.boards)
    white = [place for place, board in enumerate(boards[:-1]) if board.side == "white"]
    turns = [place for place in white if boards[place].legal_moves()]
    session.take_back("white")
    assert session.boards == boards[: turns[-1] + 1]
    for _ in range(len(turns) - 1):
        session.take_back("white")
    assert session.boards == boards[: turns[0] + 1]
    with pytest.raises(IllegalMoveError, match="undo"):
        session.take_back("white")


def test_whose_turn_it_is() -> None:
    session = Session(evolve.load_agent("swh"))
    with pytest.raises(IllegalMoveError, match="turn"):
        session.play(18, "white")
    with pytest.raises(IllegalMoveError, match="turn"):
        session.choose(side="white")
    with pytest.raises(IllegalMoveError):
        session.play(0)
    assert (session.moves, session.rules) == ((), "standard")


def test_the_agent_plays_one_game() -> None:
    """It keeps its table from move to move, as in matches: without it patterns lose 100 Elo."""
    agent = evolve.load_agent("patterns-standard?nodes=2000")
    session, player = Session(agent), agent.for_game(0)
    choices = []
    while (board := session.board).empties > 30:
        choices.append((session.choose(), player.choose(board), agent.choose(board)))
        session.play(choices[-1][0])
    in_session, in_game, alone = zip(*choices, strict=True)
    assert in_session == in_game != alone


START = evolve.Board.start()


def test_without_settings_there_is_no_limit() -> None:
    clock, limits = Clock(), [Clock().seconds_for("black", START)]
    for settings in ((0, 0, 0), (60, 5, 0), (0, 5, 0)):
        clock.set(*settings)
        limits.append(clock.seconds_for("black", START))
    assert limits == [None] * 4


def test_so_many_moves_in_so_much_time() -> None:
    clock = Clock()
    clock.set(0, 5, 1)
    assert clock.seconds_for("white", START) == pytest.approx(4.75)
    clock.set(0, 30, 10)
    assert clock.seconds_for("white", START) == pytest.approx(2.85)
    clock.tell("white", 4, 2)
    assert clock.seconds_for("white", START) == pytest.approx(1.9)
    assert clock.seconds_for("black", START) == pytest.approx(2.85)
    clock.restart()
    assert clock.seconds_for("white", START) == pytest.approx(2.85)


@pytest.mark.parametrize("main", [0.5, 5, 60, 1200])
def test_a_game_is_played_within_its_time(main: float) -> None:
    """Every move takes all the time that it is given, and the way to us and back as well."""
    clock, rng = Clock(), np.random.default_rng(0)
    clock.set(main, 0, 0)
    left = {"black": float(main), "white": float(main)}
    longest, board = 0.0, START
    while not board.is_over():
        if not board.legal_moves():
            board = board.pass_move()
            continue
        seconds = clock.seconds_for(board.side, board) or math.inf
        longest = max(longest, seconds)
        left[board.side] -= seconds + 0.01
        clock.tell(board.side, max(0.0, left[board.side]), 0)
        board = board.play(int(rng.choice(board.legal_moves())))
    assert longest > main / 60 or main < 5
    assert min(left.values()) > 0 or main < 5
    if main >= 60:
        assert max(left.values()) < main / 3, "time is for using"


def test_it_counts_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("evolve.protocols.session.time.monotonic", lambda: now[0])
    clock = Clock()
    clock.set(10, 3, 1)
    found = []
    for seconds in (8, 3, 2):
        with clock.thinking("black"):
            now[0] += seconds
        found.append(clock.seconds_for("black", START))
    assert found == pytest.approx([1.9, 2.85, 2.85]), "each move of overtime has all of it"
    clock.set(0, 9, 3)
    found = []
    for _ in range(3):
        with clock.thinking("white"):
            now[0] += 1
        found.append(clock.seconds_for("white", START))
    assert found == pytest.approx([3.8, 6.65, 2.85]), "8 seconds for 2 moves, then 7 for one"
