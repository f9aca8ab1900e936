"""NBoard sessions: the one in its description, what hints look like, and stopping."""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evolve
from evolve.agents.analysis import solved
from evolve.agents.calibration.discs import in_discs
from evolve.engine.board.rules import PASS, Rules
from evolve.engine.board.squares import parse_moves, square_name
from evolve.protocols import nboard
from evolve.protocols.gtp import GtpEngine
from evolve.protocols.nboard import NBoardEngine
from evolve.records.record import play_moves
from tests.agents.conftest import CUTS, boards, pattern_agent
from tests.programs.test_external import source
from tests.records.test_ggf import random_record
from tests.waits import PATIENCE, until_any_within

AGENTS = Path(evolve.__file__).parent / "agents"

START = "---------------------------O*------*O--------------------------- *"
GAME = (
    "set game (;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]"
    f"TI[15:00]TY[8]BO[8 {START}]B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)"
)
MOVES = parse_moves("f5f6d3c5e6f7e7f4")


@pytest.fixture(scope="module", autouse=True)
def ready() -> None:
    """Kernels are loaded: the first thought is else over before it has begun."""
    board = play_moves(evolve.Board.start(), MOVES)
    for agent in map(evolve.load_agent, ("swh?depth=2&endgame=8", "uct?simulations=20")):
        nboard._in_discs(agent, board, cast(Any, agent.analyse(board)))
    pattern_agent(cuts=CUTS).analyse(board)


def talk(*lines: str, agent: str = "swh?depth=2") -> list[str]:
    said: list[str] = []
    player = NBoardEngine(evolve.load_agent(agent), "standard", said.append)
    player.serve(line + "\n" for line in lines)
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in said)
    return [line.rstrip("\n") for line in said]


def of(word: str, said: Sequence[str]) -> list[list[str]]:
    """What follows the word in the lines that begin with it."""
    return [rest for first, *rest in map(str.split, said) if first == word]


def chosen(agent: str, moves: Sequence[int] = MOVES) -> list[str]:
    """What an agent plays after these moves."""
    board = play_moves(evolve.Board.start(), moves)
    return [square_name(evolve.load_agent(agent).for_game(0).choose(board)).upper()]


def test_the_session_of_the_description() -> None:
    said = talk("nboard 2", GAME, "set depth 6", "ping 1", "go")
    assert said[0] == "set myname swh?depth=2"
    assert said.index("pong 1") < len(said) - 2
    assert of("===", said) == [chosen("swh?depth=6")]
    assert said[-1] == "status"


def test_going_does_not_play_the_move() -> None:
    said = talk("set depth 3", "go", "go", "move D3/1.5/0.2", "go", "go", "c3", "go")
    moves = of("===", said)
    assert moves[0] == moves[1] != moves[2] == moves[3]
    assert moves[4] == chosen("swh?depth=3", parse_moves("d3c3"))


def test_passing() -> None:
    sent = [f"move {square_name(move)}" for move in without_a_move().moves or ()]
    said = talk(*sent, "go", "hint 3", "move PA", "go")
    first, second = of("===", said)
    assert first == ["PA"] != second
    assert of("search", said) == [["PA", "0.00", "0", "0"]]


def without_a_move() -> evolve.Board:
    """A position of a random game in which the side to move must pass."""
    moves = next(game.moves for game in map(random_record, range(99)) if PASS in game.moves)
    return play_moves(evolve.Board.start(), moves[: moves.index(PASS)])


