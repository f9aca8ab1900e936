"""Moves as people write them: every habit means the same game, and what could be two is refused."""

from __future__ import annotations

import re
from itertools import product

import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, Rules
from evolve.engine.board.squares import format_moves, square_name
from evolve.errors import RecordError
from evolve.records.moves import Result, read_move, read_moves, read_result
from evolve.records.record import GameRecord, game_of, with_passes
from tests.records import check_refused
from tests.records.test_ggf import random_record

F5D6C3 = (37, 43, 18)


@pytest.mark.parametrize(
    "text",
    [
        "f5d6c3", "F5D6C3", "f5D6c3", "f5 d6 c3", " F5  D6\tC3\n", "f5-d6-c3", "F5, D6, C3",
        "f5;d6;c3", "f5/d6/c3", "f5|d6|c3", "f5_d6_c3", "f5 - d6 - c3", "F5 – D6 – C3",
        "f5 → d6 → c3", "f5>d6>c3", "1. f5 d6 2. c3", "1.f5 d6 2.c3", "1. F5 D6\n2. C3",
        "1: f5 2: d6 3: c3", "1) f5 2) d6 3) c3", "1 f5 d6 2 c3", "1. f5 1... d6 2. c3",
        "1. f5 2. d6 3. c3", "7: f5d6c3", "21. f5 d6 22. c3", "f5! d6?? c3!?", "ｆ５ｄ６ｃ３",
        "1.f5d62.c3", "1 … f5 d6 2 … c3", "f5d6c3 *", "1. f5 d6 2. c3 3.",
        "['f5', 'd6', 'c3']", '"f5d6c3"',
    ],
)  # fmt: skip
def test_separators_numbers_and_remarks(text: str) -> None:
    assert read_moves(text).squares == F5D6C3
    assert read_moves(text).result is None


@pytest.mark.parametrize("moves", ["f5d6c3 ", "1. f5 d6 2. c3\n", "F5 D6 C3  "])
@pytest.mark.parametrize(
    ("text", "black", "white"),
    [
        ("12-52", 12, 52), ("12:52", 12, 52), ("(12-52)", 12, 52), ("[12 - 52]", 12, 52),
        ("36–28.", 36, 28), ("1-0", 1, 0), ("0-1", 0, 1), ("1/2-1/2", 0.5, 0.5), ("½-½", 0.5, 0.5),
        ("64-0", 64, 0), ("- 12-52", 12, 52), (", 8/56", 8, 56),
    ],
)  # fmt: skip
def test_a_result_at_the_end(text: str, black: float, white: float, moves: str) -> None:
    parsed = read_moves(moves + text)
    assert parsed.squares == F5D6C3
    assert parsed.result == Result(black, white)
    assert read_result(text.lstrip("-, ")) == Result(black, white)


@pytest.mark.parametrize("word", ["pass", "PASS", "Pass", "pa", "PA", "ps", "p", "P", "@@", "--"])
def test_the_words_for_a_pass(word: str) -> None:
    assert read_move(word) == PASS
    assert read_moves(f"f5 {word} d6").squares == (37, PASS, 43)
    assert read_moves(f"1. f5 {word} 2. d6").squares == (37, PASS, 43)
    if word != "--":
        assert read_moves(f"f5{word}d6").squares == (37, PASS, 43)


def test_a_pass_run_together_with_what_follows() -> None:
    cases = {"pa1": (PASS, 0), "psa1": (PASS, 0), "passe3": (PASS, 20)}
    assert {text: read_moves(text).squares for text in cases} == cases


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f5x9", ["'x9'", "character 3"]), ("f5 d9", ["'d9'", "character 4"]),
        ("f5 i1 d6", ["'i1 d6'", "character 4"]), ("f5---d6", ["'---d6'", "character 3"]),
        ("f5 resigns", ["'resigns'"]), ("f5 d6 12", ["'12' at character 7"]),
        ("f55", ["'5' at character 3"]), ("12-52 f5", ["'12-52 f5'"]),
        ("f5 12-52 d6", ["'12-52 d6'"]), ("f5 +12", ["'+12'"]),
        ("f5 white wins by 8", ["'white wins b'"]), ("64 cells", ["'cells'"]),
    ],
)  # fmt: skip
def test_what_is_none_is_named(text: str, words: list[str]) -> None:
    check_refused(read_moves, text, words)


@pytest.mark.parametrize("text", ["", "  ", "d3 d4", "d3d4", "z9", "1.", "12-52", "-", "*"])
def test_one_move_is_one(text: str) -> None:
    with pytest.raises(RecordError, match="a1"):
        read_move(text)
    assert [read_move(one) for one in ("d3", "D3", " d3 ", "1. d3", "d3!")] == [19] * 5


def test_passes_are_checked_put_in_and_dropped_behind_the_end() -> None:
    records = [record for record in map(random_record, range(60)) if PASS in record.moves]
    assert len(records) > 3
    texts = [
        " ".join(word if one == PASS else square_name(one) for one in record.moves) + end
        for record, word, end in product(records, ("pass", "--", "P", ""), ("", " pass pa"))
    ]
    read = [game_of(read_moves(text)).moves for text in texts]
    assert read == [record.moves for record in records for _ in range(8)]
    begun = [record.moves[: record.moves.index(PASS) + 1] for record in records]
    assert [with_passes(Board.start(), moves[:-1])[0] for moves in begun] == begun
    with pytest.raises(RecordError, match="pass:"):
        game_of(read_moves("f5 pass d6"))


def test_who_moved_must_be_right_where_it_is_said() -> None:
    assert with_passes(Board.start(), (37, 43), ["black", "white"])[0] == (37, 43)
    with pytest.raises(RecordError, match="d6:"):
        with_passes(Board.start(), (37, 43), ["black", "black"])


@pytest.mark.parametrize("rules", ["standard", "reversed"])
@pytest.mark.parametrize("seed", range(4))
def test_results_must_be_those_of_the_moves(seed: int, rules: Rules) -> None:
    record = random_record(seed, rules)
    text = format_moves(record.moves)
    black, white = record.final.discs("black"), record.final.discs("white")
    empty = 64 - black - white
    winner = {"black": "1-0", "white": "0-1"}.get(record.winner or "", "1/2-1/2")
    whole = f"{black + empty * (black > white)}-{white + empty * (white > black)}"
    right = [f"{text} {result}" for result in (f"{black}-{white}", whole, winner, "*")]
    assert {game_of(read_moves(one), rules=rules).winner for one in right} == {record.winner}
    wrong = ["0-0", "60-3", *({"1-0", "0-1", "1/2-1/2"} - {winner})]
    if black != white:
        wrong.append(f"{white}-{black}")  # white's first, or another game
    for result in wrong:
        with pytest.raises(RecordError, match=re.escape(f"the result {result} contradicts")):
            game_of(read_moves(f"{text} {result}"), rules=rules)


@pytest.mark.parametrize(
    ("rules", "text", "score", "winner"),
    [
        ("standard", "12-52", -40.0, "white"), ("standard", "1-0", 64.0, "black"),
        ("standard", "32-32", 0.0, "draw"), ("standard", "*", None, None),
        ("reversed", "12-52", 40.0, "black"), ("reversed", "52-12", -40.0, "white"),
        ("reversed", "1-0", 64.0, "black"),
    ],
)  # fmt: skip
def test_recorded_results(rules: Rules, text: str, score: float | None, winner: str | None) -> None:
    game = game_of(read_moves(f"f5d6c3 {text}"), rules=rules, black="a")
    assert (game.score, game.winner, game.black) == (score, winner, "a")
    assert game.final == GameRecord(F5D6C3).final
