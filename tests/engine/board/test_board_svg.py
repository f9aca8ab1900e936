"""A board as a picture: every disc, the legal moves and the last move, in valid XML."""

from __future__ import annotations

from xml.etree import ElementTree

import evolve

SVG = "{http://www.w3.org/2000/svg}"
BLACK, WHITE, LAST = "#101513", "#f8f8f2", "#ffd23f"


def circles(board: evolve.Board) -> list[dict[str, str]]:
    root = ElementTree.fromstring(board._repr_svg_())
    return [dict(one.attrib) for one in root.iter(f"{SVG}circle")]


def test_discs_legal_moves_and_the_last_move() -> None:
    start = circles(evolve.Board.start())
    assert [one["fill"] for one in start].count(BLACK) == 2
    assert [one["fill"] for one in start].count(WHITE) == 2
    assert [one["fill"] for one in start].count(LAST) == 4
    assert not any(one.get("stroke") == LAST for one in start)
    (last,) = [one for one in circles(evolve.Board.start().play(19)) if one.get("stroke") == LAST]
    assert (last["cx"], last["cy"], last["fill"]) == ("146", "110", BLACK)  # d3


def test_it_says_whose_move_it_is_and_when_the_game_is_over() -> None:
    assert "black 2, white 2 · black to move" in evolve.Board.start()._repr_svg_()
    over = evolve.Board.parse("X" * 64)
    assert "black 64, white 0 · the game is over" in over._repr_svg_()
    assert len(circles(over)) == 64
