"""Two independent programs on the rules, one of them also on search: rust-reversi, open_spiel."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from evolve.engine.board import bits
from tests import reference
from tests.engine import Engine, U, kernel_moves
from tests.reference import PASS, STANDARD, START, WIN, Board

pyspiel = pytest.importorskip("pyspiel")
rust_reversi = pytest.importorskip("rust_reversi")

GAMES = 1000


def kernel_game(rng: random.Random) -> Iterator[tuple[Board, int, int]]:
    """A random game by the kernels alone: position, legal moves and the move made; the last
    position with move -1."""
    own, opp = START
    while True:
        moves = kernel_moves((own, opp))
        if moves == 0:
            if kernel_moves((opp, own)) == 0:
                yield (own, opp), 0, -1
                return
            yield (own, opp), 0, PASS
            own, opp = opp, own
            continue
        legal = [square for square in range(64) if moves >> square & 1]
        square = legal[rng.randrange(len(legal))]
        yield (own, opp), moves, square
        turned = int(bits.flips(square, U(own), U(opp)))
        own, opp = opp ^ turned, own ^ turned ^ 1 << square


def mirrored(board: int) -> int:
    """rust-reversi has a1 in the highest bit."""
    return int(f"{board:064b}"[::-1], 2)


def test_rules_by_rust_reversi() -> None:
    """Moves, passes, every position, the end, and the final discs."""
    rng = random.Random(101)
    passes = 0
    for _ in range(GAMES):
        oracle = rust_reversi.Board()
        for board, moves, move in kernel_game(rng):
            assert oracle.get_board()[:2] == (mirrored(board[0]), mirrored(board[1]))
            assert oracle.get_legal_moves() == mirrored(moves)
            assert oracle.is_game_over() == (move == -1)
            assert oracle.is_pass() == (moves == 0)
            if move == PASS:
                passes += 1
                oracle.do_pass()
            elif move >= 0:
                oracle.do_move(move)
            else:
                assert oracle.diff_piece_num() == board[0].bit_count() - board[1].bit_count()
    assert passes > GAMES // 3


@pytest.mark.slow
def test_rules_by_open_spiel() -> None:
    """Moves, passes, the side to move, the end, the final board, and who won."""
    rng = random.Random(102)
    othello = pyspiel.load_game("othello")
    passes = 0
    for _ in range(GAMES):
        oracle = othello.new_initial_state()
        ply = 0
        for board, moves, move in kernel_game(rng):
            assert oracle.is_terminal() == (move == -1)
            if move >= 0:
                legal = 1 << PASS if move == PASS else moves
                assert sum(1 << action for action in oracle.legal_actions()) == legal
                assert oracle.current_player() == ply % 2
                passes += move == PASS
                oracle.apply_action(move)
                ply += 1
                continue
            black, white = board if ply % 2 == 0 else board[::-1]
            cells = "".join(
                "x" if black >> s & 1 else "o" if white >> s & 1 else "-" for s in range(64)
            )
            rows = str(oracle).splitlines()[2:10]
            assert "".join(row[2:18].replace(" ", "") for row in rows) == cells
            winner = black.bit_count() - white.bit_count()
            assert oracle.returns()[0] == (winner > 0) - (winner < 0)
    assert passes > GAMES // 3


# --- values ---------------------------------------------------------------------------------

RUST_WIN = 10**6


def rust_value(board: Board, depth: int, table: list[int]) -> int:
    """Value of the best move: rust-reversi searches one ply more than its depth says; passes
    cost it no depth either. A finished game is worth ±RUST_WIN or 0, whatever its score."""
    rows = [table[row : row + 8] for row in range(0, 64, 8)]
    oracle = rust_reversi.Board()
    oracle.set_board(mirrored(board[0]), mirrored(board[1]), rust_reversi.Turn.BLACK)
    evaluator = rust_reversi.MatrixEvaluator(rows)
    return int(
        rust_reversi.AlphaBetaSearch(evaluator, depth - 1, RUST_WIN).get_search_score(oracle)
    )


def as_rust(value: int) -> int:
    """Ends by their sign alone. It keeps the order of values, so minimax commutes with it."""
    if abs(value) >= WIN:
        return RUST_WIN if value > 0 else -RUST_WIN
    return value


@pytest.mark.parametrize(
    ("depth", "count", "low", "high"),
    [
        (1, 60, 1, 58), (2, 60, 1, 58), (3, 60, 1, 58), (5, 25, 1, 52), (6, 12, 12, 52),
        (8, 20, 4, 9),
    ],
)  # fmt: skip
def test_values_by_rust_reversi(depth: int, count: int, low: int, high: int) -> None:
    rng = random.Random(110 + depth)
    found, expected, ends = [], [], 0
    for board in reference.random_boards(rng, count, low, high):
        if not reference.legal_moves(*board):
            continue
        classes = [rng.randint(-200, 200) for _ in range(10)]
        table = [classes[reference.CLASS_OF[square]] for square in range(64)]
        engine = Engine(STANDARD, classes + [0] * 5)
        _, value = engine.best_move(board, depth)
        found.append((as_rust(value), engine.search(board, depth)))
        expected.append((rust_value(board, depth, table), value))
        ends += abs(value) >= WIN
    assert found == expected
    assert ends > 0 or low > 1


def test_winners_by_rust_reversi() -> None:
    """Who wins, from eleven and twelve empties on: the solver against a search to the end."""
    rng = random.Random(120)
    engine = Engine(STANDARD)
    boards = reference.random_boards(rng, 30, 11, 12)
    boards = [board for board in boards if reference.legal_moves(*board)]
    winners = np.sign([engine.solve_move(board)[1] for board in boards])
    found = [rust_value(board, reference.empties(*board), [0] * 64) for board in boards]
    assert found == (winners * RUST_WIN).tolist()
