"""WTHOR databases, as their description says."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from evolve.records.formats import read_games
from evolve.records.record import GameRecord
from evolve.records.table import games_frame
from tests.records import check_file_refused
from tests.records.test_ggf import random_record


def game_bytes(record: GameRecord, black_discs: int | None = None) -> bytes:
    codes = [10 * (s // 8 + 1) + s % 8 + 1 for s in record.moves if s != 64]
    discs = record.final.discs("black") if black_discs is None else black_discs
    if black_discs is None and record.winner == "black":
        discs += record.final.empties
    return struct.pack("<3H2B60s", 7, 12, 34, discs, 32, bytes(codes))


def database(*games: bytes, size: int = 8, kind: int = 0, count: int | None = None) -> bytes:
    number = len(games) if count is None else count
    return struct.pack("<4BiHH4B", 20, 4, 2, 29, number, 0, 2003, size, kind, 22, 0) + b"".join(
        games
    )


def test_games_are_read_with_their_passes(tmp_path: Path) -> None:
    records = [random_record(seed) for seed in range(20)]
    assert any(64 in record.moves for record in records)
    (tmp_path / "x.wtb").write_bytes(database(*map(game_bytes, records)))
    found = read_games(tmp_path / "x.wtb").records
    assert [record.moves for record in found] == [record.moves for record in records]
    assert [record.winner for record in found] == [record.winner for record in records]
    assert (found[0].black, found[0].white) == ("player 12", "player 34")
    assert (found[0].site, found[0].date) == ("tournament 7", "2003")
    frame = games_frame(found)
    assert list(frame["reason"].unique()) == ["end"]
    assert frame["discs_black"].tolist() == [record.final.discs("black") for record in records]


def test_a_game_that_stopped_counts_by_its_discs(tmp_path: Path) -> None:
    whole = random_record(1)
    stopped = GameRecord(whole.moves[:20])
    (tmp_path / "x.wtb").write_bytes(database(game_bytes(stopped, 20), size=0))
    (found,) = read_games(tmp_path / "x.wtb").records
    assert len(found.moves) == 20
    assert (found.ending, found.winner, found.score) == ("unfinished", "white", -24.0)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", ["0 bytes"]),
        (b"x" * 15, ["15 bytes"]),
        (database(size=10), ["byte 12", "size 10"]),
        (database(kind=1), ["byte 13", "solitaires"]),
        (database(game_bytes(random_record(0)))[:-1], ["83 bytes", "need 84"]),
        (database(game_bytes(random_record(0)), count=2), ["84 bytes", "need 152"]),
        (database(count=-1), ["-1 games"]),
        (
            database(game_bytes(random_record(0)), struct.pack("<3H2B60s", 0, 0, 0, 0, 0, b"\x63")),
            ["game 2 at byte 84", "move 1 is 99 (byte 92)"],
        ),
        (database(struct.pack("<3H2B60s", 0, 0, 0, 0, 0, b"\x0b")), ["move 1, a1", "not a legal"]),
        (database(struct.pack("<3H2B60s", 0, 0, 0, 65, 0, b"")), ["65 discs (byte 22)"]),
        (database(struct.pack("<3H2B60s", 0, 0, 0, 0, 0, b"\x00\x38")), ["move 1 is 0 (byte 24)"]),
    ],
)
def test_damage_is_named(tmp_path: Path, data: bytes, words: list[str]) -> None:
    check_file_refused(tmp_path / "bad.wtb", data, words)
