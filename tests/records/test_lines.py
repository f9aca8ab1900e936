"""Games as move strings, there and back."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.engine.board import Board
from evolve.engine.rules import PASS
from evolve.engine.squares import format_moves
from evolve.errors import RecordError
from evolve.records.formats import read_games, write_games
from evolve.records.record import GameRecord
from tests.records.test_ggf import random_record


def test_move_strings(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("# openings\n\nf5d6c4\nF5 D6 C3\n% more\nf5\n", encoding="utf-8")
    assert [record.moves for record in read_games(path).records] == [
        (37, 43, 26),
        (37, 43, 18),
        (37,),
    ]


def test_there_and_back_passes_left_out(tmp_path: Path) -> None:
    records = [random_record(seed) for seed in range(30)]
    assert any(PASS in record.moves for record in records)
    path = tmp_path / "games.txt"
    write_games(path, records)
    assert "pass" not in path.read_text(encoding="utf-8")
    assert [record.moves for record in read_games(path).records] == [
        record.moves for record in records
    ]


def test_passes_may_be_written(tmp_path: Path) -> None:
    record = next(record for record in map(random_record, range(50)) if PASS in record.moves)
    (tmp_path / "games.txt").write_text(format_moves(record.moves), encoding="utf-8")
    assert read_games(tmp_path / "games.txt").records[0].moves == record.moves


def test_games_from_elsewhere_cannot_be_written(tmp_path: Path) -> None:
    elsewhere = GameRecord(start=Board.start().play(19))
    with pytest.raises(RecordError, match="game 2 does not begin at the start position"):
        write_games(tmp_path / "games.txt", [GameRecord(), elsewhere])
    assert not any(tmp_path.iterdir())
