"""`evolve solve`."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from tests.cli import done, fails, misused

# Two empty squares: black takes one of them, then white the other or nobody.
LAST_TWO = "OOOOOOOOXXXXXXXXOOOOOOOOXXXXXXXXOOOOOOOOXXXXXXXXOOOOOOOOXXXXXX-- X"
OVER = "X" * 62 + "-- X; score ignored"
MUST_PASS = "-OX" + "X" * 61 + " O"


def value(board: evolve.Board, rules: str) -> int:
    """The exact score by trying every move."""
    if board.is_over():
        return board.score("reversed" if rules == "reversed" else "standard")
    if not board.legal_moves():
        return -value(board.pass_move(), rules)
    return max(-value(board.play(square), rules) for square in board.legal_moves())


def late_positions(empties: int) -> list[evolve.Board]:
    """Positions near the end of games that a random agent plays against itself."""
    found = []
    for seed in range(6):
        agent, board = evolve.RandomAgent(seed), evolve.Board.start()
        while board.empties > empties and not board.is_over():
            passes = not board.legal_moves()
            board = board.pass_move() if passes else board.play(agent.choose(board))
        if not board.is_over() and board.legal_moves():
            found.append(board)
    return found


@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_solve_agrees_with_trying_everything(tmp_path: Path, rules: str) -> None:
    boards = late_positions(6)
    assert len(boards) >= 4
    lines = [f"{board.cells()} {'X' if board.side == 'black' else 'O'}\n" for board in boards]
    (tmp_path / "ends.obf").write_text("".join(lines), encoding="utf-8")
    document = done("solve", "ends.obf", "--rules", rules, "--json").document
    assert len(document["positions"]) == len(boards)
    for board, found in zip(boards, document["positions"], strict=True):
        assert set(found) >= {"move", "score", "nodes", "seconds"}
        assert found["score"] == value(board, rules)
        square = "abcdefgh".index(found["move"][0]) + 8 * (int(found["move"][1]) - 1)
        assert -value(board.play(square), rules) == found["score"]


def test_solve_of_ends_and_passes(tmp_path: Path) -> None:
    text = f"% a comment\n# another\n\n{LAST_TWO}\n{OVER}\n{MUST_PASS}\n"
    (tmp_path / "ends.obf").write_text(text, encoding="utf-8")
    standard = done("solve", "ends.obf", "--json").document["positions"]
    mirrored = done("solve", "ends.obf", "--json", "--rules", "reversed").document["positions"]
    assert [found["move"] for found in standard[1:]] == [None, "pass"]
    assert standard[1]["score"] == 64  # the empty squares go to the winner
    assert mirrored[1]["score"] == -62  # and here to nobody
    assert standard[2]["score"] == -64
    shown = done("solve", "ends.obf")
    assert shown.lines[0] == "rules standard"
    assert len(shown.lines) == 5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["no position"]),
        ("% only a comment\n", ["no position"]),
        ("XXXX X\n", ["line 1"]),
        (LAST_TWO + "\n" + "Q" * 64 + " X\n", ["line 2", "Q"]),
        (LAST_TWO[:64] + "\n", ["line 1"]),
        (LAST_TWO[:64] + " Z\n", ["line 1"]),
    ],
)
def test_solve_of_bad_files(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "bad.obf").write_text(text, encoding="utf-8")
    for style in ([], ["--json"]):
        message = fails("solve", "bad.obf", "--strict", *style)
        for word in ["bad.obf", *words]:
            assert word in message


def test_solve_of_what_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "bad.obf").write_bytes(b"\xff\xfe\x00")
    assert "bad.obf" in fails("solve", "bad.obf")
    assert "nowhere.obf" in fails("solve", "nowhere.obf")
    assert fails("solve", ".").startswith(".")
    assert "--rules" in misused("solve", "bad.obf", "--rules", "odd")
