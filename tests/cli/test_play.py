"""`evolve play`: a person types, here through a pipe."""

from __future__ import annotations

import builtins
import re
import subprocess
from pathlib import Path

import pytest

import evolve
from evolve.records.formats import read_games
from tests import forks
from tests.cli import command, done, environment, fails, invoke, misused
from tests.waits import PATIENCE


def game(agent: str, side: str) -> tuple[list[str], evolve.Board]:
    """A whole game of a person who always plays the first legal move, and its last board."""
    opponent = evolve.load_agent(agent)
    board, typed = evolve.Board.start(), []
    while not board.is_over():
        if not board.legal_moves():
            board = board.pass_move()
        elif board.side == side:
            square = board.legal_moves()[0]
            typed.append("abcdefgh"[square % 8] + str(square // 8 + 1))
            board = board.play(square)
        else:
            board = board.play(opponent.choose(board))
    return typed, board


@pytest.mark.parametrize("side", ["black", "white"])
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_a_whole_game(side: str, rules: str) -> None:
    agent = "swh?depth=2" if rules == "standard" else "anti-swh-mobility?depth=2"
    typed, board = game(agent, side)
    said = done("play", agent, "--side", side, stdin="\n".join(typed) + "\n")
    assert f"You are {side}" in said.lines[0]
    assert said.lines[0].startswith(rules)
    black, white = board.discs("black"), board.discs("white")
    own, other = (black, white) if side == "black" else (white, black)
    ahead = own - other if rules == "standard" else other - own
    verdict = "you win" if ahead > 0 else "you lose" if ahead < 0 else "a draw"
    assert said.lines[-1] == f"black {black}, white {white} ({rules}): {verdict}"


def test_asking_and_typing_nonsense() -> None:
    said = done("play", "swh", stdin="help\n\nhint\nz9\na1\npass\nundo\nquit\n").out
    assert "d3 c4 f5 e6" in said
    assert "evaluations" in said
    assert "'z9' is not a move" in said
    assert "a1 is not a legal move" in said
    assert "must not pass" in said
    assert "nothing to undo" in said


@pytest.mark.parametrize("typed", ["d3", "D3", "1. d3", "d3!", " D3 ", "1: D3"])
def test_a_move_is_typed_in_any_way(typed: str) -> None:
    said = done("play", "swh?depth=1", stdin=f"{typed}\nsave a.txt\nq\n").out
    assert "is not a move" not in said
    assert Path("a.txt").read_text().startswith("d3")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", "1. F5 d6 2. C3\n"),
        ("a.pgn", '[Black "x"]\n\n1. f5 d6 2. c3 *\n'),
        ("a.csv", "id;game\n1;F5 D6 C3\n2;f5\n"),
    ],
)
def test_games_of_any_format_are_loaded(name: str, text: str) -> None:
    Path(name).write_text(text)
    said = done("play", "swh?depth=1", "--side", "white", stdin=f"load {name}\nsave b.txt\nq\n").out
    assert Path("b.txt").read_text().startswith("f5d6c3"), said


def test_undo_goes_back_to_the_board_before() -> None:
    boards = re.findall(r"  a b c.*?to move", done("play", "swh", stdin="d3\nundo\nq\n").out, re.S)
    assert len(boards) == 3
    assert boards[0] == boards[2] != boards[1]
    said = done("play", "swh", stdin="D3\nundo\nc4\nundo\nundo\nquit\n").out
    assert "nothing to undo" in said


def test_the_board_shows_the_legal_moves() -> None:
    said = done("play", "swh", stdin="quit\n")
    rows = [line.split()[1:] for line in said.lines if re.match(r"[1-8] ", line)]
    marked = [8 * y + x for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "*"]
    assert marked == [19, 26, 37, 44]


