"""Tables of sites and data sets: the moves are found by what they are."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from evolve.engine.squares import format_moves
from evolve.errors import RecordError, RulesError
from evolve.records.formats import read_games
from tests.records.test_ggf import random_record

GAMES = ["f5 d6 c3 d3 c4", "f5 f6 e6 f4", "d3 c3 c4 e3"]
DATA_SET = "eOTHELLO_game_ID,winner,game_moves\n1,1,f5d6c3d3c4\n2,-1,F5F6E6F4\n3,0,d3c3c4e3\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (DATA_SET, "utf-8"),
        (DATA_SET.upper(), "utf-8-sig"),
        (DATA_SET.replace(",", ";"), "utf-8"),
        (DATA_SET.replace(",", "\t"), "utf-16"),
        (DATA_SET.replace(",", "|"), "utf-16-le"),
        ("sep=;\n" + DATA_SET.replace(",", ";"), "latin-1"),
        (DATA_SET.replace("\n", "\r\n"), "utf-8"),
        (DATA_SET.rstrip(), "utf-8"),
        ("\n".join(line.split(",")[2] for line in DATA_SET.splitlines()), "utf-8"),
        ("\n".join(line.split(",")[2] for line in DATA_SET.splitlines()[1:]), "utf-8"),
        ("\n".join(DATA_SET.splitlines()[1:]), "utf-8"),
        ('n;Partie\n1;"f5, d6, c3, d3, c4"\n2;f5f6e6f4 12-52\n3;1. d3 c3 2. c4 e3', "utf-8"),
        ("moves,opening\nf5d6c3d3c4,f5d6\nf5f6e6f4,f5f6\nd3c3c4e3,d3c3", "utf-8"),
    ],
)
def test_the_column_of_moves_is_found(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    reading = read_games(tmp_path / "a.csv")
    assert [format_moves(record.moves) for record in reading.records] == GAMES
    assert reading.left_out == []


def test_names_and_words_for_winners_are_taken(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Black player;WHITE;Winner;Record\nA;B;White;f5d6\nC;;?;f5\n")
    first, second = read_games(tmp_path / "a.csv").records
    assert (first.black, first.white, first.winner) == ("A", "B", "white")
    assert (second.black, second.white, second.winner) == ("C", "", None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", ["no column has moves", "a, b"]),
        ("", ["no columns"]),
        ("first,second\nf5d6,f5f6\nd3,c4\n", ["first and second", "keep one"]),
    ],
)
def test_tables_without_a_column_of_moves(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(RecordError) as caught:
        read_games(tmp_path / "a.csv")
    for word in ["a.csv", *words]:
        assert word in str(caught.value)


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
    (tmp_path / "b.json").write_text(json.dumps(GAMES))
    for name in ("a.parquet", "a.json", "b.json"):
        found = read_games(tmp_path / name).records
        assert [format_moves(record.moves) for record in found] == GAMES
    for text in ("{", '{"a": 1}', "[1, 2]", "[" * 99999):
        (tmp_path / "c.json").write_text(text)
        with pytest.raises(RecordError, match=r"c\.json is not (JSON|a table)"):
            read_games(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "id\tmoves\n1\tf5d6c3\n2\tf5d6c4\n"),
        ("a.jsonl", '{"moves": "f5d6c3"}\n{"moves": "f5d6c4"}\n'),
        ("b.jsonl", '["f5", "d6", "c3"]\r\n["f5", "d6", "c4"]'),
        ("a.json", '[{"g": ["f5", "d6", "c3"]}, {"g": ["f5", "d6", "c4"]}]'),
        ("b.json", '[["f5", "d6", "c3"], ["f5", "d6", "c4"]]'),
        ("a.csv", """id,moves\n1,"['f5', 'd6', 'c3']"\n2,"['f5', 'd6', 'c4']"\n"""),
    ],
)
def test_lists_and_lines(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_games(tmp_path / name).whole()
    assert [format_moves(record.moves) for record in found] == ["f5 d6 c3", "f5 d6 c4"]


def test_a_bad_line_of_json_costs_itself(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"moves": "f5"}\n{"moves"\n7\n{"moves": "d3"}\n')
    reading = read_games(tmp_path / "a.jsonl")
    assert [one.where for one in reading.left_out] == ["row 2", "row 3"]
    assert len(reading.records) == 2


@pytest.mark.parametrize("moves", ["f5,d6", "f5,d6,f5,f6", "f5,pass"])
def test_a_move_in_each_row_is_no_game(tmp_path: Path, moves: str) -> None:
    rows = "".join(f"1,{ply},{move}\n" for ply, move in enumerate(moves.split(",")))
    (tmp_path / "a.csv").write_text(f"game,ply,move\n{rows}")
    with pytest.raises(RecordError, match="the column move has one move in each row"):
        read_games(tmp_path / "a.csv")


@pytest.mark.parametrize(("black", "white", "draw"), [("black", "white", "draw"), (1, -1, 0)])
def test_winners_of_tables_of_others_are_checked(
    tmp_path: Path, black: object, white: object, draw: object
) -> None:
    records = [random_record(seed) for seed in range(6)]
    words = {"black": black, "white": white, "draw": draw}
    turned = {"black": white, "white": black, "draw": draw}

    def write(*names: dict[str, object]) -> Path:
        rows = [
            f"{name[record.winner or 'draw']},{format_moves(record.moves).replace(' ', '')}\n"
            for name, record in zip(names, records, strict=True)
        ]
        (tmp_path / "a.csv").write_text(f"winner,game_moves\n{''.join(rows)}")
        return tmp_path / "a.csv"

    assert len(read_games(write(*[words] * 6)).whole()) == 6
    (left,) = read_games(write(*[words] * 5, turned)).left_out
    assert (left.where, "by standard rules it is" in left.reason) == ("row 6", True)
    with pytest.raises(RulesError, match=r"row 1: the winner is .* add --rules reversed"):
        read_games(write(*[turned] * 6))
    assert len(read_games(tmp_path / "a.csv", "reversed").whole()) == 6
