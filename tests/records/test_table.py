"""Games files of every kind, from one record to the same one."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from evolve.engine.board.squares import format_moves
from evolve.errors import RecordError
from evolve.records.formats import read_games, write_games
from evolve.records.record import NO_REQUEST, GameRecord, Request
from evolve.records.table import games_frame, read_table
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.parquet import bytes_of
from tests.records import check_file_refused
from tests.records.test_ggf import random_record


def _read(frame: pd.DataFrame, request: Request = NO_REQUEST) -> list[GameRecord]:
    content = bytes_of(pa.Table.from_pandas(frame, preserve_index=False))
    return read_table(content, Path("a.parquet"), request).whole()


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
        *(("c.json", text, ["c.json"]) for text in ("{", '{"a": 1}', "[1, 2]", "[" * 99999)),
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


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json"])
def test_rules_and_winners_as_people_write_them(tmp_path: Path, suffix: str) -> None:
    records = [random_record(seed, "reversed") for seed in range(4)]
    frame = games_frame(records)
    frame["rules"] = ["Reversed", "REVERSED ", " reversed", "reversed"]
    frame["winner"] = frame["winner"].str.capitalize() + " "
    path = tmp_path / f"a{suffix}"
    {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".parquet": lambda: frame.to_parquet(path),
        ".json": lambda: frame.to_json(path, orient="records"),
    }[suffix]()
    found = read_games(path).records
    assert [record.moves for record in found] == [record.moves for record in records]
    assert {record.rules for record in found} == {"reversed"}


def test_winners_that_contradict_the_rules_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    draws = random_record(8), random_record(17)
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


GAMES = ["f5 d6 c3 d3 c4", "f5 f6 e6 f4", "d3 c3 c4 e3"]
DATA_SET = "eOTHELLO_game_ID,winner,game_moves\n1,1,f5d6c3d3c4\n2,-1,F5F6E6F4\n3,0,d3c3c4e3\n"
OTHERS = pd.DataFrame({"ID": [1, 2, 3], "Moves_": [game.replace(" ", "") for game in GAMES]})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("a.csv", DATA_SET.replace(",", comma)) for comma in ",;\t|"),
        ("a.csv", "\ufeff" + DATA_SET.upper()),
        ("a.csv", "sep=;\n" + DATA_SET.replace(",", ";")),
        ("a.csv", DATA_SET.replace("\n", "\r\n")),
        ("a.csv", DATA_SET.rstrip()),
        ("a.csv", "\n".join(line.split(",")[2] for line in DATA_SET.splitlines())),
        ("a.csv", 'n;Moves\n1;"f5, d6, c3, d3, c4"\n2;f5f6e6f4 12-52\n3;1. d3 c3 2. c4 e3'),
        ("a.csv", "moves,first_move\nf5d6c3d3c4,f5\nf5f6e6f4,f5\nd3c3c4e3,d3"),
        ("a.csv", "moves\n" + "\n".join(f'"{game.split()}"' for game in GAMES)),
        ("a.tsv", DATA_SET.replace(",", "\t")),
        ("a.json", OTHERS.to_json(orient="records")),
        ("a.parquet", bytes_of(pa.Table.from_pandas(OTHERS))),
    ],
)
def test_the_column_of_moves_is_found(tmp_path: Path, name: str, text: str | bytes) -> None:
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    reading = read_games(tmp_path / name)
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