def test_any_bytes_may_be_typed(tmp_path: Path) -> None:
    process = forks.start(
        command("play", "swh"),
        env=environment(PYTHONIOENCODING="utf-8:strict"),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = process.communicate(b"\xff\nd3\nquit\n", timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert b"is not a move" in out


def test_end_of_input_ends_the_game() -> None:
    assert "end of input" in done("play", "random").out


def test_the_first_hint_is_one_number() -> None:
    assert "for each of d3 c4 f5 e6" in done("play", "swh?depth=3", stdin="hint\nq\n").out


def test_several_moves_are_taken_back() -> None:
    typed, _ = game("swh?depth=2", "black")
    said = done("play", "swh?depth=2", stdin="\n".join([*typed[:3], "undo 3", "undo", "undo x"]))
    boards = re.findall(r"  a b c.*?to move", said.out, re.DOTALL)
    assert boards[0] == boards[-1] != boards[-2]
    assert "nothing to undo" in said.out
    assert "'x' is not a number" in said.out
    assert "you have moved 1 times" in done("play", "swh", stdin=f"{typed[0]}\nundo 2\n").out


def test_a_game_is_saved_and_gone_on_with(tmp_path: Path) -> None:
    typed, board = game("swh?depth=2", "black")
    part = tmp_path / "part.ggf"
    first = "\n".join([*typed[:4], f"save {part}", "quit"])
    assert f"the game so far → {part}" in done("play", "swh?depth=2", stdin=first).out
    (record,) = read_games(part).records
    assert (record.black, record.white) == ("you", "swh?depth=2")
    rest = "\n".join([f"load {part}", *typed[4:]])
    said = done("play", "swh?depth=2", stdin=rest)
    black, white = board.discs("black"), board.discs("white")
    assert said.lines[-1].startswith(f"black {black}, white {white}")
    for line, answer in (
        (f"load {tmp_path / 'none.ggf'}", "No such file"),
        (f"load {part} 2", "has no game 2; it has 1 to 1"),
        ("save /nowhere/x.ggf", "No such file"),
        ("load", "is not a move"),
    ):
        assert answer in done("play", "swh", stdin=f"{line}\nq\n").out
    said = done("play", "swh", "--rules", "reversed", stdin=f"load {part}\nq\n").out
    assert f"game 1 of {part} is standard, not reversed" in said


def test_games_are_kept_and_played_again(tmp_path: Path) -> None:
    kept = tmp_path / "mine.ggf"
    said = done("play", "swh", "--ggf", kept, stdin="resign\nwhat\nrematch\nresign\nquit\n")
    assert "you resign" in said.out
    assert "the game is over" in said.out
    assert "You are black" in said.out
    assert "You are white" in said.out
    first, second = read_games(kept).records
    assert (first.black, second.white) == ("you", "you")
    assert (first.winner, second.winner) == ("white", "black")
    assert first.ending == "resigned"
    assert len(second.moves) == 1
    assert ".ggf" in misused("play", "swh", "--ggf", tmp_path / "x.csv")


def test_random_gives_no_hint() -> None:
    assert "no opinion" in done("play", "random", stdin="hint\n").out


def test_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(builtins, "input", interrupted)
    ended = invoke("play", "swh")
    assert ended.code == 130
    assert ended.err.split() == ["interrupted"]


def test_rules_and_champions(first: Path) -> None:
    assert done("play", first, stdin="q\n").out.startswith("reversed")
    assert done("play", first, "--rules", "standard", stdin="q\n").out.startswith("standard")
    assert done("play", "swh", stdin="q\n").out.startswith("standard")


def test_wrong_use() -> None:
    assert "nobody" in fails("play", "nobody")
    assert "--side" in misused("play", "swh", "--side", "red")
    assert "AGENT" in misused("play")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.obf", "8/8/8/3wb3/3bw3/4b3/8/8 w\n"),
        ("a.pgn", '[FEN "8/8/8/3wb3/3bw3/8/8/4b3 b"]\n\n1. f5 d6 *\n'),
        ("a.ggf", f"(;TY[8r20]BO[8 {'*' + '-' * 26 + 'O*------*O' + '-' * 27} *]B[F5]W[F4];)"),
    ],
)
def test_games_that_begin_elsewhere_are_loaded_and_saved(name: str, text: str) -> None:
    Path(name).write_text(text)
    (loaded,) = read_games(name).records
    done("play", "swh?depth=1", "--side", loaded.final.side, stdin=f"load {name}\nsave b.ggf\nq\n")
    (saved,) = read_games("b.ggf").records
    assert (saved.start, saved.moves) == (loaded.start, loaded.moves)
