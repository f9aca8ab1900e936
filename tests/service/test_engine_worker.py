"""Moves and boards as people write them."""

from __future__ import annotations

from typing import Any

import pytest

from evolve.engine.board.board import Board
from tests.service import Service


@pytest.mark.parametrize(
    "moves",
    ["F5D6C3", "1. f5 d6 2. c3", "f5-d6-c3", " f5, d6, c3 ", "1: F5 2: D6 3: C3", "f5d6c3 *"],
)
def test_moves_are_read_as_people_write_them(service: Service, moves: str) -> None:
    def asked(text: str) -> Any:
        position = {"moves": text}
        found = service.post("evaluations", {"agent": "swh", "position": position}, 200)
        return found["side"], found["moves"]

    assert asked(moves) == asked("f5 d6 c3")
    play = service.post("plays", {"agent": "swh", "moves": moves}, 201)
    assert play["moves"][:3] == ["f5", "d6", "c3"]
    name = f" 1. {play['legal'][0].upper()} "
    made = service.post(f"plays/{play['id']}/moves", {"move": name}, 200)
    assert made["moves"][len(play["moves"])] == play["legal"][0]
    service.post(f"plays/{play['id']}/moves", {"move": "z9"}, 422)


def test_boards_are_read_as_people_write_them(service: Service) -> None:
    board = Board.start().play(37).play(43)
    cells = board.cells()
    rows = "\n".join(cells[place : place + 8] for place in range(0, 64, 8))

    def asked(status: int = 200, **position: str) -> Any:
        return service.post("evaluations", {"agent": "swh", "position": position}, status)

    known = asked(moves="f5 d6")["moves"]
    stars = cells.replace("X", "*")
    texts = (f"{cells} X", f"{rows}\nblack to move", f"[8 {stars} *]", str(board))
    assert not [text for text in texts if asked(board=text)["moves"] != known]
    white = Board.start().play(37).cells()
    assert asked(board=f"{white} O", moves="D6")["moves"] == known
    wrong = [asked(422, board=text)["errors"] for text in (cells, f"{cells[1:]} X", "nonsense")]
    assert [error["pointer"] for (error,) in wrong] == ["/position/board"] * 3
    assert asked(422, board=f"{cells} X", moves="f5")["errors"][0]["pointer"] == "/position/moves"
