"""`evolve replay`."""

from __future__ import annotations

from pathlib import Path

import evolve
from evolve.engine.squares import parse_moves
from tests.cli import (
    done,
    fails,
    misused,
)


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