@pytest.mark.parametrize("name", ["swh?depth=4", "uct?simulations=200", "patterns"])
def test_hints_and_analysis(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hints of each depth, the best moves first, in discs; those of a tree search come once."""
    monkeypatch.setattr(nboard, "_GRACE", PATIENCE)
    if name == "patterns":
        name = str(tmp_path / "x.npz")
        pattern_agent(cuts=CUTS, depth=4).save(Path(name))
    said = talk(GAME, "set depth 4", "hint 3", "go", "analyze", "ping 2", agent=name)
    agent, board = evolve.load_agent(name), play_moves(evolve.Board.start(), MOVES)
    analysis: Any = agent.analyse(board)
    tree = analysis.unit == "value"  # which has no discs
    values = analysis.values if tree else nboard._in_discs(agent, board, analysis)
    best = [(square_name(square).upper(), values[square]) for square in analysis.values][:3]
    hints = of("search", said)
    depths = "0" if tree else "1234"
    assert [hint[3] for hint in hints] == [depth for depth in depths for _ in best]
    assert {hint[2] for hint in hints} == {"0"}
    assert [hint[0] for hint in hints[-3:]] == [name for name, _ in best]
    found = [float(hint[1]) for hint in hints[-3:]]
    assert found == pytest.approx([value for _, value in best], abs=0.005)
    assert of("===", said) == [chosen(name)]
    analysed = dict(of("analysis", said))
    assert len(analysed) == (0 if tree else len(MOVES) + 1)
    assert tree or float(analysed[str(len(MOVES))]) == found[0]
    assert said[-1] == "pong 2"


def test_exact_scores_are_discs() -> None:
    (board,) = boards(0, 1, 6)
    moves = [f"move {square_name(move)}" for move in board.moves or ()]
    said = talk(*moves, "hint 1", "analyze", agent="swh?endgame=8")
    score = f"{solved(board).score:.2f}"
    assert of("search", said)[0][1:] == [score, "0", "6"]
    analysis = dict(of("analysis", said))
    assert len(analysis) == len(moves) + 1
    assert analysis[str(len(moves))] == score


def test_agents_without_an_evaluation() -> None:
    said = talk("hint 2", "go", "analyze", "learn", agent="random")
    assert (len(of("search", said)), len(of("===", said)), of("analysis", said)) == (1, 1, [])
    assert said[-1] == "learned"


@pytest.mark.clock
def test_quitting_and_pinging_do_not_wait() -> None:
    """The first has a grace of a second for what is thought; a program has 30 s to start."""
    begin = time.monotonic()
    talk("set depth 40", GAME, "go", "quit")
    assert time.monotonic() - begin < 4
    begin = time.monotonic()
    said = talk("go", "ping 3", "quit", agent=source("gtp", "silent"))
    assert said[-1] == "pong 3"
    assert time.monotonic() - begin < 6


def test_a_depth_holds_under_a_clock_too() -> None:
    begin = time.monotonic()
    assert of("===", talk("set depth 2", "go", agent="swh?time=1000"))
    assert time.monotonic() - begin < 500


@pytest.mark.parametrize(
    "agent",
    [evolve.load_agent("swh"), pytest.param(pattern_agent(endgame=0), marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(
    "command", ["go", *(pytest.param(one, marks=pytest.mark.slow) for one in ("hint 4", "analyze"))]
)
def test_thinking_is_stopped_by_the_next_command(agent: evolve.Agent, command: str) -> None:
    lines: queue.Queue[str | None] = queue.Queue()
    said: queue.Queue[str] = queue.Queue()
    player = NBoardEngine(agent, "standard", said.put)
    thread = threading.Thread(target=player.serve, args=(iter(lines.get, None),))
    thread.start()
    threads = threading.active_count()
    for line in ("set depth 40", GAME, command):
        lines.put(line)
    until_any_within(AGENTS)
    lines.put("ping 5")
    while said.get(timeout=PATIENCE) != "pong 5\n":  # to depth 40 it would think for days
        pass
    assert threading.active_count() == threads, "nothing goes on, unheard"
    assert said.empty(), "nothing after the pong belongs to the thought before it"
    lines.put("quit")
    lines.put(None)
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_no_hint_comes_after_the_next_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit of discs cannot be stopped: the next command is answered before it ends."""
    fitting, answered = threading.Event(), threading.Event()

    def slow(*given: Any) -> Any:
        fitting.set()
        assert answered.wait(PATIENCE)
        return in_discs(*given)

    for name, value in (("in_discs", slow), ("_GRACE", 0.0), ("_STOP_SECONDS", 0.0)):
        monkeypatch.setattr(nboard, name, value)
    said: list[str] = []
    player = NBoardEngine(evolve.load_agent("swh?depth=2"), "standard", said.append)

    def lines() -> Iterator[str]:
        yield from (GAME, "hint 2")
        assert fitting.wait(PATIENCE)
        thread = player._thinking
        assert thread is not None
        yield "ping 1"
        answered.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()

    player.serve(lines())
    assert said[-1] == "pong 1\n"


def game(moves: str, board: str = START, kind: str = "8") -> str:
    """A game as front ends send it."""
    about = f"GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[0//0]TY[{kind}]BO[8 {board}]"
    return f"set game (;{about}{moves};)"


REFUSED = {
    "an illegal move": game("B[F5]W[A1]"),
    "ten squares": game("", kind="10"),
    "komi": game("", kind="8k"),
    "a cut board": game("", "---------------------------O* *"),
    "cut off": game("B[F5]W[D6]").removesuffix(";)"),
    "no game": "set game e6f4c3",
    "nothing": "set game",
    "other rules": game("B[F5]", kind="8a"),
    "two games": game("B[F5]") + "(;GM[Othello]TY[8]B[D3];)",
    **{line: line for line in ("move A1", "move PA", "move d33", "move", "a1", "pa")},
}
ASKED = ("go", "hint 2", "move D6", "d6", "move PA", "analyze")


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_nothing_is_known_after_what_was_refused(refused: str) -> None:
    """A front end has played a move, and asks about a position that we do not know."""
    first, *said, name, pong = talk(GAME, refused, *ASKED, "set depth 2", "ping 1", agent="zero")
    assert first.startswith("status ")
    words, why, *_ = zip(*(line.split(": ") for line in said), strict=True)
    asked = ("go", "hint", "move", "move", "move", "analyze")
    assert words == tuple(f"status {word}" for word in asked)
    assert len({*why}) == 1, "there is no game"
    assert (name, pong) == ("set myname zero", "pong 1")
    again = talk(refused, *ASKED, GAME, "go", "move G5", "hint 1", agent="zero")
    assert of("===", again) == [chosen("zero")]
    assert of("search", again)


def position_after(*lines: str, rules: Rules = "standard") -> evolve.Board:
    """The position that an engine knows after these lines, which must all be understood."""
    said: list[str] = []
    engine = NBoardEngine(evolve.load_agent("zero"), rules, said.append)
    engine.serve(lines)
    assert said == []
    return engine._game.board


@pytest.mark.parametrize("said", [str.upper, str.title, lambda word: f" {word} "])
def test_commands_in_capitals(said: Callable[[str], str]) -> None:
    sent = GAME.partition(" (")
    lines = [f"{said(sent[0])} ({sent[2]}", said("set depth 2"), said("go"), said("move d6")]
    answers = talk(*lines, said("hint 1"), said("ping 3"), said("quit"), "ping 4", agent="zero")
    assert "set myname zero" in answers
    assert len(of("===", answers)) == 1
    assert of("search", answers)
    assert answers[-1] == "pong 3"


@pytest.mark.parametrize(
    "moves",
    [
        "B[F5//2.439]W[D6]B[C7]",
        "B[f5/1.20/0.3]W[d6/-1/]B[c7/]",
        "B[F5 1.20 0.3]W[D6 -1.0]B[C7]",
        "B[ F5 ]W[ D6//1 ]\t B[C7]",
    ],
)
def test_both_notations_of_moves(moves: str) -> None:
    board = play_moves(evolve.Board.start(), parse_moves("f5d6c7"))
    assert position_after(game(moves)) == board
    names = re.findall(r"\[([^]]*)\]", moves)
    assert position_after(*(f"move {name}" for name in names)) == board
    assert position_after(GAME, game("B[F5]"), *names[1:]) == board


def test_passes_behind_the_end_and_passes_that_are_left_out() -> None:
    line = "e6f4e3f6g5d6e7f5c5"  # black wins by having all discs after nine moves
    whole = play_moves(evolve.Board.start(), parse_moves(line))
    assert whole.is_over()
    played = "".join(f"{'BW'[ply % 2]}[{line[2 * ply : 2 * ply + 2]}]" for ply in range(9))
    ends = ("", "W[PA]", "W[PASS]", "W[pa//0.1]B[PA]", "B[PA]")
    assert [position_after(game(played + behind)) for behind in ends] == [whole] * len(ends)
    assert position_after(game(played), "move PA", "move PASS", "PA") == whole
    board = without_a_move()
    square = board.pass_move().legal_moves()[0]
    after, name = board.pass_move().play(square), square_name(square)
    lines = [f"move {square_name(move)}" for move in board.moves or ()]
    assert position_after(*lines, f"move {name}") == after
    assert position_after(*lines, "move PA", f"move {name}") == after
    assert position_after(*lines, "move ps", name) == after


@pytest.mark.parametrize(
    ("board", "side"),
    [
        ("-------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *", "black"),
        ("--*O-----------------------O*------*O--------------------------- O", "white"),
        ("--xo....-------------------O*------*O--------------------------- X", "black"),
    ],
)
def test_local_games_from_any_board(board: str, side: str) -> None:
    found = position_after(game("", board))
    assert found.side == side
    assert found.disc_count in (4, 6)


@pytest.mark.parametrize(
    ("rules", "kinds"), [("standard", "8 8a"), ("reversed", "8a 8"), ("standard", "8a 8 8a")]
)
def test_assumed_rules_give_way_to_those_of_a_game(rules: Rules, kinds: str) -> None:
    said: list[str] = []
    engine = NBoardEngine(evolve.load_agent("anti-swh"), rules, said.append, assumed=True)
    engine.serve(game("B[F5]", kind=kind) for kind in kinds.split())
    assert said == []
    assert engine.agent.rules == ("reversed" if kinds.endswith("a") else "standard")


def test_games_of_the_rules_that_it_plays() -> None:
    assert {
        position_after(game("B[F5]", kind=kind), rules="reversed").disc_count
        for kind in ("8", "8a", "8r20", "s8")
    } == {5}
    said = talk(game("B[F5]", kind="8a"))
    assert said == [
        "status set game: it is a game of reversed rules, and swh?depth=2 plays standard; start it "
        "with --rules reversed"
    ]


@pytest.mark.parametrize(
    ("rules", "assumed", "words"),
    [
        ("standard", False, "standard"),
        ("reversed", False, "reversed"),
        ("standard", True, "standard assumed"),
    ],
)
def test_it_says_its_rules(rules: Rules, assumed: bool, words: str) -> None:
    said: list[str] = []
    agent = evolve.load_agent("zero")
    NBoardEngine(agent, rules, said.append, assumed).serve(["nboard 2\n"])
    assert said == ["set myname zero\n", f"status rules: {words}\n"]
    assert GtpEngine(agent, rules, assumed).answer("7 evolve-rules") == f"=7 {words}"


WORDS = st.sampled_from(
    ["nboard", "set", "depth", "game", GAME, "move", "d3", "PA", "hint", "go", "ping", "analyze",
     "learn", "2", "-1", "99999999999999999", "(;", ";)", "contempt", "\0", "é²", "f5/x/y"]
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=4).map(" ".join) | st.text(max_size=30), max_size=8))
def test_nothing_that_is_sent_kills_it(lines: list[str]) -> None:
    said = talk(*(line for line in lines if "quit" not in line), "ping last")
    assert said[-1] == "pong last"


@pytest.mark.parametrize(
    "line",
    [
        "ping \x1b[31m7", "ping\t7\x07", "ping 7\x9b2J", "ping 7\u202e", "move \x1b[2J",
        "set game (;GM[Othello]\x1b[31m;)", "nboard \x1b 2",
    ],
)  # fmt: skip
def test_no_control_character_comes_back(line: str) -> None:
    hostile = evolve.AlphaBetaAgent([[0] * 10], name="an agent\x1b[31m\u202e")
    said: list[str] = []
    NBoardEngine(hostile, "standard", said.append).serve([line, "hint 1", "quit"])
    assert said
    assert all(text.removesuffix("\n").isprintable() for text in said)
