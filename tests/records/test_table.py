"""Games files of every kind, from one record to the same one."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import evolve
from evolve.engine.board.squares import format_moves
from evolve.errors import RecordError
from evolve.records.formats import read_games, write_games
from evolve.records.positions import format_obf, start_board, start_text
from evolve.records.record import NO_REQUEST, GameRecord, Request
from evolve.records.table import games_frame, read_table
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.parquet import bytes_of
from tests.records import check_file_refused
from tests.records.test_ggf import random_record


def _read(frame: pd.DataFrame, request: Request = NO_REQUEST) -> list[GameRecord]:
    content = bytes_of(pa.Table.from_pandas(frame, preserve_index=False))
    return read_table(content, Path("a.parquet"), request).whole()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_stopped_games_keep_how_they_ended(tmp_path: Path, suffix: str) -> None:
    moves = random_record(0).moves[:10]
    records = [
        GameRecord(moves, result=4.0, stopped="resigned"),
        GameRecord(moves, result=-64.0, stopped="time"),
        GameRecord(moves),
        GameRecord(),
    ]
    path = tmp_path / f"games{suffix}"
    write_games(path, records)
    found = read_games(path).records
    assert [(record.winner, record.ending) for record in found] == [
        ("black", "resigned"),
        ("white", "time"),
        (None, "unfinished"),
        (None, "unfinished"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.txt", "f5d6\nf5x9\n", ["line 2", "'x9'"]),
        ("a.txt", "f5f5\n", ["line 1", "move 2, f5"]),
        ("a.txt", "# nothing\n", ["no move string"]),
        ("a.csv", "a,b\n1,2\n", ["no column could be the moves", "a, b"]),
        ("a.csv", "", ["no columns"]),
        (
            "a.csv", "moves 1,moves 2\nf5d6,f5f6\nd3,c4\n",
            ["moves 1 and moves 2", "name the one"],
        ),
        ("a.csv", "black,white,moves,winner,reason\nx,y,f5 f5,black,end\n", ["row 1", "f5"]),
        ("a.parquet", "no parquet", ["a.parquet"]),
        ("a.csv", "black,white,moves,winner,reason\nx,y,f5,black\n", ["row 1", "cut off"]),
        ("none/a.txt", None, ["there is no folder", "none"]),
    ],
)  # fmt: skip
def test_damage_is_named(tmp_path: Path, name: str, text: str | None, words: list[str]) -> None:
    check_file_refused(tmp_path / name, text, words)


def test_tables_of_something_else_and_flipped_bits(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = games_frame([random_record(seed) for seed in range(3)])
    frame.assign(moves=[["f5"]] * 3).to_parquet(path)
    with pytest.raises(RecordError, match="1"):
        read_games(path)
    write_games(path, [random_record(seed) for seed in range(3)])
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), 41):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        try:
            read_games(path)
        except RecordError as error:
            refused += "a.parquet" in str(error)
    assert refused > 40


def test_records_have_the_columns_of_a_games_table(tmp_path: Path) -> None:
    record = GameRecord((19, 18), "a", "b", stopped="time", result=-3.0)
    frame = games_frame([record])
    assert tuple(frame) == GAMES_COLUMNS.names
    assert frame["plies"].tolist() == [2]
    assert _read(frame, Request("standard"))[0].winner == record.winner == "white"
    assert games_frame([]).shape == (0, len(GAMES_COLUMNS.names))
    frame.assign(black="", white=None).to_csv(tmp_path / "a.csv", index=False)
    assert read_games(tmp_path / "a.csv").records[0].black == ""


@pytest.mark.parametrize("suffix", [".ggf", ".pgn", ".csv", ".parquet", ".json", ".txt"])
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_rules_go_along_in_every_format(tmp_path: Path, suffix: str, rules: str) -> None:
    records = [random_record(seed, rules) for seed in range(8)]
    path = tmp_path / f"games{suffix}"
    write_games(path, records)
    wanted = [(record.winner, rules) for record in records]
    found = [read_games(path).records, read_games(path, rules).records]  # type: ignore[arg-type]
    assert [[(record.winner, record.rules) for record in one] for one in found] == [wanted] * 2
    other = {"standard": "reversed", "reversed": "standard"}[rules]
    if rules == "reversed" or suffix != ".txt":
        with pytest.raises(RecordError, match=f"{rules}"):
            read_games(path, other)  # type: ignore[arg-type]
    if suffix != ".txt":
        write_games(path, [random_record(0, other), *records[:1]])
        assert [record.rules for record in read_games(path).records] == [other, rules]


def test_move_strings_say_nothing_of_the_usual_game_and_cannot_say_two(tmp_path: Path) -> None:
    write_games(tmp_path / "a.txt", [random_record(0)])
    assert "rules" not in (tmp_path / "a.txt").read_text()
    assert read_games(tmp_path / "a.txt", "reversed").records[0].rules == "reversed"
    both = [random_record(0), random_record(1, "reversed")]
    with pytest.raises(RecordError, match="reversed"):
        write_games(tmp_path / "b.txt", both)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_rules_and_winners_as_people_write_them(tmp_path: Path, suffix: str) -> None:
    records = [random_record(seed, "reversed") for seed in range(4)]
    frame = games_frame(records)
    frame["rules"] = ["Reversed", "REVERSED ", " reversed", "reversed"]
    frame["winner"] = frame["winner"].str.capitalize() + " "
    path = tmp_path / f"a{suffix}"
    write = {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".parquet": lambda: frame.to_parquet(path),
        ".json": lambda: frame.to_json(path, orient="records"),
    }[suffix]
    write()
    found = read_games(path).records
    assert [record.moves for record in found] == [record.moves for record in records]
    assert {record.rules for record in found} == {"reversed"}
    frame["rules"] = "anti"
    write()
    with pytest.raises(RecordError, match="'anti'"):
        read_games(path)


def test_winners_that_contradict_the_rules_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    draws = [record for record in map(random_record, range(300)) if record.winner == "draw"][:2]
    frame = games_frame([*draws, random_record(0, "reversed"), random_record(1, "reversed")])
    frame.drop(columns=["rules", "start"]).to_csv(path, index=False)  # as version 0.2 wrote it
    reading = read_games(path)
    assert reading.numbers == [1, 2]
    assert re.match("row 3: the result .* by standard rules; --rules", str(reading.left_out[0]))
    found = read_games(path, "reversed").records
    assert [record.winner for record in found] == frame["winner"].tolist()


def test_a_table_that_contradicts_itself() -> None:
    frame = games_frame([random_record(seed, "reversed") for seed in range(3)])
    for changes, words in (
        ({"rules": "standard"}, "row 1: the result "),
        ({"rules": "misere"}, "'misere'"),
        ({"rules": 3}, "row 1: rules 3 is not text"),
        ({"start": "X" * 60}, "row 1: start: "),
        ({"winner": "draw"}, "row 1: the result 1/2-1/2 contradicts .* by reversed rules"),
    ):
        with pytest.raises(RecordError, match=words):
            _read(frame.assign(**changes))
    with pytest.raises(RecordError, match="row 1: it says reversed rules, not standard"):
        _read(frame, Request("standard"))


CORNER = "X" + "-" * 26 + "OX" + "-" * 6 + "XO" + "-" * 27
STARTS = [
    evolve.Board.start(),
    evolve.Board.parse(evolve.Board.start().cells(), "white"),
    evolve.Board.parse(CORNER),
    evolve.Board.parse(evolve.Board.start().play(19).play(18).cells().translate({88: 79, 79: 88})),
]


def from_board(board: evolve.Board, seed: int) -> GameRecord:
    """A game of ten random moves from a board."""
    agent, moves, start = evolve.RandomAgent(seed), [], board
    for _ in range(10):
        moves.append(agent.choose(board) if board.legal_moves() else 64)
        board = board.pass_move() if moves[-1] == 64 else board.play(moves[-1])
    return GameRecord(tuple(moves), "a", "b", start=start)


@pytest.mark.parametrize("suffix", [".ggf", ".pgn", ".json.gz", ".csv", ".parquet"])
def test_games_that_begin_elsewhere(tmp_path: Path, suffix: str) -> None:
    records = [from_board(board, seed) for seed, board in enumerate(STARTS)]
    write_games(tmp_path / f"a{suffix}", records)
    found = read_games(tmp_path / f"a{suffix}").records
    assert [(one.start, one.moves, one.final) for one in found] == [
        (one.start, one.moves, one.final) for one in records
    ]
    assert found[0].final.moves == records[0].moves, "of the usual start the moves are known"
    assert found[1].final.moves is None


def test_positions_are_games_without_moves(tmp_path: Path) -> None:
    write_games(tmp_path / "a.obf", [GameRecord(start=board) for board in STARTS])
    found = read_games(tmp_path / "a.obf", "reversed").records
    assert [(one.start, one.moves, one.rules) for one in found] == [
        (board, (), "reversed") for board in STARTS
    ]


def test_a_start_as_text() -> None:
    assert [start_text(board) for board in STARTS] == [None, *map(format_obf, STARTS[1:])]
    assert [start_board(start_text(board)) for board in STARTS] == STARTS
    assert start_board(format_obf(STARTS[0])).moves == ()


GAMES = ["f5 d6 c3 d3 c4", "f5 f6 e6 f4", "d3 c3 c4 e3"]
DATA_SET = "eOTHELLO_game_ID,winner,game_moves\n1,1,f5d6c3d3c4\n2,-1,F5F6E6F4\n3,0,d3c3c4e3\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (DATA_SET, "utf-8"),
        (DATA_SET.upper(), "utf-8-sig"),
        (DATA_SET.replace(",", ";"), "utf-8"),
        (DATA_SET.replace(",", "\t"), "utf-8"),
        (DATA_SET.replace(",", "|"), "utf-8"),
        ("sep=;\n" + DATA_SET.replace(",", ";"), "latin-1"),
        (DATA_SET.replace("\n", "\r\n"), "utf-8"),
        (DATA_SET.rstrip(), "utf-8"),
        ("\n".join(line.split(",")[2] for line in DATA_SET.splitlines()), "utf-8"),
        ('n;Moves\n1;"f5, d6, c3, d3, c4"\n2;f5f6e6f4 12-52\n3;1. d3 c3 2. c4 e3', "utf-8"),
        ("moves,first_move\nf5d6c3d3c4,f5\nf5f6e6f4,f5\nd3c3c4e3,d3", "utf-8"),
    ],
)
def test_the_column_of_moves_is_found(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    reading = read_games(tmp_path / "a.csv")
    assert [format_moves(record.moves) for record in reading.records] == GAMES
    assert reading.left_out == []


def test_names_and_words_for_winners_are_taken(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Black;WHITE;Winner;Moves\nA;B;White;f5d6\nC;;?;f5\n")
    first, second = read_games(tmp_path / "a.csv").records
    assert (first.black, first.white, first.winner) == ("A", "B", "white")
    assert (second.black, second.white, second.winner) == ("C", "", None)


def test_bad_rows_cost_themselves(tmp_path: Path) -> None:
    text = f"{DATA_SET}4,1,f5f5\n5,1\n6,1,f5d6,x,y\n7,0,f5\n"
    (tmp_path / "a.csv").write_text(text)
    reading = read_games(tmp_path / "a.csv")
    assert reading.numbers == [1, 2, 3, 7]
    assert [one.where for one in reading.left_out] == ["row 4", "row 5", "row 6"]
    assert "no moves" in reading.left_out[1].reason
    assert "5 cells, where the head has 3" in reading.left_out[2].reason


def test_a_column_that_is_named_may_have_many_bad_games(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,Moves\n1,f5f5\n2,x\n3,f5d6\n4,\n")
    reading = read_games(tmp_path / "a.csv")
    assert (reading.numbers, reading.missing) == ([3], 3)


def test_json_and_parquet_of_others(tmp_path: Path) -> None:
    frame = pd.DataFrame({"ID": [1, 2, 3], "Moves_": [game.replace(" ", "") for game in GAMES]})
    frame.to_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.json").write_text(frame.to_json(orient="records"))
    assert not [
        name
        for name in ("a.parquet", "a.json")
        if [format_moves(record.moves) for record in read_games(tmp_path / name).records] != GAMES
    ]
    for text in ("{", '{"a": 1}', "[1, 2]", "[" * 99999):
        (tmp_path / "c.json").write_text(text)
        with pytest.raises(RecordError, match=r"c\.json"):
            read_games(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "id\tmoves\n1\tf5d6c3\n2\tf5d6c4\n"),
        ("a.json", '[{"Moves": "f5d6c3"}, {"Moves": "f5d6c4"}]'),
        ("a.csv", """id,moves\n1,"['f5', 'd6', 'c3']"\n2,"['f5', 'd6', 'c4']"\n"""),
    ],
)
def test_lists_and_lines(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_games(tmp_path / name).whole()
    assert [format_moves(record.moves) for record in found] == ["f5 d6 c3", "f5 d6 c4"]
