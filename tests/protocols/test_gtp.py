"""GTP sessions as other programs hold them, and lines that nobody should send."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from evolve.engine.board.rules import PASS, Rules
from evolve.engine.board.squares import square_name
from evolve.protocols.gtp import GtpEngine
from tests.agents.conftest import pattern_agent
from tests.records.test_ggf import random_record

COMMANDS = [
    *("protocol_version", "name", "version", "known_command", "list_commands", "quit"),
    *("boardsize", "clear_board", "komi", "play", "genmove", "reg_genmove", "undo"),
    *("time_settings", "time_left", "final_score", "showboard", "set_game", "list_games"),
    *("evolve-analyze", "evolve-rules"),
]


def engine(agent: str = "swh?depth=2", rules: Rules = "standard") -> GtpEngine:
    return GtpEngine(evolve.load_agent(agent), rules)


def answers(talk: str, player: GtpEngine | None = None) -> list[str | None]:
    player = player or engine()
    return [player.answer(line) for line in talk.splitlines()]


def test_who_it_is() -> None:
    assert answers("protocol_version\n1 name\nversion\nlist_games") == [
        "= 2", "=1 evolve swh?depth=2", f"= {evolve.__version__}", "= Othello",
    ]  # fmt: skip
    assert answers("list_commands") == ["= " + "\n".join(COMMANDS)]
    known = answers("known_command genmove\n7 known_command fly\nknown_command")
    assert known == ["= true", "=7 false", "= false"]


def test_a_game_as_a_driver_plays_it() -> None:
    player = engine()
    talk = """set_game Othello
    boardsize 8
    clear_board
    komi 0
    time_settings 0 0 0
    # a remark

    \t12 play\tblack  D3 # the usual one
    play w c3"""
    found = answers(talk, player)
    assert found == ["=", "=", "=", "=", "=", None, None, "=12", "="]
    board = evolve.Board.start().play("d3").play("c3")
    square = evolve.load_agent("swh?depth=2").choose(board)
    moves = answers("3 reg_genmove black\n3 genmove b", player)
    assert moves == [f"=3 {square_name(square).upper()}"] * 2
    shown = ["= \n" + str(one) for one in (board.play(square), evolve.Board.start())]
    assert answers("showboard\nclear_board\nshowboard", player) == [shown[0], "=", shown[1]]


def test_commands_in_capitals_and_numbers_as_controllers_write_them() -> None:
    lines = (
        "BOARDSIZE 8", "Clear_Board", "1 PLAY BLACK D3", "KOMI +0.5", "komi .5", "komi -7.",
        "time_left b -1.25 0", "Time_Left W -3 -1", "known_command GENMOVE", "2 GenMove WHITE",
    )  # fmt: skip
    player = engine("zero")
    *found, move = answers("\n".join(lines), player)
    assert found == ["=", "=", "=1", "=", "=", "=", "=", "=", "= true"]
    assert str(move).startswith("=2 ")
    player.answer("QUIT")
    assert player.finished


def test_what_is_refused() -> None:
    lines = (
        "boardsize 10", "boardsize", "set_game Go", "set_game", "komi x", "play black a1",
        "play black d3 d4", "play red d3", "play black z9", "play black", "play white d3",
        "play black pass", "genmove", "genmove red", "genmove white", "undo", "final_score",
        "time_settings 1 2", "time_settings -1 0 0", "time_left black x 1", "time_left red 1 1",
        "5 fly", "23",
    )  # fmt: skip
    found = answers("\n".join(lines))
    assert all(answer is not None and answer.startswith("?") for answer in found), found
    assert found[0] == "? unacceptable size"
    assert found[5] == "? illegal move"
    assert found[-2] == "?5 unknown command"


@pytest.mark.parametrize("agent", [evolve.load_agent("swh?depth=2"), pattern_agent(depth=2)])
def test_what_the_agent_thinks(agent: evolve.Agent) -> None:
    """The same as `analyse` says, a line a move, the best first."""
    analysis: Any = agent.analyse(evolve.Board.start())
    lines = [
        f"info move {square_name(square).upper()} value {value:.6g} unit {analysis.unit} depth 2"
        for square, value in analysis.values.items()
    ]
    lines[0] += " pv " + " ".join(square_name(square).upper() for square in analysis.line)
    found = answers("evolve-analyze black", GtpEngine(agent, "standard"))
    assert found == ["= " + "\n".join(lines)]
    talk = "evolve-analyze white\nevolve-analyze\n1 evolve-analyze b"
    refused = ["? illegal move", "? syntax error", "?1 nothing to analyze"]
    assert answers(talk, engine("random")) == refused


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_a_whole_game_with_passes_its_score_and_back(rules: Rules) -> None:
    """Some drivers tell of passes, some ask for them, and some leave them out."""
    record = next(one for one in map(random_record, range(999)) if one.moves.count(PASS) > 2)
    player, sent = engine("zero", rules), []
    passes = iter(
        [("play", "pa", "="), ("genmove", "", "= PASS"), *[("name", "", "= evolve zero")] * 9]
    )
    assert player.answer("final_score") == "? cannot score"
    shown = [player.answer("showboard")]
    for ply, square in enumerate(record.moves):
        side = "bw"[ply % 2]
        if square != PASS:
            sent.append(player.answer(f"play {side} {square_name(square)}"))
            shown.append(player.answer("showboard"))
        else:
            word, move, answer = next(passes)
            assert player.answer(f"{word} {side} {move}") == answer
    assert {*sent} == {"="}
    assert player.answer("genmove black") == player.answer("genmove white") == "= PASS"
    score = record.final.score_of("black", rules)
    expected = "0" if not score else f"{'B' if score > 0 else 'W'}+{abs(score)}"
    assert player.answer("final_score") == f"= {expected}"
    while player.answer("undo") == "=":
        if player.answer("showboard") == shown[-1]:
            shown.pop()
    assert shown == []
    assert player.answer("undo") == "? cannot undo"


def by_the_clock(agent: evolve.Agent) -> list[float]:
    """Seconds for moves with a second each, and for the last one, with no time left."""
    player, found, seconds = GtpEngine(agent, "standard"), list[str](), list[float]()
    assert player.answer("time_settings 0 1 1") == "="
    for side in ("black", "white", "black", "white"):
        if len(found) == 3:
            player.answer("time_left white 0 0")
        begin = time.monotonic()
        found.append(str(player.answer(f"genmove {side}"))[:2])
        seconds.append(time.monotonic() - begin)
    assert found == ["= "] * 4
    return seconds


def test_moves_by_the_clock_are_moves() -> None:
    by_the_clock(evolve.load_agent("random"))


@pytest.mark.clock
@pytest.mark.parametrize(
    "agent",
    [
        *map(evolve.load_agent, ("swh?depth=4", "swh?depth=20", "swh?time=30", "random")),
        pattern_agent(depth=20),
    ],
    ids=lambda agent: agent.name,
)
def test_the_clock_is_kept(agent: evolve.Agent) -> None:
    """A second a move, of which it leaves what a slow line takes; without any time, at once: that
    is 0.02 s, and half a second is what a person bears."""
    *moves, last = by_the_clock(agent)
    assert max(moves) < 1.0
    assert last < 0.5


def test_a_whole_session_ends_with_quit() -> None:
    said: list[str] = []
    player = engine()
    player.serve(["name\n", "\n", "quit\n", "name\n"], said.append)
    assert said == ["= evolve swh?depth=2\n\n", "=\n\n"]


WORDS = st.sampled_from(
    [*COMMANDS, "black", "w", "d3", "PASS", "8", "1", "-1", "99999999999999999999", "", "\0", "é²"]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=5).map(" ".join) | st.text(max_size=30), max_size=12))
def test_nothing_that_is_sent_kills_it(lines: list[str]) -> None:
    player = engine("swh")
    # A clock makes it think, which takes time.
    answers = [player.answer(line) for line in lines if "time" not in line]
    assert {answer[0] for answer in answers if answer is not None} <= set("=?")
    assert player.answer("1 protocol_version") == "=1 2"


@pytest.mark.parametrize("line", ["name", "\x1b[31mname", "7\x1b[2J foo\x9b", "play b \u202ed3"])
def test_no_control_character_comes_back(line: str) -> None:
    hostile = evolve.AlphaBetaAgent([[0] * 10], name="an agent\x1b[31m\u202e")
    assert str(GtpEngine(hostile, "standard").answer(line)).isprintable()


@pytest.mark.parametrize("word", ["pass", "PASS", "pa", "ps", "p", "@@", "--"])
def test_moves_and_passes_as_drivers_write_them(word: str) -> None:
    player = engine()
    assert answers("play black F5\nplay WHITE d6\nplay B c3", player) == ["="] * 3
    refused = ["? illegal move", "? syntax error", "? syntax error"]
    assert answers(f"play w {word}\nplay w z9\nplay w d3d4", player) == refused
