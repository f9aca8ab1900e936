"""Positions as OBF, there and back; what is none is named by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.errors import RecordError, RulesError
from evolve.records.formats import positions_of, read_games, write_games
from evolve.records.obf import format_obf
from evolve.records.positions import read_position
from evolve.records.record import GameRecord
from tests.records.test_ggf import random_record

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
