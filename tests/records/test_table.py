"""Games files of every kind, from one record to the same one."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import evolve
from evolve.errors import RecordError
from evolve.records.formats import read_games, write_games
from evolve.records.record import GameRecord
from evolve.records.table import games_frame, records_of_frame
from evolve.tables.games import GAMES_COLUMNS
from tests.records.test_ggf import random_record


@pytest.mark.parametrize("suffix", [".ggf", ".csv", ".parquet", ".txt"])
def test_there_and_back(tmp_path: Path, suffix: str) -> None:
    records = [random_record(seed) for seed in range(8)]
    path = tmp_path / f"games{suffix}"
    write_games(path, records)
    found = read_games(path).records
    assert [record.moves for record in found] == [record.moves for record in records]
    assert [record.winner for record in found] == [record.winner for record in records]
    if suffix != ".txt":
        assert [record.black for record in found] == ["a"] * 8


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


def test_the_frame_is_a_games_table() -> None:
    frame = games_frame([random_record(0)])
    assert tuple(frame.columns) == GAMES_COLUMNS.names
    assert frame["plies"].tolist() == [len(frame["moves"][0].split())]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.txt", "f5d6\nf5x9\n", ["line 2", "'x9'"]),
        ("a.txt", "f5f5\n", ["line 1", "move 2, f5"]),
        ("a.txt", "# nothing\n", ["no move string"]),
        ("a.csv", "black,white\nx,y\n", ["no column has moves"]),
        ("a.csv", "", ["a.csv"]),
        ("a.csv", "black,white,moves,winner,reason\nx,y,f5 f5,black,end\n", ["row 1", "f5"]),
        ("a.parquet", "no parquet", ["a.parquet"]),
        ("a.csv", "black,white,moves,winner,reason\nx,y,f5,black\n", ["row 1", "cut off"]),
        ("a.csv", "black,white,moves,winner,reason\nx,y,f5,red,end\n", ["row 1", "'red'"]),
        ("none/a.txt", None, ["No such file"]),
    ],
)
def test_damage_is_named(tmp_path: Path, name: str, text: str | None, words: list[str]) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError) as caught:
        read_games(path, strict=True)
    for word in words:
        assert word in str(caught.value)


def test_tables_of_something_else_and_flipped_bits(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    frame = games_frame([random_record(seed) for seed in range(3)])
    frame.assign(moves=[["f5"]] * 3).to_parquet(path)
    with pytest.raises(RecordError, match="row 1"):
        read_games(path)
    write_games(path, [random_record(seed) for seed in range(3)])
    whole = path.read_bytes()
    refused = 0
    for place in range(0, len(whole), 41):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            read_games(path)
        except RecordError as error:
            refused += "a.parquet" in str(error)
    assert refused > 40


def test_what_has_no_place_in_a_format(tmp_path: Path) -> None:
    board = evolve.Board.parse(evolve.Board.start().play(19).cells(), "white")
    for suffix in (".txt", ".csv"):
        with pytest.raises(RecordError, match="start position"):
            write_games(tmp_path / f"a{suffix}", [GameRecord(start=board)])
    with pytest.raises(RecordError, match="written as"):
        write_games(tmp_path / "a.wtb", [GameRecord()])
    assert list(tmp_path.iterdir()) == []


def test_games_tables_are_read_as_csv_with_empty_names(tmp_path: Path) -> None:
    frame = games_frame([random_record(0)]).assign(black="", white=None)
    pd.DataFrame(frame).to_csv(tmp_path / "a.csv", index=False)
    assert read_games(tmp_path / "a.csv").records[0].black == ""


def test_records_have_the_same_columns() -> None:
    record = GameRecord((19, 18), "a", "b", stopped="time", result=-3.0)
    frame = games_frame([record])
    assert tuple(frame) == GAMES_COLUMNS.names
    assert records_of_frame(frame, "standard")[0].winner == record.winner == "white"
    assert games_frame([]).shape == (0, len(GAMES_COLUMNS.names))


def test_a_table_that_is_no_games_table_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(RecordError, match=r"x\.parquet"):
        read_games(tmp_path / "x.parquet")
