"""`evolve convert`: games and positions from one format to another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.records.obf import read_obf
from evolve.records.table import read_games
from tests.cli import done, fails, match, misused
from tests.cli.test_old_run import OLD
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
    boards = read_obf(Path("ends.obf"))
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


def winners(file: object) -> list[str | None]:
    return [record.winner for record in read_games(str(file))]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_games_of_a_run_say_their_rules(first: Path, suffix: str) -> None:
    done("show", first, "--table", "games", "-o", f"g{suffix}")
    frame = evolve.load_run(first).games
    assert set(frame["rules"]) == {"reversed"}
    assert frame["start"].isna().all()
    ended = frame["reason"] == "end"
    before = f"g{suffix}"
    for after in ("g.ggf", "again.csv", "again.txt", "last.parquet"):
        done("convert", before, "-o", after)
        found = np.array(winners(after))
        assert (found == frame["winner"])[ended].all(), after
        before = after
    said = fails("convert", f"g{suffix}", "-o", "x.ggf", "--rules", "standard")
    assert f"g{suffix}, row 1: it says reversed rules, not standard" in said
    assert not Path("x.ggf").exists()


def test_shown_as_json_or_for_people(first: Path) -> None:
    shown = done("show", first, "--table", "games", "--format", "json").document
    assert {row["rules"] for row in shown} == {"reversed"}
    assert {row["start"] for row in shown} == {None}
    head = done("show", first, "--table", "games").lines[0].split()
    assert ("rules" in head, "start" in head) == (True, False)


def test_games_of_a_run_of_version_0_1_say_its_rules() -> None:
    frame = evolve.load_run(OLD).games
    assert set(frame["rules"]) == {"reversed"}
    done("show", OLD, "--table", "games", "-o", "g.csv")
    for source in ("g.csv", OLD / "games" / "gen-0001.parquet", OLD / "games" / "playoff.parquet"):
        done("convert", source, "-o", "g.ggf")
        assert {record.rules for record in read_games("g.ggf")} == {"reversed"}


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_games_of_matches_and_ratings_say_their_rules(rules: str) -> None:
    words = ("--games", 6, "--rules", rules)
    found = match("random", "zero", *words, "--out", "m.csv", "--ggf", "m.ggf")
    done("rate", "random", "zero", *words, "--out", "rated")
    assert winners("m.csv") == winners("m.ggf")
    assert set(pd.read_csv("m.csv")["rules"]) == {rules}
    for source in ("m.csv", "m.ggf", "rated/games/pair-000-001.parquet"):
        done("convert", source, "-o", "again.ggf")
        assert {record.rules for record in read_games("again.ggf")} == {rules}
        assert winners("again.ggf") == winners(source)
    assert found["wins"] == sum(
        record.winner == ("black" if record.black == "random" else "white")
        for record in read_games("m.ggf")
    )


def test_move_strings_are_told_to_have_said_their_rules(first: Path) -> None:
    done("show", first, "--table", "games", "-o", "g.csv")
    assert "# rules: reversed" in done("convert", "g.csv", "-o", "g.txt").out
    assert Path("g.txt").read_text().startswith("# rules: reversed\n")
    assert "(reversed)" in done("replay", "g.txt", 2).lines[0]
    assert "it says reversed rules" in fails("convert", "g.txt", "-o", "x.csv", "--rules=standard")


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
    assert "--empties" in misused("convert", "a.txt", "-o", "a.obf")
    assert "--empties" in misused("convert", "a.txt", "-o", "a.csv", "--empties", 3)
    assert "SOURCE" in misused("convert", "-o", "a.csv")
