"""PGN: what collections hold is read, what we write is read again, damage costs one game."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS
from evolve.engine.board.squares import format_moves, parse_moves, square_name
from evolve.errors import RecordError
from evolve.records.formats import read_games
from evolve.records.ggf import scan_trees
from evolve.records.positions import format_obf
from evolve.records.record import GameRecord, Reading, play_moves
from evolve.records.texts import lines_text, scan_pgn, scan_text
from tests.records.test_ggf import random_record

HEAD = '[Event "Open"]\n[Site "Kyoto"]\n[Black "Saio \\"1\\""]\n[White "?"]\n[Date "2004.??.??"]\n'


@pytest.mark.parametrize("end", ["\n", "\n\n", "", "\r\n"])
@pytest.mark.parametrize(
    ("text", "moves", "winner"),
    [
        ("1. f5 d6 2. c3 d3 3. c4 *", "f5 d6 c3 d3 c4", None),
        ("1. F5 {a comment (x)} D6 2. C3 36-28", "f5 d6 c3", "black"),
        ("1.f5 d6 2.c3 0-1", "f5 d6 c3", "white"),
        ("1. f5 1... d6 2. c3! $3 (2. c4 c3 (2... d3) 3. d3) d3 1/2-1/2", "f5 d6 c3 d3", "draw"),
        ("1. f5 ; the usual one\n% engine x\n1... d6 12-52", "f5 d6", "white"),
        ("f5 d6 c3", "f5 d6 c3", None),
    ],
)
def test_moves_with_all_between_them(text: str, moves: str, winner: str | None, end: str) -> None:
    (record,) = scan_pgn(f"{HEAD}\n{text}{end}").whole()
    assert format_moves(record.moves) == moves
    assert (record.winner, record.ending) == (winner, "unfinished")
    assert (record.black, record.white, record.site) == ('Saio "1"', "", "Kyoto")
    assert (record.date, record.event) == ("2004.??.??", "Open")


@pytest.mark.parametrize(
    ("tag", "behind", "score"),
    [
        ("36-28", "1. f5 d6", 8.0), ("1-0", "1. f5 d6", 64.0), ("*", "1. f5 d6", None),
        ("36-28", "1. f5 d6 1-0", 8.0), ("1-0", "1. f5 d6 36-28", 8.0), ("28-36", "28-36", -8.0),
    ],
)  # fmt: skip
def test_the_result_of_a_tag(tag: str, behind: str, score: float | None) -> None:
    (record,) = scan_pgn(f'{HEAD}[Result "{tag}"]\n\n{behind}\n').whole()
    assert (len(record.moves), record.score) == (2 * ("f5" in behind), score)


def test_a_bad_game_costs_itself() -> None:
    good, bad = f"{HEAD}\n1. f5 d6 *\n\n", f"{HEAD}\n1. f5 f5 *\n\n"
    reading = scan_pgn(good + bad + good + '[Variant "Grand"]\n\n1. f5\n\n' + good)
    assert reading.numbers == [1, 3, 5]
    assert [(one.number, one.where) for one in reading.left_out] == [
        (2, "line 9, game 2"), (4, "line 25, game 4"),
    ]  # fmt: skip
    assert "move 2, f5" in reading.left_out[0].reason
    (left,) = scan_pgn(f'{HEAD}[FEN "8/8/8/3wb3/3bw3/8/8/4b3 b"]\n\n1. f5 *').left_out
    assert "a board has 64 cells" in left.reason
    assert "Grand" in reading.left_out[1].reason.title()
    with pytest.raises(RecordError, match="PGN"):
        scan_pgn("\n\n")


SGF_HEAD = "(;GM[2]FF[4]SZ[8]"


@pytest.mark.parametrize(
    "text",
    [
        f"{SGF_HEAD}PB[Ann]PW[Bob];B[f5];W[d6];B[c3])",
        f"{SGF_HEAD}\nAB[e4][d5]\nAW[d4][e5]\nPL[B]PB[Ann]PW[Bob]\n;B[F5]\n;W[D6]\n;B[C3]\n)\n",
        f"{SGF_HEAD}PB[Ann]PW[Bob];B[fe];W[df]C[better \\] (;B[a1\\])];B[cc])",
        f"{SGF_HEAD}PB[Ann]PW[Bob](;B[f5](;W[d6];B[c3])(;W[f6]))(;B[d3]))",
        "( ; FF[4] GM[2] PB[Ann] PW[Bob] ; B[f5] ; W[d6] ; B[c3] )",
    ],
)
@pytest.mark.parametrize("name", ["a.sgf", "a.ggf", "a.txt"])
def test_the_main_line_is_read(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / name).write_text(f"{text}\n{text}", encoding="utf-8")
    records = read_games(tmp_path / name).whole()
    found = [(record.black, record.white, record.moves, record.start) for record in records]
    assert found == [("Ann", "Bob", (37, 43, 18), Board.start())] * 2


@pytest.mark.parametrize("passed", ["", "tt", "pass", None])
def test_passes_are_written_or_left_out(passed: str | None) -> None:
    record = next(one for one in map(random_record, range(60)) if PASS in one.moves)
    nodes = "".join(
        f";{'BW'[ply % 2]}[{passed if square == PASS else square_name(square)}]"
        for ply, square in enumerate(record.moves)
        if square != PASS or passed is not None
    )
    (found,) = scan_trees(f"{SGF_HEAD}{nodes})").whole()
    assert found.moves == record.moves


@pytest.mark.parametrize(
    ("text", "score", "ending"),
    [
        ("B+12", 12.0, "unfinished"), ("W+R", -64.0, "resigned"), ("B+Time", 64.0, "time"),
        ("0", 0.0, "unfinished"), ("Draw", 0.0, "unfinished"), ("?", None, "unfinished"),
        ("W+4.0", -4.0, "unfinished"),
    ],
)  # fmt: skip
def test_results(text: str, score: float | None, ending: str) -> None:
    (record,) = scan_trees(f"{SGF_HEAD}RE[{text}];B[f5])").whole()
    assert (record.score, record.ending) == (score, ending)


def test_games_from_elsewhere() -> None:
    for mover in ("PL[W]", ""):
        text = f"{SGF_HEAD}AB[d4][e4][e5][d5][f5]{mover}AW[d6];W[c5])"
        with pytest.raises(RecordError, match="c5"):
            scan_trees(text).whole()
    (record,) = scan_trees(f"{SGF_HEAD}AB[e4][d5][e5][f5]AW[d4];W[f6])").whole()
    assert record.start == Board.start().play(37)
    assert record.moves == (45,)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("(;GM[1]FF[4]SZ[19];B[pd])", "GM[1] is not Othello"),
        ("(;GM[2]SZ[10];B[f5])", "SZ[10]"),
        (f"{SGF_HEAD};B[f5];W[f5])", "move 2, f5"),
        (f"{SGF_HEAD};B[f5];B[d6])", "move 2, d6"),
        (f"{SGF_HEAD};B[f5];W[zz])", "'zz'"),
        (f"{SGF_HEAD};B[f5]AW[a1])", "AW[a1] changes the board"),
        (f"{SGF_HEAD}AB[e4]AW[e4];B[f5])", "two discs on one square"),
        (f"{SGF_HEAD};B[f5];W[d6", "cut off"),
        (f"{SGF_HEAD};B[f5] W d6)", "damaged"),
        (f"{SGF_HEAD};B[f5];W[d6]", "cut off"),
    ],
)
def test_a_bad_sgf_game_costs_itself(game: str, words: str) -> None:
    good = f"{SGF_HEAD};B[f5])"
    reading = scan_trees(f"{good}\n{game}\n{good}\n")
    (left,) = reading.left_out
    assert left.where == "line 2, game 2"
    assert words in left.reason
    assert len(reading.records) == 2


def test_escapes_keep_values_together() -> None:
    (game,) = scan_trees("(;GM[2]PB[a\\]RE[0\\\nb]PW[c\\\\];B[f5])").whole()
    assert (game.black, game.white) == ("a]RE[0\nb", "c\\")


def read(tmp_path: Path, text: str, name: str = "a.txt") -> Reading:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_games(tmp_path / name)


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
        *(
            (text, [play_moves(Board.start(), parse_moves(game)) for game in games.split()])
            for text, games in (
                ("# openings\n\nf5d6c4\nF5 D6 C3\n% more\nf5\n", "f5d6c4 f5d6c3 f5"),
                ("1. f5 d6 2. c3 d3 12-52\n1: f5\n2: d3\n", "f5d6c3d3 f5 d3"),
                ("1\tf5\td6\t2\tc3\td3\t3\tc4\n", "f5d6c3d3c4"),
            )
        ),
    ],
)
def test_positions_beside_games(tmp_path: Path, text: str, boards: list[Board], name: str) -> None:
    reading = read(tmp_path, text, name)
    assert [record.final for record in reading.records] == boards
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
