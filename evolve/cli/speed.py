"""What `evolve bench` measures: the nodes of fixed searches, and nodes and games a second.

Times are medians: of CPU seconds for searches, of wall seconds for games. Nothing is compiled while
the clock runs.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import config

from evolve import __version__
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import SWH, table_agent
from evolve.engine.board import bits
from evolve.engine.board.board import Board
from evolve.engine.board.rules import (
    DEFAULT_RULES,
    NODES_BLACK,
    NODES_WHITE,
    STANDARD,
    Rules,
    rule_set,
)
from evolve.engine.compiled.intrinsics import LANES
from evolve.engine.games import game
from evolve.engine.games.game import new_context
from evolve.engine.search.context import NODES, STOPPED, table_bits_for
from evolve.engine.search.search import DEEP_FROM, best_move, best_move_deep
from evolve.engine.search.solver import solve_move
from evolve.fitness.executor import Threads, processors
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.playing import play_games

Figures = dict[str, Any]
_Work = Callable[[], int]  # a function to time; it returns the number of nodes it searched

SEED: Final = 2026
_REPEATS: Final = 5
_SEARCHED: Final = (30, 8)  # middle-game positions, of 16 to 40 discs, and plies of their search
_SOLVED: Final = (30, 14)  # positions solved to the end, and their empties
_PLAYED_GAMES: Final = 256
_GAME_DEPTHS: Final = (5, 3, 6)


def bench() -> Figures:
    """The machine, the nodes of the searches, and nodes a second of one core, games of all cores.

    The nodes change only where searches do, so they are the signature of an engine.
    """
    agent = measured_agent(all_terms=True)
    (count, depth), (ends, empties) = _SEARCHED, _SOLVED
    middle = searches(half_random(count, (24, 48)), agent, depth)
    end = solutions(half_random(ends, (empties, empties)), STANDARD)
    seconds, nodes = timed(lambda: middle() + end())
    openings = balanced_openings(_PLAYED_GAMES, Part.MATCH, "standard", np.random.default_rng(SEED))
    player = replace(agent, depths=_GAME_DEPTHS)
    played, _ = timed(games(player, openings, processors()), time.perf_counter)
    return {
        # What the figures depend on: versions, the processor, and its cores and vectors.
        "evolve": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "cpu": getattr(config, "CPU_NAME", None) or str(llvm.get_host_cpu_name()),
        "cores": processors(),
        "lanes": LANES,
        "nodes": nodes,
        "nodes_per_second": round(nodes / seconds),
        "games_per_second": round(_PLAYED_GAMES / played, 1),
    }


def half_random(count: int, empties: tuple[int, int], rules: Rules = DEFAULT_RULES) -> list[Board]:
    """`count` positions with `empties` (first to last) empties, from half-random games.

    Half the moves are random; the others are those of the reference agent of the rules at depth 3.
    In each position the side to move has a choice.
    """
    player = table_agent(rule_set(rules).judge).with_rules(rules).at(depth=3)
    rng = np.random.default_rng([SEED, *empties])
    found: list[Board] = []
    while len(found) < count:
        board, wanted = Board.start(), int(rng.integers(empties[0], empties[1] + 1))
        while not board.is_over() and board.empties > wanted:
            moves = board.legal_moves()
            if not moves:
                board = board.pass_move()
                continue
            by_chance = rng.random() < 0.5
            board = board.play(int(rng.choice(moves)) if by_chance else player.choose(board))
        if board.empties == wanted and len(board.legal_moves()) > 1:
            found.append(board)
    return found


def measured_agent(all_terms: bool = False) -> AlphaBetaAgent:
    """An agent of three phases without an exact end: square table and mobility, or all terms."""
    agent = AlphaBetaAgent([SWH] * 3, [3] * 3, None, [24, 44], rules="standard")
    if not all_terms:
        return agent
    others = {"stability": 5, "x_squares": -7, "c_squares": -3, "potential_mobility": 2}
    weights = {term: (weight,) * 3 for term, weight in others.items()}
    return replace(agent, terms={**agent.terms, **weights})


def timed(work: _Work, clock: Callable[[], float] = time.process_time) -> tuple[float, int]:
    """Median seconds of `work`, and its nodes."""
    nodes = work()  # compiles, and fills the caches
    times = []
    for _ in range(_REPEATS):
        begin = clock()
        work()
        times.append(clock() - begin)
    return statistics.median(times), nodes


def games(agent: AlphaBetaAgent, openings: Openings, jobs: int) -> _Work:
    """Whole games between two such agents."""
    pairings = np.array([[0, 1, number] for number in range(len(openings))], np.int32)

    def work() -> int:
        played = play_games([agent, agent], pairings, openings, "standard", executor=Threads(jobs))
        return int(played.results[:, [NODES_BLACK, NODES_WHITE]].sum())

    return work


def searches(boards: Sequence[Board], agent: AlphaBetaAgent, depth: int) -> _Work:
    """A search of each board to a depth."""
    kernel = best_move if depth < DEEP_FROM else best_move_deep

    def search(own: Any, opp: Any, address: int) -> None:
        game.set_phase(own, opp, agent.cells.ctypes.data, address)
        kernel(own, opp, depth, address)

    return _count_nodes(boards, new_context(STANDARD, table_bits=table_bits_for(0, depth)), search)


def solutions(
    boards: Sequence[Board], rules: int, kernel: Callable[..., Any] = solve_move
) -> _Work:
    """An exact search of each board, all of as many empties; rules: their code."""
    context = new_context(rules, table_bits=table_bits_for(boards[0].empties))
    return _count_nodes(boards, context, kernel)


def _count_nodes(boards: Sequence[Board], context: Any, search: Callable[..., Any]) -> _Work:
    """A search of each board in a context, with the nodes of all; it takes own, opp, address."""

    def work() -> int:
        nodes = 0
        for board in boards:
            context[NODES] = context[STOPPED] = 0
            search(bits.U(board.own), bits.U(board.opp), context.ctypes.data)
            nodes += int(context[NODES])
        return nodes

    return work
