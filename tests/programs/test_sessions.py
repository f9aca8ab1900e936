"""Speaking GTP and NBoard: the program knows the game, and its clock for it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.engine.board.board import Board
from evolve.errors import AgentError, EngineError
from evolve.programs.children import LOG
from evolve.programs.process import LineProcess, _exchange
from evolve.programs.sessions import GameClock, GtpSession, NBoardSession
from tests.programs import begun, python, soon
from tests.programs.test_external import agent, source

ANSWERS = """
import sys
answers = {answers!r}
for line in sys.stdin:
    command = line.strip()
    found = answers.get(command, answers.get(command.split()[0]))
    print("? unknown" if found is None else found if found.startswith("?") else "= " + found)
    print()
"""


def session(
    command: Sequence[str], seconds: float | None = None
) -> AbstractContextManager[GtpSession]:
    return begun(GtpSession(LineProcess(command), seconds))


def program(**answers: str) -> list[str]:
    """A program with these answers and no others, but for setting up a game."""
    return python(ANSWERS.format(answers={"boardsize": "", "clear_board": "", **answers}))


def test_it_is_told_its_seconds_where_it_wants_to_know() -> None:
    answers = {"list_commands": "time_settings", "genmove": "f5"}
    with session(program(**answers, **{"time_settings 0 2 1": ""}), 2.9):
        pass
    with session(program(**answers), 0.5):  # less than GTP can tell
        pass
    with pytest.raises(EngineError, match="'time_settings"), session(program(**answers), 2.9):
        pass


def test_it_says_its_name_and_version() -> None:
    answers = {"list_commands": "name version", "name": "good ", "version": "1.2"}
    with session(program(**answers)) as made:
        assert made.told_name(soon()) == "good 1.2"


def test_it_plays_othello_among_other_games() -> None:
    answers = {"list_commands": "list_games set_game", "genmove": "d3"}
    with session(program(**answers, list_games="Go Reversi", **{"set_game Reversi": ""})) as made:
        assert made.choose(Board.start(), soon()) == 19
    with (
        pytest.raises(EngineError, match="Othello"),
        session(program(**answers, list_games="Go Chess")),
    ):
        pass


@pytest.mark.parametrize(
    "answer",
    [
        "play d3", "b D3", "Black D3", "move d3 0.25", '"d3"', "[d3]", "d3.", "(D3)", "d3, 0.5",
        "\nd3", "D3\nvalue 0.3", "\td3",
    ],
)  # fmt: skip
def test_moves_are_said_in_more_than_one_way(answer: str) -> None:
    with session(program(play="", genmove=answer)) as made:
        assert made.choose(Board.start(), soon()) == 19


PROMPT = ANSWERS.replace('print("?', 'print("> ?').replace('"= "', '"> = "')


def test_prompts_before_answers() -> None:
    answers = {"boardsize": "", "clear_board": "", "genmove": "f5"}
    with session(python(PROMPT.format(answers=answers))) as made:
        assert made.choose(Board.start(), soon()) == 37


@pytest.mark.parametrize(
    ("text", "forgiven"),
    [
        ("unknown command", True), ("Unrecognized command: boardsize", True),
        ("command not implemented", True), ("unacceptable size", False), ("unknown size", False),
        ("", False),
    ],
)  # fmt: skip
def test_a_program_with_one_size_need_not_know_boardsize(text: str, forgiven: bool) -> None:
    command = program(boardsize=f"? {text}", genmove="d3")
    refused = pytest.raises(EngineError, match="'boardsize")
    with contextlib.nullcontext() if forgiven else refused, session(command) as made:
        assert made.choose(Board.start(), soon()) == 19


@pytest.mark.parametrize(
    ("sent", "answer", "quoted"),
    [
        ("genmove black", "=1 d3", "'genmove black', received '=1 d3'"),
        ("ping 3", "pong 3", "'ping', received 'pong'"),
        ("ping 3", "pong 2", "'ping', received 'pong 2'"),
    ],
)
def test_numbers_of_pings_are_left_out_of_errors(sent: str, answer: str, quoted: str) -> None:
    """A wrong one is what is wrong."""
    assert _exchange(sent, answer) == f"; sent {quoted}"


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"genmove": "resign"}, "^resigns$"),
        ({"genmove": "z9 or so"}, "answered 'z9 or so', which is not a move"),
        ({"genmove": ""}, "answered '', which is not a move"),
        ({}, "refused 'genmove black'"),
    ],
)
def test_what_is_no_move_is_told(answers: dict[str, str], why: str) -> None:
    with session(program(play="", **answers)) as made:
        with pytest.raises(EngineError, match=why):
            made.choose(Board.start(), soon())
        assert made.moves is None  # and the next game begins anew


NBOARD_ANSWERS = """
import sys
heard = ""
for line in sys.stdin:
    heard += line
    if line.startswith("ping"):
        print("status busy")
        print("pong 99")
        print(line.replace("ping", "pong"))
    if line.strip() == "go":
        print({answer})
"""


def nboard_session(answer: str, **options: Any) -> AbstractContextManager[NBoardSession]:
    """With a program that answers so, an expression of what it has heard."""
    command = python(NBOARD_ANSWERS.format(answer=answer))
    return begun(NBoardSession(LineProcess(command), **options))


@pytest.mark.parametrize("answer", ["=== d3", "===D3/-1.30/0.11", "=== d3 -1.00 0.0"])
def test_nboard_moves_are_said_in_more_than_one_way(answer: str) -> None:
    with nboard_session(repr(answer)) as made:
        assert made.choose(Board.start(), soon()) == 19


@pytest.mark.parametrize(
    ("options", "words", "sent"),
    [
        ({"depth": 7}, "set depth 7\n", True), ({}, "set depth", False), ({}, "TY[8]", True),
        ({"rules": "reversed"}, "TY[8a]", True), ({"rules": "standard"}, "TY[8]", True),
    ],
)  # fmt: skip
def test_it_is_sent_its_depth_and_rules(options: dict[str, Any], words: str, sent: bool) -> None:
    with nboard_session(f"'=== d3' if {words!r} in heard else '=== c4'", **options) as made:
        assert made.choose(Board.start(), soon()) == (19 if sent else 26)


@pytest.mark.parametrize("answer", ["===", "=== i9", "=== pass", "=== d33"])
def test_what_is_no_nboard_move_is_told(answer: str) -> None:
    with nboard_session(repr(answer)) as made, pytest.raises(EngineError, match="move"):
        made.choose(Board.start(), soon())


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


def test_a_failed_move_costs_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_the_time_left_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    clocks = re.findall(r"time_left black (\d+) 0", (tmp_path / "log").read_text())
    assert [*map(int, clocks)] == [20, pytest.approx(25.5, abs=1), pytest.approx(32, abs=1.5)]


def test_each_game_has_a_clock_of_its_own() -> None:
    quick = agent("gtp", "good", "?clock=30+1")
    assert quick.for_game(1) is not quick
    assert quick.for_game(1) == quick


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
