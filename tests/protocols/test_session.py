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
    session = Session(evolve.load_agent("random?seed=2"))
    while not session.board.is_over():
        session.play(session.choose())
    return session


def test_moves_and_positions_are_those_of_the_game() -> None:
    session = whole_game()
    assert PASS in session.moves
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
    turns = [place for place, board in enumerate(boards[:-1]) if board.side == "white"]
    turns = [place for place in turns if boards[place].legal_moves()]
    session.take_back("white")
    assert session.boards == boards[: turns[-1] + 1]
    for _ in range(3):
        session.take_back("white")
    assert session.boards == boards[: turns[-4] + 1]
    for _ in range(len(turns) - 4):
        session.take_back("white")
    with pytest.raises(IllegalMoveError, match="undo"):
        session.take_back("white")


def test_whose_turn_it_is() -> None:
    session = Session(evolve.load_agent("swh"))
    for wrong in (lambda: session.play(18, "white"), lambda: session.choose(side="white")):
        with pytest.raises(IllegalMoveError, match="turn"):
            wrong()
    with pytest.raises(IllegalMoveError):
        session.play(0)
    assert (session.moves, session.rules) == ((), "standard")


def test_the_agent_plays_one_game() -> None:
    """It keeps its table from move to move, as in matches: without it patterns lose 100 Elo."""
    agent = evolve.load_agent("patterns-standard?nodes=2000")
    session, player = Session(agent), agent.for_game(0)
    choices: list[tuple[int, int, int]] = []
    while session.board.empties > 30:
        choices.append(
            (session.choose(), player.choose(session.board), agent.choose(session.board))
        )
        session.play(choices[-1][0])
    in_session, in_game, alone = zip(*choices, strict=True)
    assert in_session == in_game != alone


START = evolve.Board.start()


def test_without_settings_there_is_no_limit() -> None:
    clock, limits = Clock(), []
    assert clock.seconds_for("black", START) is None
    for settings in ((0, 0, 0), (60, 5, 0), (0, 5, 0)):
        clock.set(*settings)
        limits.append(clock.seconds_for("black", START))
    assert limits == [None] * 3


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
    with clock.thinking("black"):
        now[0] += 8
    first = clock.seconds_for("black", START)
    assert first is not None
    assert first < 2
    with clock.thinking("black"):
        now[0] += 3
    assert clock.seconds_for("black", START) == pytest.approx(2.85), "in overtime now"
    with clock.thinking("black"):
        now[0] += 2
    assert clock.seconds_for("black", START) == pytest.approx(2.85), "each move has it anew"
    clock.set(0, 9, 3)
    with clock.thinking("white"):
        now[0] += 1
    assert clock.seconds_for("white", START) == pytest.approx(3.8), "8 seconds for 2 moves"
