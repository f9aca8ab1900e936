"""PGN: what collections hold is read, what we write is read again, damage costs one game."""

from __future__ import annotations

import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.squares import format_moves
from evolve.errors import RecordError
from evolve.records.record import GameRecord
from evolve.records.texts import pgn_text, scan_pgn
from tests.records.test_ggf import random_record

HEAD = '[Event "Open"]\n[Site "Kyoto"]\n[Black "Saio \\"1\\""]\n[White "?"]\n[Date "2004.??.??"]\n'


@pytest.mark.parametrize("end", ["\n", "\n\n", "", "\r\n"])
@pytest.mark.parametrize(
    ("text", "moves", "winner"),
    [
        ("1. f5 d6 2. c3 d3 3. c4 *", "f5 d6 c3 d3 c4", None),
        ("1. F5 {a comment (x)} D6 2. C3 36-28", "f5 d6 c3", "black"),
        ("1.f5 d6 2.c3 0-1", "f5 d6 c3", "white"),
        ("1. f5 1... d6 2. c3! $3 (2. c4 c3 (2... d3) 3. d3) d3 1/2-1/2", "f5 d6 c3 d3", "draw"),
        ("1. f5 ; the usual one\n% engine x\n1... d6 12-52", "f5 d6", "white"),
        ("f5 d6 c3", "f5 d6 c3", None),
    ],
)
def test_moves_with_all_that_stands_between(
    text: str, moves: str, winner: str | None, end: str
) -> None:
    (record,) = scan_pgn(f"{HEAD}\n{text}{end}").whole()
    assert format_moves(record.moves) == moves
    assert (record.winner, record.ending) == (winner, "unfinished")
    assert (record.black, record.white, record.site) == ('Saio "1"', "", "Kyoto")
    assert (record.date, record.event) == ("2004.??.??", "Open")


@pytest.mark.parametrize(
    ("tag", "behind", "score"),
    [
        ("36-28", "1. f5 d6", 8.0),
        ("1-0", "1. f5 d6", 64.0),
        ("*", "1. f5 d6", None),
        ("36-28", "1. f5 d6 1-0", 8.0),
        ("1-0", "1. f5 d6 36-28", 8.0),
        ("28-36", "28-36", -8.0),
    ],
)
def test_the_result_of_a_tag_counts_where_there_is_none_behind_the_moves(
    tag: str, behind: str, score: float | None
) -> None:
    (record,) = scan_pgn(f'{HEAD}[Result "{tag}"]\n\n{behind}\n').whole()
    assert (len(record.moves), record.score) == (2 * ("f5" in behind), score)


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_there_and_back(rules: str) -> None:
    white = Board.parse(Board.start().play(37).cells(), "white")
    records = [
        *(random_record(seed, rules) for seed in range(20)),
        GameRecord((43, 18), "a", 'b "c" \\', rules, white, 12.0, "resigned", "here", "2004", "e"),
        GameRecord((37,), rules=rules, result=-3.5, stopped="time"),
        GameRecord((37, 43), rules=rules),
    ]
    found = scan_pgn(pgn_text(records)).whole()

    def facts(one: GameRecord) -> tuple[object, ...]:
        names = (one.black, one.white, one.site or "?", one.event)
        return one.moves, one.start, one.rules, one.winner, one.ending, *names

    assert [*map(facts, found)] == [*map(facts, records)]
    assert all(len(line) <= 80 for line in pgn_text(records[:20]).splitlines())


def test_a_bad_game_costs_itself() -> None:
    good, bad = f"{HEAD}\n1. f5 d6 *\n\n", f"{HEAD}\n1. f5 f5 *\n\n"
    reading = scan_pgn(good + bad + good + '[Variant "Grand"]\n\n1. f5\n\n' + good)
    assert reading.numbers == [1, 3, 5]
    assert [(one.number, one.where) for one in reading.left_out] == [
        (2, "line 9, game 2"), (4, "line 25, game 4"),
    ]  # fmt: skip
    assert "move 2, f5" in reading.left_out[0].reason
    (left,) = scan_pgn(f'{HEAD}[FEN "8/8/8/3wb3/3bw3/8/8/4b3 b"]\n\n1. f5 *').left_out
    assert "a board has 64 cells" in left.reason
    assert "Grand" in reading.left_out[1].reason.title()


def test_what_is_none() -> None:
    for text in ("", "\n\n"):
        with pytest.raises(RecordError, match="PGN"):
            scan_pgn(text)
