"""`evolve convert`: games and positions from one format to another."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from evolve.records.formats import positions_of, read_games
from tests.cli import done, fails, misused
from tests.records.test_ggf import random_record
from tests.records.test_wthor import database, game_bytes


def test_through_every_format_and_back() -> None:
    records = [random_record(seed) for seed in range(6)]
    Path("a.wtb").write_bytes(database(*map(game_bytes, records)))
    for before, after in (("a.wtb", "b.ggf"), ("b.ggf", "c.parquet"), ("c.parquet", "d.txt")):
        assert done("convert", before, "-o", after).out == f"6 games → {after}\n"
    done("convert", "d.txt", "-o", "e.csv")
    moves = [" ".join(str(m).split()) for m in pd.read_csv("e.csv")["moves"]]
    assert moves == pd.read_parquet("c.parquet")["moves"].tolist()


def test_positions() -> None:
    Path("a.wtb").write_bytes(database(*(game_bytes(random_record(s)) for s in range(9))))
    done("convert", "a.wtb", "--empties", 10, "-o", "ends.obf")
    boards = positions_of(read_games("ends.obf"))
    assert {board.empties for board in boards} == {10}
    assert len(boards) == 9
    found = done("solve", "ends.obf", "--json").document
    assert len(found["positions"]) == 9


def test_games_of_a_run_keep_their_winners(first: Path) -> None:
    done("show", first, "--table", "games", "--format", "csv", "-o", "games.csv")
    done("convert", "games.csv", "--rules", "reversed", "-o", "again.csv")
    before, after = pd.read_csv("games.csv"), pd.read_csv("again.csv")
    ended = before["reason"] == "end"
    assert (before["winner"] == after["winner"]).all()
    assert (before["discs_black"] == after["discs_black"])[ended].all()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("none.ggf", "-o", "a.csv"), "none.ggf"),
        (("a.txt", "-o", "a.wtb"), "written as"),
        (("a.txt", "-o", "nowhere/a.csv"), "nowhere"),
    ],
)
def test_what_cannot_be(arguments: tuple[str, ...], word: str) -> None:
    Path("a.txt").write_text("f5d6\n")
    assert word in fails("convert", *arguments)


def test_wrong_use() -> None:
    Path("a.txt").write_text("f5d6\n")
    assert "--empties" in misused("convert", "a.txt", "-o", "a.csv", "--empties", 3)
    assert "SOURCE" in misused("convert", "-o", "a.csv")
