"""Programs as agents: dialects are understood, and whatever fails loses, ends and is told."""

from __future__ import annotations

import contextlib
import gc
import re
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import psutil
import pytest

import evolve
from evolve.agents.agent import Agent
from evolve.arena.match import Match, MatchResult
from evolve.engine.board.rules import Rules
from evolve.errors import AgentError, EngineError
from evolve.fitness.executor import Threads
from evolve.fitness.openings import START_POSITION, Part, balanced_openings
from evolve.programs.children import LOG
from evolve.programs.external import ExternalAgent
from evolve.programs.process import own_seconds
from evolve.records.record import play_moves
from evolve.runs.loading import agree_on
from tests.records.test_ggf import random_record
from tests.waits import PATIENCE, until, until_within

ENGINE = Path(__file__).parent / "engine.py"


def source(protocol: str, fault: str = "good", settings: str = "") -> str:
    return f"{protocol}:{sys.executable} {ENGINE} {protocol} {fault}{settings}"


def agent(protocol: str, fault: str = "good", settings: str = "") -> ExternalAgent:
    found = evolve.load_agent(source(protocol, fault, settings))
    assert isinstance(found, ExternalAgent)
    return found


_others: set[int] = set()
"""What was there before the test, such as the service that other tests share."""


def children() -> list[psutil.Process]:
    """The programs that this test has started, and what they have started: their guards apart."""
    found = psutil.Process().children(recursive=True)
    return [
        process
        for process in found
        if process.pid not in _others and "guard.py" not in " ".join(process.cmdline()[:4])
    ]


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    _others.clear()
    _others.update(process.pid for process in psutil.Process().children(recursive=True))
    own_seconds()  # its thread stays
    threads = threading.active_count()
    yield
    # What is gone already needs no search for garbage, which took .1 s a test.
    if children() or threading.active_count() > threads:
        gc.collect()
    assert children() == []
    assert threading.active_count() <= threads


@dataclass(frozen=True)
class FirstMove(Agent):
    """What the program plays, played here."""

    name: str = "first"
    rules: Rules | None = None

    def choose(self, board: evolve.Board) -> int:
        return board.legal_moves()[0]


def match(player: Agent, pairs: int, jobs: int = 1) -> tuple[MatchResult, Match]:
    rng = np.random.default_rng(1)
    openings = balanced_openings(pairs, Part.MATCH, "standard", rng)
    opponent = evolve.load_agent("swh")
    found = Match(player, opponent, openings, "standard", executor=Threads(jobs))
    with contextlib.suppress(EngineError):  # all games were lost by failures
        found.play()
    return found.result, found


def assert_plays_the_first_move(result: MatchResult, played: Match) -> None:
    """In a match of two pairs."""
    expected, other = match(FirstMove(), pairs=2)
    assert result == expected
    assert result.failures_a == 0
    assert np.array_equal(other.games.moves, played.games.moves)


def play_against(player: Agent) -> None:
    Match(evolve.load_agent("swh"), player, START_POSITION, "standard").play()


DIALECTS = [
    *(("gtp", one) for one in ("good", "lower", "banner", "bare", "mute", "crlf", "chatty")),
    *(("nboard", one) for one in ("good", "lower")),
    *(pytest.param("gtp", one, marks=pytest.mark.slow) for one in ("short", "late")),
]


