"""One game: its last position, and who won it."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from evolve.engine.board.board import Board
from evolve.engine.board.rules import PASS, RULE_SETS, Rules
from evolve.errors import RecordError
from evolve.records.record import GameRecord, play_moves, with_passes
from tests import reference


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_game_to_its_end_has_the_score_of_the_rules(rules: Rules) -> None:
    seen = set()
    for seed in range(30):
        moves, boards = reference.random_game(random.Random(seed))
        record = GameRecord(tuple(moves), rules=rules, result=99.0, stopped="time")
        own, opp = boards[-1] if len(moves) % 2 == 0 else boards[-1][::-1]
        score = reference.final_score(own, opp, RULE_SETS[rules].code)
        assert (record.ending, record.score) == ("end", score)  # whatever was recorded
        assert record.winner == ("white", "draw", "black")[(score > 0) - (score < 0) + 1]
        seen.add(record.winner)
    assert {"black", "white"} <= seen


@pytest.mark.parametrize(
    ("play", "moves", "named"),
    [(play_moves, [37, 37], "f5:"), (with_passes, [37, 37], "f5:"), (play_moves, [PASS], "pass:")],
)
def test_illegal_moves_are_named(play: Callable[..., object], moves: list[int], named: str) -> None:
    with pytest.raises(RecordError, match=named) as caught:
        play(Board.start(), moves)
    assert "\n" not in str(caught.value)


def test_the_game_that_led_to_a_board() -> None:
    board = Board.start().play(37)
    assert GameRecord.of_board(board) == GameRecord((37,))
    unknown = Board.parse(board.cells(), board.side)
    assert GameRecord.of_board(unknown) == GameRecord(start=unknown)
    assert GameRecord.of_board(unknown).final == board
