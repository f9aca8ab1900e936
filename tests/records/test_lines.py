"""Games as move strings, there and back."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS
from evolve.engine.board.squares import format_moves, square_name
from evolve.errors import RecordError, RulesError
from evolve.records.formats import positions_of, read_games, write_games
from evolve.records.positions import format_obf, read_position
from evolve.records.record import GameRecord, Reading
from tests.records.test_ggf import random_record


def test_move_strings(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("# openings\n\nf5d6c4\nF5 D6 C3\n% more\nf5\n", encoding="utf-8")
    assert [record.moves for record in read_games(path).records] == [
        (37, 43, 26),
        (37, 43, 18),
        (37,),
    ]


def test_there_and_back_passes_left_out(tmp_path: Path) -> None:
    records = [random_record(seed) for seed in range(30)]
    assert any(PASS in record.moves for record in records)
    path = tmp_path / "games.txt"
    write_games(path, records)
    assert "pass" not in path.read_text(encoding="utf-8")
    assert [record.moves for record in read_games(path).records] == [
        record.moves for record in records
    ]


def test_passes_may_be_written(tmp_path: Path) -> None:
    record = next(record for record in map(random_record, range(50)) if PASS in record.moves)
    (tmp_path / "games.txt").write_text(format_moves(record.moves), encoding="utf-8")
    assert read_games(tmp_path / "games.txt").records[0].moves == record.moves


def test_games_from_elsewhere_cannot_be_written(tmp_path: Path) -> None:
    elsewhere = GameRecord(start=Board.start().play(19))
    with pytest.raises(RecordError, match="game 2 does not begin at the start position"):
        write_games(tmp_path / "games.txt", [GameRecord(), elsewhere])
    assert not any(tmp_path.iterdir())


def read(tmp_path: Path, text: str, name: str = "a.txt") -> Reading:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_games(tmp_path / name)


ROWS = "\n".join(Board.start().play(37).cells()[8 * row : 8 * row + 8] for row in range(8))
WHITE = Board.start().play(37)


@pytest.mark.parametrize(
    ("text", "boards"),
    [
        (f"{ROWS}\nO\n\n{ROWS}\nwhite to move\n", [WHITE, WHITE]),
        (f"{ROWS} O\n\n{WHITE.cells()} O\n{ROWS} O", [WHITE, WHITE, WHITE]),
        (f"white to move\n{ROWS}\nwhite to move\n{ROWS}", [WHITE, WHITE]),
        (f"{Board.start()}\n\n{WHITE}\n", [Board.start(), WHITE]),
        (f"{WHITE.cells()} O\nf5d6\n% x\n{ROWS}\nO", [WHITE, WHITE.play(43), WHITE]),
        (f"[8 {WHITE.cells()} O]\n# c\n; c\n\n{WHITE.cells()} O; c4:+2", [WHITE, WHITE]),
        ("f5d6 # good\nf5 % bad\n", [WHITE.play(43), WHITE]),
    ],
)
def test_positions_and_games_in_one_text(tmp_path: Path, text: str, boards: list[Board]) -> None:
    for name in ("a.txt", "a.obf"):
        reading = read(tmp_path, text, name)
        assert positions_of(reading) == boards
        assert reading.left_out == []


@pytest.mark.parametrize(
    ("text", "games"),
    [
        ("1. f5 d6\n2. c3 d3\n3. c4", ["f5 d6 c3 d3 c4"]),
        ("1. f5 d6 2. c3 d3\n3. c4 f4\n12-52\n", ["f5 d6 c3 d3 c4 f4"]),
        ("1. f5 d6\n2. c3 d3\n\n1. f5 d6\n2. c4 d3\n", ["f5 d6 c3 d3", "f5 d6 c4 d3"]),
        ("1: f5d6c3\n2: f5f6e6\n3: f5d6c4", ["f5 d6 c3", "f5 f6 e6", "f5 d6 c4"]),
        ("1. f5\n2. d3\n3. c4\n", ["f5", "d3", "c4"]),
        ("1: f5\n2: d6\n3: c3\n", ["f5 d6 c3"]),
        ("f5\nD6\nc3\nd3\n\nd3\nc3\n", ["f5 d6 c3 d3", "d3 c3"]),
        ("f5\nd3\nc4\n", ["f5", "d3", "c4"]),
        ("1\tf5\td6\n2\tc3\td3\n3\tc4\n", ["f5 d6 c3 d3 c4"]),
    ],
)
def test_numbers_of_moves_and_of_games(tmp_path: Path, text: str, games: list[str]) -> None:
    reading = read(tmp_path, text)
    assert [format_moves(record.moves) for record in reading.records] == games
    assert reading.left_out == []


def test_what_could_be_one_game_or_several_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"line 1: the 2 lines .* can be one game or"):
        read(tmp_path, "1. f5 f6\n2. e6 f4\n")


def test_texts_that_are_pgn_or_ggf(tmp_path: Path) -> None:
    assert read(tmp_path, '[Event "x"]\n[Black "me"]\n\n1. f5 d6 *\n').records[0].black == "me"
    assert read(tmp_path, "\n(;GM[Othello]PB[me]B[f5]W[d6];)").records[0].black == "me"


def test_lines_that_are_neither_are_left_out_and_numbered(tmp_path: Path) -> None:
    reading = read(tmp_path, f"Openings of mine\nf5d6\nf5f5\n{WHITE.cells()}\nd3\n")
    assert [str(one).split(":")[0] for one in reading.left_out] == ["line 1", "line 3", "line 4"]
    assert reading.numbers == [2, 5]
    assert "who is to move" in reading.left_out[2].reason


@pytest.mark.parametrize("width", [1, 7, 20, 31])
@pytest.mark.parametrize("blank", ["", " "])
def test_a_game_that_is_wrapped_is_joined(tmp_path: Path, width: int, blank: str) -> None:
    records = [random_record(1), random_record(2)]
    names = [[square_name(s) for s in record.moves if s != PASS] for record in records]
    wrapped = [
        "\n".join(blank.join(one[n : n + width]) for n in range(0, len(one), width))
        for one in names
    ]
    for between in ("\n", "\n\n") if width > 1 else ("\n\n",):
        reading = read(tmp_path, between.join(wrapped))
        assert [record.moves for record in reading.records] == [one.moves for one in records]
        assert reading.left_out == []


def test_a_line_that_is_no_game_and_goes_on_with_none_is_left_out(tmp_path: Path) -> None:
    whole = "".join(square_name(s) for s in random_record(1).moves)
    for text in (f"{whole}\nc2c3\n", "f5d6c3\n\nd3c4f4\n", f"f5d6c3 32-32\nd3c4\n{whole}\n"):
        (left,) = read(tmp_path, text).left_out
        assert "is not a" in left.reason


@pytest.mark.parametrize("text", ["GGS archive\n{}\n", "1 {}", "\n\n 2 {}{}\n", "Saio - Edax:\n{}"])
def test_texts_before_a_game_of_ggf(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text.replace("{}", "(;GM[Othello]PB[me]B[f5]W[d6];)")).records
    assert {record.black for record in found} == {"me"}
    (left,) = read(tmp_path, "f5d6\n(;GM[Othello]B[f5];)\n").left_out
    assert left.where == "line 2"


CELLS = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27


def test_lines() -> None:
    assert read_position(f"{CELLS} X; d3:+2") == evolve.Board.start()
    assert read_position(f"{CELLS} O").side == "white"
    for bad in (CELLS, f"{CELLS[:-1]} X", f"{CELLS} Z", "?" * 64 + " X"):
        with pytest.raises(RecordError):
            read_position(bad)


def test_obf_files_name_the_bad_line(tmp_path: Path) -> None:
    path = tmp_path / "x.obf"
    path.write_text(f"% comment\n\n{CELLS} X;\n{CELLS} O;\n")
    assert len(read_games(path).records) == 2
    path.write_text(f"{CELLS} X;\nnonsense\n")
    (left,) = read_games(path).left_out
    assert (left.number, left.where) == (2, "line 2")
    with pytest.raises(RecordError, match="line 2"):
        read_games(path, strict=True)
    path.write_text("\n")
    with pytest.raises(RecordError, match="no position"):
        read_games(path)
    with pytest.raises(RecordError, match="No such file"):
        read_games(path.with_name("missing.obf"))


def test_there_and_back(tmp_path: Path) -> None:
    boards = [random_record(seed).final for seed in range(5)] + [evolve.Board.start().play(19)]
    write_games(tmp_path / "a.obf", [GameRecord(start=board) for board in boards])
    assert positions_of(read_games(tmp_path / "a.obf")) == boards
    assert read_position(format_obf(boards[-1])).side == "white"


@pytest.mark.parametrize("ending", [".obf", ".txt", ".obf.gz"])
def test_rules_go_along(tmp_path: Path, ending: str) -> None:
    record = GameRecord((37, 43), rules="reversed")
    write_games(tmp_path / f"a{ending}", [record, record])
    again = read_games(tmp_path / f"a{ending}").records
    assert [(one.rules, one.final) for one in again] == [("reversed", record.final)] * 2
    with pytest.raises(RulesError, match="it says reversed rules, not standard"):
        read_games(tmp_path / f"a{ending}", "standard")
    assert read_games(tmp_path / f"a{ending}", "reversed").records[0].rules == "reversed"
    with pytest.raises(RecordError, match="cannot say of which rules"):
        write_games(tmp_path / f"b{ending}", [record, GameRecord()])


def test_rules_that_two_comments_say(tmp_path: Path) -> None:
    path = tmp_path / "a.obf"
    line = f"{CELLS} X;\n"
    path.write_text(f"% my ends\n% rules: reversed\n{line}")
    assert read_games(path).records[0].rules == "reversed"
    path.write_text(f"% rules: reversed\n{line}% rules: standard\n{line}")
    with pytest.raises(RulesError, match="one comment says the rules are reversed and another"):
        read_games(path)
