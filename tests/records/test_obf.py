"""Positions as OBF, there and back; what is none is named by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.errors import EvolveError, RecordError
from evolve.records.obf import format_obf, parse_obf, read_obf, write_obf
from tests.records.test_ggf import random_record


def test_lines() -> None:
    cells = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
    assert parse_obf(f"{cells} X; d3:+2") == evolve.Board.start()
    assert parse_obf(f"{cells} O").side == "white"
    for bad in (cells, f"{cells[:-1]} X", f"{cells} Z", "?" * 64 + " X"):
        with pytest.raises(RecordError):
            parse_obf(bad)


def test_obf_files_name_the_bad_line(tmp_path: Path) -> None:
    path = tmp_path / "x.obf"
    cells = "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27
    path.write_text(f"% comment\n\n{cells} X;\n{cells} O;\n")
    assert len(read_obf(path)) == 2
    path.write_text(f"{cells} X;\nnonsense\n")
    with pytest.raises(RecordError, match="line 2"):
        read_obf(path)
    path.write_text("\n")
    with pytest.raises(RecordError, match="no position"):
        read_obf(path)
    with pytest.raises(EvolveError):
        read_obf(path.with_name("missing"))


def test_there_and_back(tmp_path: Path) -> None:
    boards = [random_record(seed).final for seed in range(5)] + [evolve.Board.start().play(19)]
    write_obf(tmp_path / "a.obf", boards)
    assert read_obf(tmp_path / "a.obf") == boards
    assert parse_obf(format_obf(boards[-1])).side == "white"
