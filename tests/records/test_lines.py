"""Games as move strings."""

from __future__ import annotations

from pathlib import Path

from evolve.records.table import read_games


def test_move_strings(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("# openings\n\nf5d6c4\nF5 D6 C3\n% more\nf5\n", encoding="utf-8")
    assert [record.moves for record in read_games(path)] == [(37, 43, 26), (37, 43, 18), (37,)]
