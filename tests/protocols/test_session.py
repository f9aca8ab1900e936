"""A game against an agent: passes that are left out, moves taken back, and whose turn it is."""

from __future__ import annotations

import pytest

import evolve
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS
from evolve.errors import IllegalMoveError
from evolve.protocols.session import Session


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