@pytest.mark.parametrize(("protocol", "dialect"), DIALECTS)
def test_dialects(protocol: str, dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolve.programs.sessions._LIST_SECONDS", 0.5)
    assert_plays_the_first_move(*match(agent(protocol, dialect), pairs=2, jobs=2))


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_a_program_that_resigns_loses_by_that(protocol: str) -> None:
    result, played = match(agent(protocol, "resign", "?time=2"), pairs=1)
    assert (result.games, result.losses, result.failures_a, result.played) == (2, 2, 0, 2)
    table = played.games.table(0, "match", ["a", "b"], "standard", played.openings).to_pandas()
    found = table[["black", "reason", "winner"]].to_numpy().tolist()
    assert sorted(found) == [["a", "resigned: black", "white"], ["b", "resigned: white", "black"]]


@pytest.mark.parametrize(
    ("protocol", "fault", "reason"),
    [
        ("gtp", "illegal", r"a1, which is illegal; sent 'genmove \w+', received '= a1'$"),
        ("gtp", "passes", r"played a pass, which is illegal; sent .*, received '= pass'$"),
        ("gtp", "garbage", r"not a move; sent .*, received '= \\x00.*\?!'$"),
        ("gtp", "crash", r"exit code 3: I give up; sent 'genmove .*', received nothing$"),
        ("gtp", "kill", "ended by signal SIGKILL"),
        # Those that let the time run out do so below any protocol.
        ("gtp", "hang", r"no answer in time; sent 'genmove \w+', received nothing$"),
        ("nboard", "illegal", r"illegal; sent 'go', received '=== A1/-1.30/0.11'$"),
        ("nboard", "garbage", r"not a move; sent 'go', received '=== \\x00"),
        ("nboard", "crash", "ended with exit code 3: I give up"),
        ("nboard", "kill", "ended by signal SIGKILL"),
    ],
)
def test_what_fails_loses_each_game(protocol: str, fault: str, reason: str) -> None:
    result, played = match(agent(protocol, fault, "?time=0.3"), pairs=1)
    assert (result.failures_a, result.failures_b, result.losses, result.games) == (2, 0, 2, 2)
    table = played.games.table(0, "match", ["a", "b"], "standard", played.openings).to_pandas()
    sides = ["black" if black == "a" else "white" for black in table["black"]]
    assert [said.split(": ")[1] for said in table["reason"]] == sides
    assert table["reason"].str.contains(f"^failed: .*{reason}").all(), table["reason"][0]
    assert table["reason"][0].isprintable()
    assert (table["winner"] != sides).all()
    assert table["plies"].between(9, 39).all()


def test_an_answer_without_end() -> None:
    result, played = match(agent("gtp", "endless", "?time=20"), pairs=1)
    assert result.failures_a == 2
    assert any(word in played.games.failures[0] for word in ("endless answer", "not a move"))


@pytest.mark.skipif(sys.platform != "linux", reason="orphans come to a guard on Linux alone")
def test_a_child_in_a_session_of_its_own_ends_with_the_program(tmp_path: Path) -> None:
    there = tmp_path / "there"
    child = f'setsid sh -c "echo \\$\\$ > {there}; exec sleep 1234"'
    script = f"{child} & while [ ! -s {there} ]; do sleep 0.01; done; exit 3"
    with pytest.raises(EngineError, match="3"):
        evolve.load_agent(f"gtp:sh -c '{script}'?time=0.3").choose(evolve.Board.start())
    assert not psutil.pid_exists(int(there.read_text()))


@pytest.mark.clock
@pytest.mark.parametrize("program", ["yes", "sh -c 'setsid sleep 1234 & sleep 0.2; exit 3'"])
def test_what_does_not_play_ends_at_once(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start, half a second's wait and end take 0.8 s; a guard that is waited for takes 10 more."""
    begin = time.monotonic()
    monkeypatch.setattr("evolve.programs.external._START_SECONDS", 0.5)
    with pytest.raises(EngineError, match="used"):
        play_against(evolve.load_agent(f"gtp:{program}?time=0.3"))
    assert time.monotonic() - begin < 5


@pytest.mark.clock
@pytest.mark.parametrize("fault", ["hang", "child", "stop", "flood"])
def test_a_move_that_does_not_come_is_waited_for_as_long_as_its_time(fault: str) -> None:
    """Two games with a move of 0.3 s that does not come: 1.5 s. It would come after 1000."""
    begin = time.monotonic()
    result, played = match(agent("gtp", fault, "?time=0.3"), pairs=1)
    assert time.monotonic() - begin < 5
    assert result.failures_a == 2
    assert re.search("no .* in time", played.games.failures[0])


def test_a_command_that_cannot_be_started(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF no program")
    program.chmod(0o755)
    with pytest.raises(EngineError, match="Exec"):
        evolve.load_agent(f"gtp:{program}").choose(evolve.Board.start())


def test_no_program_is_started_once_all_are_shut() -> None:
    """Threads that play go on for a moment when a match is stopped."""
    player = agent("gtp")
    player.choose(evolve.Board.start())
    player._programs.shut()
    assert children() == []
    with pytest.raises(EngineError, match="shut"):
        player.choose(evolve.Board.start())
    assert children() == []


@pytest.mark.parametrize("fault", ["deaf", "silent"])
@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_no_start_no_match(protocol: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds, why = (2.0, "no book found") if fault == "deaf" else (0.3, "in time")
    monkeypatch.setattr("evolve.programs.external._START_SECONDS", seconds)
    with pytest.raises(EngineError, match=why):
        play_against(agent(protocol, fault, "?time=0.1"))


def test_an_interrupted_match_starts_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its threads see their programs end, and would begin the next game with new ones."""
    started = Mock(side_effect=ExternalAgent._make)
    monkeypatch.setattr(ExternalAgent, "_make", lambda self: started(self))
    openings = balanced_openings(20, Part.MATCH, "standard", np.random.default_rng(1))
    found = Match(agent("gtp"), evolve.load_agent("swh"), openings, "standard", executor=Threads(3))
    threads = {*threading.enumerate()}

    def playing() -> bool:
        # A program that was between two moves stays for the next game, and so do its threads.
        new = {*threading.enumerate()} - threads
        return any(not re.search("_read_|_watch", thread.name) for thread in new)

    with pytest.raises(KeyboardInterrupt):
        found.play(save=Mock(side_effect=KeyboardInterrupt))
    count = started.call_count
    until(lambda: not playing())
    assert started.call_count == count
    assert found.result.failures_a == 0
    assert 2 <= found.played < 40
    found.play()
    assert (found.played, found.result.failures_a) == (40, 0)


def test_what_a_program_complains_of_is_shown_without_its_escapes() -> None:
    player = evolve.load_agent("gtp:sh -c 'printf \"\\033[31mred\\007\" >&2; exit 3'?time=0.3")
    with pytest.raises(EngineError, match=r"3: \[31mred; sent"):
        player.choose(evolve.Board.start())


def test_the_game_goes_on_where_it_is_and_a_new_one_begins() -> None:
    player = agent("gtp")
    board = evolve.Board.start()
    first = player.choose(board)
    process = children()
    ahead, other = board.play(first), board.play(19)
    player.choose(ahead.play(ahead.legal_moves()[1]))
    assert player.choose(other) == other.legal_moves()[0]
    assert children() == process, "one program for one game at a time"
    player.close()
    assert children() == []
    assert player.choose(board) == first, "it starts again"
    player.close()


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
def test_passes_are_told(protocol: str) -> None:
    """A random game with passes, asked about from many of its points."""
    moves = next(r.moves for r in map(random_record, range(300)) if 64 in r.moves[:-3])
    player, counts = agent(protocol), (*range(0, len(moves), 3), moves.index(64) + 1, 4)
    boards = [play_moves(evolve.Board.start(), moves[:count]) for count in counts]
    boards = [board for board in boards if board.legal_moves()]
    assert [player.choose(board) for board in boards] == [one.legal_moves()[0] for one in boards]
    assert len(boards) > 15


def test_boards_without_a_past() -> None:
    board = evolve.Board.parse(evolve.Board.start().play(19).cells(), "white")
    with pytest.raises(AgentError, match="position"):
        agent("gtp").choose(board)


def test_a_program_is_ended_when_nobody_wants_it_any_more() -> None:
    player = agent("nboard")
    player.choose(evolve.Board.start())
    (process,) = children()
    del player
    gc.collect()
    process.wait(PATIENCE)


def test_closing_ends_one_that_thinks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = tmp_path / "talk"
    monkeypatch.setenv(LOG, str(talk))
    player = agent("gtp", "hang")
    board = evolve.Board.start()
    for _ in range(2):
        player.choose(board)

    def think() -> None:
        with pytest.raises(EngineError, match="SIGKILL"):
            player.choose(board)
        ended.set()

    ended = threading.Event()
    thread = threading.Thread(target=think)
    thread.start()
    # It names the word as well, in what it says it knows.
    until(lambda: len(re.findall("> .*genmove", talk.read_text())) == 3)
    until_within(thread, "next_line")
    player.close()
    thread.join(PATIENCE)
    assert ended.is_set()


def test_a_program_against_itself_scores_a_half() -> None:
    player = agent("gtp")
    assert Match(player, player, START_POSITION, "standard").play().score.value == 0.5


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
@pytest.mark.parametrize(
    ("fault", "said"),
    [("rules:reversed", "reversed"), ("rules:standard assumed", None), ("good", None)],
)
def test_a_program_may_say_its_rules(protocol: str, fault: str, said: str | None) -> None:
    player = agent(protocol, f"'{fault}'")
    assert player.rules is None
    assert player.own_rules() == said
    assert len(children()) == 1, "the one that was asked is the one that will play"
    agreed = agree_on([player, evolve.load_agent("random")])
    assert (agreed.rules, agreed.assumed) == (said or "standard", said is None)
    assert player.with_rules("standard").own_rules() == "standard"
    player.close()


def test_one_that_cannot_be_asked_cannot_be_used() -> None:
    with pytest.raises(EngineError, match="used"):
        agree_on([agent("gtp", "deaf")])
    assert agree_on([agent("gtp", "deaf")], "standard").rules == "standard"
