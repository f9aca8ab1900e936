"""Lines of moves and of positions: a line is a game or a position; what could be two is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS
from evolve.engine.board.squares import format_moves
from evolve.errors import RecordError
from evolve.records.formats import read_games, write_games
from evolve.records.positions import format_obf
from evolve.records.record import GameRecord, Reading
from evolve.records.texts import lines_text, scan_text
from tests.records.test_ggf import random_record


def read(tmp_path: Path, text: str, name: str = "a.txt") -> Reading:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_games(tmp_path / name)


def test_passes_are_left_out_and_may_be_written(tmp_path: Path) -> None:
    records = [random_record(seed) for seed in range(30)]
    assert any(PASS in record.moves for record in records)
    write_games(tmp_path / "games.txt", records)
    text = (tmp_path / "games.txt").read_text(encoding="utf-8")
    assert "pass" not in text
    with_passes = "\n".join(format_moves(record.moves) for record in records)
    moves = [record.moves for record in records]
    assert [record.moves for record in read(tmp_path, text).whole()] == moves
    assert [record.moves for record in read(tmp_path, with_passes).whole()] == moves


def test_games_from_elsewhere_cannot_be_written(tmp_path: Path) -> None:
    elsewhere = GameRecord(start=Board.start().play(19))
    with pytest.raises(RecordError, match="position"):
        write_games(tmp_path / "games.txt", [GameRecord(), elsewhere])
    assert not any(tmp_path.iterdir())


WHITE = Board.start().play(37)
ROWS = "\n".join(WHITE.cells()[8 * row : 8 * row + 8] for row in range(8))


@pytest.mark.parametrize("name", ["a.txt", "a.obf"])
@pytest.mark.parametrize(
    ("text", "boards"),
    [
        (f"{ROWS}\nO\n\n{ROWS}\nwhite to move\n", [WHITE, WHITE]),
        (f"{ROWS} O\n\n{WHITE.cells()} O\n{ROWS} O", [WHITE, WHITE, WHITE]),
        (f"{Board.start()}\n\n{WHITE}\n", [Board.start(), WHITE]),
        (f"{WHITE.cells()} O\nf5d6\n% x\n{ROWS}\nO", [WHITE, WHITE.play(43), WHITE]),
        (f"[8 {WHITE.cells()} O]\n# c\n; c\n\n{WHITE.cells()} O; c4:+2", [WHITE, WHITE]),
        ("f5d6 # good\nf5 % bad\n", [WHITE.play(43), WHITE]),
    ],
)
def test_positions_and_games_in_one_text(
    tmp_path: Path, text: str, boards: list[Board], name: str
) -> None:
    reading = read(tmp_path, text, name)
    assert [record.final for record in reading.records] == boards
    assert reading.left_out == []


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("# openings\n\nf5d6c4\nF5 D6 C3\n% more\nf5\n", ["f5 d6 c4", "f5 d6 c3", "f5"]),
        ("1. f5 d6 2. c3 d3 12-52\n1: f5\n2: d3\n", ["f5 d6 c3 d3", "f5", "d3"]),
        ("1\tf5\td6\t2\tc3\td3\t3\tc4\n", ["f5 d6 c3 d3 c4"]),
    ],
)
def test_a_game_has_a_line(tmp_path: Path, text: str, games: list[str]) -> None:
    reading = read(tmp_path, text)
    assert [format_moves(record.moves) for record in reading.records] == games
    assert reading.left_out == []


def test_lines_that_are_neither_are_left_out_and_numbered(tmp_path: Path) -> None:
    reading = read(tmp_path, f"Openings of mine\nf5d6\nf5f5\n{WHITE.cells()}\nd3\n")
    assert [str(one).split(":")[0] for one in reading.left_out] == ["line 1", "line 3", "line 4"]
    assert reading.numbers == [2, 5]
    assert "who is to move" in reading.left_out[2].reason


@pytest.mark.parametrize("text", ["GGS archive\n{}\n", "1 {}", "\n\n 2 {}{}\n", "Saio - Edax:\n{}"])
def test_texts_that_are_ggf_or_pgn(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text.replace("{}", "(;GM[Othello]PB[me]B[f5]W[d6];)")).records
    assert {record.black for record in found} == {"me"}
    (left,) = read(tmp_path, "f5d6\n(;GM[Othello]B[f5];)\n").left_out
    assert left.where == "line 2"
    assert read(tmp_path, '[Event "x"]\n[Black "me"]\n\n1. f5 d6 *\n').records[0].black == "me"


CELLS = Board.start().cells()


def test_obf_files_name_the_bad_line(tmp_path: Path) -> None:
    assert len(read(tmp_path, f"% comment\n\n{CELLS} X;\n{CELLS} O;\n", "x.obf").records) == 2
    (left,) = read(tmp_path, f"{CELLS} X;\nnonsense\n", "x.obf").left_out
    assert (left.number, left.where) == (2, "line 2")
    with pytest.raises(RecordError, match="2"):
        read_games(tmp_path / "x.obf", strict=True)
    with pytest.raises(RecordError, match="position"):
        read(tmp_path, "\n", "x.obf")


def test_positions_there_and_back(tmp_path: Path) -> None:
    boards = [random_record(seed).final for seed in range(5)] + [Board.start().play(19)]
    write_games(tmp_path / "a.obf", [GameRecord(start=board) for board in boards])
    assert [record.final for record in read_games(tmp_path / "a.obf").records] == boards


@pytest.mark.parametrize("ending", [".obf", ".txt", ".obf.gz"])
def test_rules_go_along(tmp_path: Path, ending: str) -> None:
    record = GameRecord((37, 43), rules="reversed")
    write_games(tmp_path / f"a{ending}", [record, record])
    again = read_games(tmp_path / f"a{ending}").records
    assert [(one.rules, one.final) for one in again] == [("reversed", record.final)] * 2
    with pytest.raises(RecordError, match="reversed"):
        read_games(tmp_path / f"a{ending}", "standard")
    assert read_games(tmp_path / f"a{ending}", "reversed").records[0].rules == "reversed"
    with pytest.raises(RecordError, match="rules"):
        write_games(tmp_path / f"b{ending}", [record, GameRecord()])


def test_rules_that_two_comments_say(tmp_path: Path) -> None:
    line = f"{format_obf(Board.start())}\n"
    found = read(tmp_path, f"% my ends\n% rules: reversed\n{line}", "a.obf")
    assert found.records[0].rules == "reversed"
    with pytest.raises(RecordError, match="reversed"):
        read(tmp_path, f"% rules: reversed\n{line}% rules: standard\n{line}", "a.obf")


def test_whole_games_in_wide_letters() -> None:
    moves = random_record(3).moves
    text = lines_text([GameRecord(moves)])
    wide = "".join(chr(ord(sign) + 0xFEE0) if sign.isalnum() else sign for sign in text)
    assert scan_text(wide).whole()[0].moves == scan_text(text).whole()[0].moves
