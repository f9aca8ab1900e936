"""The eight images of a board."""

from __future__ import annotations

import random

import numpy as np

from evolve.engine.board.board import Board
from evolve.engine.board.symmetry import SQUARE_IMAGES, symmetries, turn_all
from tests import reference


def test_images_are_the_symmetries() -> None:
    boards = np.array(reference.random_boards(random.Random(0), 16, 0, 50), np.uint64)
    images = (np.arange(16) % 8).astype(np.int8)
    turned = np.zeros_like(boards)
    turn_all(boards, images, turned)
    every = np.stack([np.stack(symmetries(boards[:, side])) for side in (0, 1)], axis=2)
    assert (turned == every[images, np.arange(16)]).all()
    for number in range(8):
        single = np.uint64(1) << np.arange(64, dtype=np.uint64)
        assert (single[SQUARE_IMAGES[number]] == symmetries(single)[number]).all()


def test_symmetries_are_eight_and_keep_legal_moves() -> None:
    board = Board.start().play(19).play(18)
    own, opp = (symmetries(np.array([bits], np.uint64)) for bits in (board.own, board.opp))
    pairs = {(int(a[0]), int(b[0])) for a, b in zip(own, opp, strict=True)}
    assert len(pairs) == 8
    assert {len(Board(a, b).legal_moves()) for a, b in pairs} == {len(board.legal_moves())}
