"""`evolve play`, `evolve replay` and `evolve engine`: through pipes, whatever is sent."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import pytest

import evolve
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.calibration.ratings import ratings_of
from evolve.arena.person import rating_text
from evolve.cli import terminal
from evolve.engine.board.squares import parse_moves, square_name
from evolve.fitness.statistics import rate_games
from evolve.number_text import elo_text
from evolve.protocols.gtp import GtpEngine
from evolve.protocols.nboard import NBoardEngine
from evolve.records.formats import read_games, write_games
from evolve.records.record import GameRecord
from tests import forks
from tests.cli import command, done, environment, finish, match, read_terminal, spawn
from tests.waits import PATIENCE


def game(agent: str, side: str) -> tuple[list[str], evolve.Board]:
    """A whole game of a person who always plays the first legal move, and its last board."""
    opponent = evolve.load_agent(agent)
    board, typed = evolve.Board.start(), list[str]()
    while not board.is_over():
        legal = board.legal_moves()
        if legal and board.side == side:
            typed.append(square_name(legal[0]))
            board = board.play(legal[0])
        else:
            board = board.play(opponent.choose(board)) if legal else board.pass_move()
    return typed, board


@pytest.mark.parametrize("side", ["black", "white"])
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_a_whole_game(side: str, rules: str) -> None:
    agent = "swh?depth=2" if rules == "standard" else "anti-swh-mobility?depth=2"
    typed, board = game(agent, side)
    said = done("play", agent, "--side", side, stdin="\n".join(typed) + "\n")
    assert said.lines[0].startswith(rules)
    black, white = board.discs("black"), board.discs("white")
    ahead = (black - white) * (1 if (side == "black") == (rules == "standard") else -1)
    verdict = "you win" if ahead > 0 else "you lose" if ahead < 0 else "a draw"
    assert said.lines[-1] == f"black {black}, white {white} ({rules}): {verdict}"


def test_every_wait_for_compilation_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    monkeypatch.setattr(terminal, "print_note", notes.append)
    analyse = AlphaBetaAgent.analyse

    def compiling(self: AlphaBetaAgent, board: evolve.Board) -> object:
        if board == evolve.Board.start():  # not where values are measured, by hundreds
            numba.njit(lambda number: number)(len(notes))
        return analyse(self, board)

    monkeypatch.setattr(AlphaBetaAgent, "analyse", compiling)
    done("play", "swh", stdin="hint\nhint\nquit\n")
    assert [text.partition(",")[0] for text in notes] == ["compiling the kernels"] * 2


def piped(folder: Path, *arguments: object, **changes: str) -> subprocess.Popen[bytes]:
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return forks.start(command(*arguments), env=environment(**changes), cwd=folder, **pipes)


def test_any_bytes_may_be_typed(tmp_path: Path) -> None:
    process = piped(tmp_path, "play", "swh", PYTHONIOENCODING="utf-8:strict")
    out, err = process.communicate(b"\xff\nd3\nquit\n", timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert b"is not a move" in out


def test_games_are_kept(tmp_path: Path) -> None:
    kept = tmp_path / "mine.ggf"
    for side in ("black", "white"):
        done("play", "swh", "--side", side, "--ggf", kept, stdin="resign\n")
    first, second = read_games(kept).records
    assert (first.black, first.winner, first.ending) == ("you", "white", "resigned")
    assert (second.white, second.winner, len(second.moves)) == ("you", "black", 1)


def test_ones_own_rating_is_told_after_three_games(tmp_path: Path) -> None:
    def told(*typed: str) -> list[str]:
        lines = done("play", "level-1", "--rules=standard", stdin="\n".join(typed) + "\n").lines
        return [line for line in lines if "rating" in line]

    before, *rest = told("resign")
    assert len({*rest, *told("d3", "undo", "resign"), *told("resign")}) == 2
    file = tmp_path / "data/played.json"
    assert len(json.loads(file.read_text())) == 2
    own = told("resign")[-1]
    assert own == rating_text("standard")
    assert elo_text(*rate_games([float(ratings_of("level-1")["standard"].elo)] * 3, 0)[:3]) in own
    assert rating_text("reversed") == before.replace("standard", "reversed")
    file.write_text("[{}]")
    said = done("play", "level-1", "--rules=standard", stdin="resign\n")
    assert sum(str(file) in line for line in said.lines) == 2  # before and after
    assert file.read_text() == "[{}]"


def test_an_agent_that_resigns(tmp_path: Path) -> None:
    (tmp_path / "quits.py").write_text(
        'class Quits:\n    def genmove(self, side, moves):\n        return "resign"\n'
    )
    agent = "python:quits.py"
    done("play", agent, "--ggf=won.ggf", stdin="d3\n")
    (record,) = read_games("won.ggf").records
    assert (record.winner, record.ending, len(record.moves)) == ("black", "resigned", 1)
    player, answers = evolve.load_agent(agent), list[str]()
    assert GtpEngine(player, "standard").answer("genmove b") == "= resign"
    NBoardEngine(player, "standard", answers.append).serve(["nboard 2", "go", "quit"])
    assert ["===", "resign"] in [line.split() for line in "\n".join(answers).splitlines()]


def test_replay_shows_the_game_of_the_table(first: Path) -> None:
    games = evolve.load_run(first).games
    assert not games.duplicated(["generation", "game"]).any()
    playoff = games[games["kind"] == "playoff"].iloc[:1]
    for row in [*games.iloc[::17].to_dict("records"), *playoff.to_dict("records")]:
        board = GameRecord(tuple(parse_moves(row["moves"]))).final
        discs = (row["discs_black"], row["discs_white"])
        assert (board.discs("black"), board.discs("white")) == discs
        shown = done("replay", first, f"{row['generation']}:{row['game']}")
        assert row["kind"] in shown.lines[0]
        assert {row["black"], row["white"]} <= {*re.findall(r"[^ ,]+", shown.lines[0])}
        won = "a draw" if row["winner"] == "draw" else f"{row['winner']} wins"
        end = f"{row['discs_black']}–{row['discs_white']}, {won} ({row['reason']})"
        assert shown.lines[-1] == end
        assert shown.out.count("(opening)") == len(row["opening"].split())


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are others there")
def test_a_terminal_steps_forward_and_back(tmp_path: Path) -> None:
    import pty

    write_games(tmp_path / "g.ggf", [GameRecord(tuple(parse_moves("f5 d6 c3")))])
    here, there = pty.openpty()
    process = forks.start(
        command("replay", tmp_path / "g.ggf"),
        env=environment(COLUMNS="80", LINES="24", TERM="xterm"),
        stdin=there,
        stdout=there,
        stderr=there,
    )
    os.close(there)
    for keys, said in (
        (b"", b"the start"),
        (b"\x1b[C", b"1. black f5"),
        (b"  ", b"3. black c3"),
        (b"\x1b[D\x1b[D", b"1. black f5"),
        (b"G", b"3. black c3"),
        (b"g", b"the start"),
    ):
        os.write(here, keys)
        shown, end = b"", time.monotonic() + 60
        while said not in shown or b"q leaves" not in shown:
            assert time.monotonic() < end, shown
            if select.select([here], [], [], 0.5)[0]:
                shown += os.read(here, 65536)
    os.write(here, b"q")
    assert read_terminal(here)
    assert process.wait(PATIENCE) == 0


@pytest.mark.slow
def test_every_answer_comes_at_once(tmp_path: Path) -> None:
    process = piped(tmp_path, "engine", "swh?depth=3", "--protocol", "gtp", "--rules", "standard")
    answers = []
    for asked in (b"name\r\n", b"genmove black\r\n"):
        process.stdin.write(asked)
        process.stdin.flush()
        answers += [process.stdout.readline().rstrip(b"\r\n") for _ in range(2)]
    assert answers == [b"= evolve swh?depth=3", b"", b"= D3", b""]
    process.stdin.write(b"quit\n")
    out, err = process.communicate(timeout=PATIENCE)
    assert (out, err, process.returncode) == (b"=\n\n", b"", 0)


@pytest.mark.slow
def test_the_end_of_the_input_and_of_the_reader(tmp_path: Path) -> None:
    process = piped(tmp_path, "engine", "swh", "--protocol", "nboard")
    out, _ = process.communicate(b"nboard 2\nset depth 4\ngo\n", timeout=PATIENCE)
    assert b"=== " in out, "what was asked before the end is answered"
    process = piped(tmp_path, "engine", "anti-swh", "--protocol", "gtp")
    process.stdout.close()
    process.stdin.write(b"name\n" * 3)
    process.stdin.close()
    assert process.wait(30) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


OURS = f"{sys.executable} -m evolve engine"


@pytest.mark.slow
def test_our_engine_as_a_program_is_the_same_agent() -> None:
    wanted = match("swh-mobility", "swh?depth=2", "--games", 6, "--seed", 3)
    # Longer than a match gives a program to start.
    finish(spawn(Path(), "engine", "swh?depth=2", "--protocol", "gtp"))
    ours = {p: f"{p}:{OURS} swh?depth=2 --protocol {p}" for p in ("gtp", "nboard")}
    anti = {p: f"{p}:{OURS} anti-swh --protocol {p}" for p in ours}
    words = ("--games", 6, "--seed", 3, "--jobs", 1)
    found = [{**match("swh-mobility", program, *words), "b": ""} for program in ours.values()]
    assert found == [{**wanted, "b": ""}] * 2
    found = [match("zero", program, "--games", 2, "--jobs", 1) for program in anti.values()]
    assert [(one["rules"], one["rules_assumed"]) for one in found] == [("reversed", False)] * 2
