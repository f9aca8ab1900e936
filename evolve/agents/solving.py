"""The exact value of a position, for Python."""

from __future__ import annotations

from evolve.agents.memory import thread_context
from evolve.engine import context as layout
from evolve.engine.bits import U
from evolve.engine.board import Board
from evolve.engine.rules import DEFAULT_RULES, PASS, Rules
from evolve.engine.solver import solve_move


def solve(board: Board, rules: Rules = DEFAULT_RULES) -> tuple[int | None, int, int]:
    """Best move (64 for a pass, None at the end), exact score for the side to move, and nodes.

    Among best moves the lowest square. The time grows about threefold with every empty square.
    """
    if board.is_over():
        return None, board.score(rules), 0
    if not board.legal_moves():
        _, score, nodes = solve(board.pass_move(), rules)
        return PASS, -score, nodes
    context = thread_context(rules, layout.table_bits_for(board.empties))
    context[layout.NODES] = context[layout.STOPPED] = 0
    square, score = solve_move(U(board.own), U(board.opp), context.ctypes.data)
    return int(square), int(score), int(context[layout.NODES])
