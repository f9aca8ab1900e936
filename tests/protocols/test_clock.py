"""Time for a move by GTP's clock: never more than there is."""

from __future__ import annotations

import math

import numpy as np
import pytest

import evolve
from evolve.protocols.session import Clock

START = evolve.Board.start()


def test_without_settings_there_is_no_limit() -> None:
    clock, limits = Clock(), []
    assert clock.seconds_for("black", START) is None
    for settings in ((0, 0, 0), (60, 5, 0), (0, 5, 0)):
        clock.set(*settings)
        limits.append(clock.seconds_for("black", START))
    assert limits == [None] * 3


def test_so_many_moves_in_so_much_time() -> None:
    clock = Clock()
    clock.set(0, 5, 1)
    assert clock.seconds_for("white", START) == pytest.approx(4.75)
    clock.set(0, 30, 10)
    assert clock.seconds_for("white", START) == pytest.approx(2.85)
    clock.tell("white", 4, 2)
    assert clock.seconds_for("white", START) == pytest.approx(1.9)
    assert clock.seconds_for("black", START) == pytest.approx(2.85)
    clock.restart()
    assert clock.seconds_for("white", START) == pytest.approx(2.85)


@pytest.mark.parametrize("main", [0.5, 5, 60, 1200])
def test_a_game_is_played_within_its_time(main: float) -> None:
    """Every move takes all the time that it is given, and the way to us and back as well."""
    clock, rng = Clock(), np.random.default_rng(0)
    clock.set(main, 0, 0)
    left = {"black": float(main), "white": float(main)}
    longest, board = 0.0, START
    while not board.is_over():
        if not board.legal_moves():
            board = board.pass_move()
            continue
        seconds = clock.seconds_for(board.side, board) or math.inf
        longest = max(longest, seconds)
        left[board.side] -= seconds + 0.01
        clock.tell(board.side, max(0.0, left[board.side]), 0)
        board = board.play(int(rng.choice(board.legal_moves())))
    assert longest > main / 60 or main < 5
    assert min(left.values()) > 0 or main < 5
    if main >= 60:
        assert max(left.values()) < main / 3, "time is for using"


def test_it_counts_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("evolve.protocols.session.time.monotonic", lambda: now[0])
    clock = Clock()
    clock.set(10, 3, 1)
    with clock.thinking("black"):
        now[0] += 8
    first = clock.seconds_for("black", START)
    assert first is not None
    assert first < 2
    with clock.thinking("black"):
        now[0] += 3
    assert clock.seconds_for("black", START) == pytest.approx(2.85), "in overtime now"
    with clock.thinking("black"):
        now[0] += 2
    assert clock.seconds_for("black", START) == pytest.approx(2.85), "each move has it anew"
    clock.set(0, 9, 3)
    with clock.thinking("white"):
        now[0] += 1
    assert clock.seconds_for("white", START) == pytest.approx(3.8), "8 seconds for 2 moves"
