"""`evolve replay`."""

from __future__ import annotations

import os
import select
import sys
import time
from pathlib import Path

import pytest

import evolve
from evolve.engine.board.squares import parse_moves
from evolve.records.formats import write_games
from evolve.records.record import GameRecord
from tests import forks
from tests.cli import command, done, environment, fails, misused, read_terminal
from tests.records.test_ggf import random_record
from tests.records.test_wthor import database, game_bytes
from tests.waits import PATIENCE


def _final_discs(moves: str) -> tuple[int, int]:
    board = evolve.Board.start()
    for square in parse_moves(moves):
        board = board.pass_move() if square == 64 else board.play(square)
    return board.discs("black"), board.discs("white")


def test_replay_shows_the_game_of_the_table(first: Path) -> None:
    games = evolve.load_run(first).games
    for row in games.iloc[::17].to_dict("records"):
        assert _final_discs(row["moves"]) == (row["discs_black"], row["discs_white"])
        if row["kind"] == "playoff":
            continue
        game = f"{row['generation']}:{row['game']}"
        shown = done("replay", first, game)
        assert row["kind"] in shown.lines[0]
        assert f"black {row['black']}, white {row['white']}" in shown.lines[0]
        assert f"{row['discs_black']}–{row['discs_white']}" in shown.lines[-1]
        assert row["moves"] in done("replay", first, game, "--moves").lines
        assert shown.out.count("(opening)") == len(row["opening"].split())


def test_replay_says_who_won_and_why(first: Path) -> None:
    games = evolve.load_run(first).games
    row = games[games["winner"] != "draw"].iloc[0]
    last = done("replay", first, f"{row['generation']}:{row['game']}").lines[-1]
    assert last.endswith(f"{row['winner']} wins ({row['reason']})")


def test_every_game_can_be_named_and_replayed(first: Path) -> None:
    games = evolve.load_run(first).games
    assert not games.duplicated(["generation", "game"]).any()
    row = games[games["kind"] == "playoff"].iloc[0]
    shown = done("replay", first, f"{row['generation']}:{row['game']}")
    assert "playoff" in shown.lines[0]
    assert f"black {row['black']}, white {row['white']}" in shown.lines[0]


def test_replay_of_what_is_not_there(first: Path) -> None:
    assert "9999" in fails("replay", first, "0:9999")
    assert "0 to 2" in fails("replay", first, "9:0")
    for text in ("abc", "1:2:3", "", ":", "1:", "-1"):
        assert text in misused("replay", first, "--", text)


@pytest.mark.parametrize("suffix", ["ggf", "csv", "parquet", "txt"])
def test_games_of_files(suffix: str, tmp_path: Path) -> None:
    record = GameRecord(tuple(parse_moves("f5 d6 c3 d3 c4")), "one", "other")
    longer = GameRecord(tuple(parse_moves("f5 f6 e6 f4")), "a", "b")
    path = tmp_path / f"games.{suffix}"
    write_games(path, [record, longer])
    shown = done("replay", path)
    assert shown.lines[0].startswith("game 1 of games.")
    assert shown.out.count("a b c d e f g h") == 6
    assert "3. black c3" in shown.lines
    assert shown.lines[-1].startswith("3–6, not finished") or shown.lines[-1][0].isdigit()
    assert "f5f6e6f4" in done("replay", path, 2, "--moves").lines[1].replace(" ", "")
    assert "it has 1 to 2" in fails("replay", path, 3)
    assert "is not a game" in misused("replay", path, "x")


def test_wthor(tmp_path: Path) -> None:
    records = [random_record(seed) for seed in range(2)]
    (tmp_path / "x.wtb").write_bytes(database(*map(game_bytes, records)))
    shown = done("replay", tmp_path / "x.wtb", 2)
    assert shown.lines[0].startswith("game 2 of x.wtb: black player 12, white player 34")
    final = records[1].final
    assert shown.lines[-1].startswith(f"{final.discs('black')}–{final.discs('white')}")


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are others there")
def test_a_terminal_steps_forward_and_back(tmp_path: Path) -> None:
    import pty

    write_games(tmp_path / "g.ggf", [GameRecord(tuple(parse_moves("f5 d6 c3")))])
    here, there = pty.openpty()
    process = forks.start(
        command("replay", tmp_path / "g.ggf"),
        env=environment(COLUMNS="80", LINES="24", TERM="xterm"),
        stdin=there,
        stdout=there,
        stderr=there,
    )
    os.close(there)
    for keys, said in (
        (b"", b"the start"),
        (b"\x1b[C", b"1. black f5"),
        (b"  ", b"3. black c3"),
        (b"\x1b[D\x1b[D", b"1. black f5"),
        (b"G", b"3. black c3"),
        (b"g", b"the start"),
    ):
        os.write(here, keys)
        shown, end = b"", time.monotonic() + 60
        while said not in shown or b"q leaves" not in shown:
            assert time.monotonic() < end, shown
            if select.select([here], [], [], 0.5)[0]:
                shown += os.read(here, 65536)
    os.write(here, b"q")
    assert read_terminal(here)
    assert process.wait(PATIENCE) == 0
