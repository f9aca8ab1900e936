"""GGF: what others write is read, what we write is read again, damage is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evolve
from evolve.engine.board.squares import format_moves
from evolve.records.ggf import format_ggf, scan_trees
from evolve.records.record import GameRecord
from tests.records import check_file_refused

NBOARD = (
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]"
    "B[F5]W[F6]B[D3//1.25]W[C5/-2.50/3.1]B[E6]W[F7]B[E7]W[F4];)"
)
SERVER = """1 (;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]RB[2197.01]
RW[2199.72]TI[05:00//02:00]TY[8]RE[-2.000:t]
BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]
B[d3//0.01]W[c5/1.00/0.02]B[e6];)"""


def random_record(seed: int, rules: str = "standard") -> GameRecord:
    rng = np.random.default_rng(seed)
    board = evolve.Board.start()
    while not board.is_over():
        moves = board.legal_moves()
        board = board.play(int(rng.choice(moves))) if moves else board.pass_move()
    assert board.moves is not None
    return GameRecord(board.moves, "a", "b [v2]; x\\", rules)  # type: ignore[arg-type]


def test_what_nboard_sends() -> None:
    (record,) = scan_trees(NBOARD).whole()
    assert format_moves(record.moves) == "f5 f6 d3 c5 e6 f7 e7 f4"
    assert (record.black, record.white, record.site) == ("./mEdax", "chris", "NBoard")
    assert record.final.side == "black"
    assert record.final.moves == record.moves
    assert record.winner is None
    assert record.ending == "unfinished"


def test_what_the_server_archives() -> None:
    first, second = scan_trees(SERVER + "\n\n2 " + NBOARD).whole()
    assert format_moves(first.moves) == "d3 c5 e6"
    assert (first.ending, first.result, first.winner) == ("time", -2.0, "white")
    assert second.black == "./mEdax"


def test_a_name_cannot_end_a_record() -> None:
    (again,) = scan_trees(format_ggf(random_record(0))).whole()
    assert again.white == "b (v2), x/"


@pytest.mark.parametrize(
    ("found", "written"),
    [
        ("TY[8]", "TY[0]"), ("TY[8]", "TY[s0]"), ("BO[8 ", "BO[8\t"), ("[F5/", "[\uff265\uff0f"),
        ("[F5", "[\uff265"), ("chris", "chr\\]is"),
    ],
)  # fmt: skip
def test_as_others_write_them(found: str, written: str) -> None:
    (game,) = scan_trees(NBOARD.replace(found, written)).whole()
    assert game.moves == scan_trees(NBOARD).whole()[0].moves
    assert game.white == ("chr]is" if found == "chris" else "chris")


@pytest.mark.parametrize("name", ["C:\\evolve\\", "\\", "a\\b", "\\\\"])
def test_a_backslash_in_a_name_swallows_no_property(name: str) -> None:
    text = f"(;GM[Othello]PB[{name}]PW[{name}]TY[8a]B[f5]W[d6];)"
    (game,) = scan_trees(text).whole()
    assert (game.black, game.white, game.rules) == (name, name, "reversed")


def test_a_game_that_backslashes_make_ambiguous_is_left_out() -> None:
    text = "(;GM[Othello]PB[x\\]y]PW[C:\\]TY[8a]B[f5]W[d6];)"
    reading = scan_trees(f"{text}\n{NBOARD}")
    assert [len(reading.records), reading.missing] == [1, 1]


def test_passes_may_be_left_out() -> None:
    record = next(r for r in map(random_record, range(50)) if 64 in r.moves)
    text = format_ggf(record)
    assert "[PA]" in text
    short = text.replace("B[PA]", "").replace("W[PA]", "")
    assert scan_trees(short).whole()[0].moves[: len(record.moves)] == record.moves
    texts = [text.replace("PA]", f"{name}]") for name in ("pass", "pa", "Pass//0.01")]
    assert {scan_trees(one).whole()[0].moves for one in texts} == {record.moves}


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("", ["no game of GGF"]),
        ("nothing here", ["no game of GGF"]),
        (NBOARD.replace("GM[Othello]", "GM[Amazons]"), ["line 1, game 1", "Amazons"]),
        (NBOARD.replace("TY[8]", "TY[10]"), ["TY[10]"]),
        (NBOARD.replace("TY[8]", "TY[8k]"), ["komi"]),
        (NBOARD.replace("BO[8 -", "BO[8 "), ["63"]),
        (NBOARD.replace("BO[8 -", "BO[8 z"), ["'z' on a1"]),
        (NBOARD.replace(" *]", " +]"), ["is not a board"]),
        (NBOARD.replace("B[D3", "B[A1"), ["move 3, a1", "a1 is not a legal move"]),
        (NBOARD.replace("B[D3", "B[Z9"), ["move 3", "'Z9'"]),
        (NBOARD.replace("B[D3", "B[PA"), ["move 3", "must not pass"]),
        (NBOARD.replace("B[D3", "W[D3"), ["move 3", "black must not pass"]),
        (NBOARD[:-2], ["cut off"]),
        (NBOARD[:-10], ["cut off"]),
        (SERVER + "\n(;GM[Othello]" + "(;;)", ["line 5, game 2"]),
    ],
)
def test_damage_is_named(tmp_path: Path, damage: str, words: list[str]) -> None:
    check_file_refused(tmp_path / "bad.ggf", damage, words)


@pytest.mark.parametrize(
    "text", ["(;GM[Othello]B[f5]W[d6])", "(;GM[Othello];B[f5];W[d6];)", "(;GM[Othello]\n;B[f5] )"]
)
def test_ends_and_separators_as_sgf_has_them(text: str) -> None:
    (record,) = scan_trees(text).whole()
    assert record.moves == (37, 43)[: text.count("[") - 1]
