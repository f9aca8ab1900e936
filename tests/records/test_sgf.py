"""SGF as programs write games of Othello in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS
from evolve.engine.board.squares import square_name
from evolve.errors import RecordError
from evolve.records.formats import read_games
from evolve.records.ggf import scan_trees
from tests.records.test_ggf import random_record

HEAD = "(;GM[2]FF[4]SZ[8]"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}PB[Ann]PW[Bob];B[f5];W[d6];B[c3])",
        f"{HEAD}\nAB[e4][d5]\nAW[d4][e5]\nPL[B]PB[Ann]PW[Bob]\n;B[F5]\n;W[D6]\n;B[C3]\n)\n",
        f"{HEAD}PB[Ann]PW[Bob];B[fe];W[df]C[better \\] (;B[a1\\])];B[cc])",
        f"{HEAD}PB[Ann]PW[Bob](;B[f5](;W[d6];B[c3])(;W[f6]))(;B[d3]))",
        "( ; FF[4] GM[2] PB[Ann] PW[Bob] ; B[f5] ; W[d6] ; B[c3] )",
    ],
)
@pytest.mark.parametrize("name", ["a.sgf", "a.ggf", "a.txt"])
def test_the_main_line_is_read(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / name).write_text(f"{text}\n{text}", encoding="utf-8")
    records = read_games(tmp_path / name).whole()
    found = [(record.black, record.white, record.moves, record.start) for record in records]
    assert found == [("Ann", "Bob", (37, 43, 18), Board.start())] * 2


@pytest.mark.parametrize("passed", ["", "tt", "pass", None])
def test_passes_are_written_or_left_out(passed: str | None) -> None:
    record = next(one for one in map(random_record, range(60)) if PASS in one.moves)
    nodes = "".join(
        f";{'BW'[ply % 2]}[{passed if square == PASS else square_name(square)}]"
        for ply, square in enumerate(record.moves)
        if square != PASS or passed is not None
    )
    (found,) = scan_trees(f"{HEAD}{nodes})").whole()
    assert found.moves == record.moves


@pytest.mark.parametrize(
    ("text", "score", "ending"),
    [
        ("B+12", 12.0, "unfinished"), ("W+R", -64.0, "resigned"), ("B+Time", 64.0, "time"),
        ("0", 0.0, "unfinished"), ("Draw", 0.0, "unfinished"), ("?", None, "unfinished"),
        ("W+4.0", -4.0, "unfinished"),
    ],
)  # fmt: skip
def test_results(text: str, score: float | None, ending: str) -> None:
    (record,) = scan_trees(f"{HEAD}RE[{text}];B[f5])").whole()
    assert (record.score, record.ending) == (score, ending)


def test_games_from_elsewhere() -> None:
    for mover in ("PL[W]", ""):
        text = f"{HEAD}AB[d4][e4][e5][d5][f5]{mover}AW[d6];W[c5])"
        with pytest.raises(RecordError, match="c5"):
            scan_trees(text).whole()
    (record,) = scan_trees(f"{HEAD}AB[e4][d5][e5][f5]AW[d4];W[f6])").whole()
    assert record.start == Board.start().play(37)
    assert record.moves == (45,)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("(;GM[1]FF[4]SZ[19];B[pd])", "GM[1] is not Othello"),
        ("(;GM[2]SZ[10];B[f5])", "SZ[10]"),
        (f"{HEAD};B[f5];W[f5])", "move 2, f5"),
        (f"{HEAD};B[f5];B[d6])", "move 2, d6"),
        (f"{HEAD};B[f5];W[zz])", "'zz'"),
        (f"{HEAD};B[f5]AW[a1])", "AW[a1] changes the board"),
        (f"{HEAD}AB[e4]AW[e4];B[f5])", "two discs on one square"),
        (f"{HEAD};B[f5];W[d6", "cut off"),
        (f"{HEAD};B[f5] W d6)", "damaged"),
        (f"{HEAD};B[f5];W[d6]", "cut off"),
    ],
)
def test_a_bad_game_costs_itself(game: str, words: str) -> None:
    good = f"{HEAD};B[f5])"
    reading = scan_trees(f"{good}\n{game}\n{good}\n")
    (left,) = reading.left_out
    assert left.where == "line 2, game 2"
    assert words in left.reason
    assert len(reading.records) == 2


def test_escapes_keep_values_together() -> None:
    (game,) = scan_trees("(;GM[2]PB[a\\]RE[0\\\nb]PW[c\\\\];B[f5])").whole()
    assert (game.black, game.white) == ("a]RE[0\nb", "c\\")
