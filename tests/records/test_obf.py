"""Positions as OBF, there and back; what is none is named by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.errors import RecordError
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
