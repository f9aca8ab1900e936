"""What `evolve bench` measures: positions, and functions that each give the rows of a table.

Times are medians of CPU seconds, and of wall seconds where several threads work. Nothing is
compiled while the clock runs.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import config

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import SWH, table_agent
from evolve.engine.board import bits
from evolve.engine.board.bits import perft
from evolve.engine.board.board import Board
from evolve.engine.board.rules import (
    DEFAULT_RULES,
    NODES_BLACK,
    NODES_WHITE,
    RULE_SETS,
    STANDARD,
    Rules,
    rule_set,
)
from evolve.engine.compiled.intrinsics import LANES
from evolve.engine.games import game
from evolve.engine.games.game import new_context
from evolve.engine.search.context import NODES, STOPPED, table_bits_for
from evolve.engine.search.search import DEEP_FROM, best_move, best_move_deep
from evolve.engine.search.solver import solve_move, solve_outcome
from evolve.fitness.executor import Threads, processors
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.version import __version__

Figures = dict[str, Any]
Work = Callable[[], int]
"""A function to time; it returns the number of nodes it searched."""

SEED: Final = 2026
REPEATS: Final = 5
_PERFT_DEPTHS: Final = (9, 10, 11)
_SEARCH_DEPTHS: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10)
_SEARCHED: Final = 100
_DEEPLY_SEARCHED: Final = 10
_SOLVED: Final = {8: 200, 10: 100, 12: 60, 14: 30, 16: 15, 18: 5, 20: 3}
"""Number of positions by empties."""
_PLAYED_GAMES: Final = 256
_GAME_DEPTHS: Final = (5, 3, 6)
_TERMS: Final = {"table, mobility": False, "all": True}


def machine() -> Figures:
    """What the figures depend on: versions, the processor, and its cores and vectors."""
    return {
        "evolve": __version__,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "cpu": getattr(config, "CPU_NAME", None) or str(llvm.get_host_cpu_name()),
        "cores": processors(),
        "lanes": LANES,
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


def _measured_agent(all_terms: bool = False) -> AlphaBetaAgent:
    """An agent of three phases without an exact end: square table and mobility, or all terms."""
    agent = AlphaBetaAgent([SWH] * 3, [3] * 3, None, [24, 44], rules="standard")
    if not all_terms:
        return agent
    others = {"stability": 5, "x_squares": -7, "c_squares": -3, "potential_mobility": 2}
    weights = {term: (weight,) * 3 for term, weight in others.items()}
    return replace(agent, terms={**agent.terms, **weights})


def timed(work: Work, clock: Callable[[], float] = time.process_time) -> tuple[float, int]:
    """Median seconds of `work`, and its nodes."""
    nodes = work()  # compiles, and fills the caches
    times = []
    for _ in range(REPEATS):
        begin = clock()
        work()
        times.append(clock() - begin)
    return statistics.median(times), nodes


def perft_rows() -> list[Figures]:
    """Perft from the start position on one thread."""
    rows = []
    for depth in _PERFT_DEPTHS:
        seconds, nodes = timed(partial(perft, bits.START_OWN, bits.START_OPP, depth))
        speed = nodes / seconds / 1e6
        row = {"depth": depth, "nodes": nodes, "seconds": seconds, "million_per_second": speed}
        rows.append(row)
    return rows


def search_rows() -> list[Figures]:
    """Searches for a move in middle-game positions of 16 to 40 discs, and their nodes."""
    rows = []
    boards = half_random(_SEARCHED, (24, 48))
    for terms, everything in _TERMS.items():
        agent = _measured_agent(everything)
        for depth in _SEARCH_DEPTHS:
            some = boards if depth < DEEP_FROM else boards[:_DEEPLY_SEARCHED]
            figures = _a_position(searches(some, agent, depth), len(some))
            rows.append({"terms": terms, "depth": depth, **figures})
    return rows


def solver_rows() -> list[Figures]:
    """Exact searches, and proofs of the outcome alone, of positions from half-random games."""
    rows = []
    kernels = {"score": solve_move, "outcome": solve_outcome}
    for rules, details in RULE_SETS.items():
        for empties, count in _SOLVED.items():
            boards = half_random(count, (empties, empties), rules)
            for what, kernel in kernels.items():
                context = new_context(details.code, table_bits=table_bits_for(empties))
                figures = _a_position(_counted(boards, context, kernel), count)
                rows.append({"rules": rules, "empties": empties, "finds": what, **figures})
    return rows


def game_rows() -> list[Figures]:
    """Whole games at depths 5, 3, 6 without an exact end, on one core and on all cores."""
    rows = []
    openings = balanced_openings(_PLAYED_GAMES, Part.MATCH, "standard", np.random.default_rng(SEED))
    for terms, everything in _TERMS.items():
        agent = replace(_measured_agent(everything), depths=_GAME_DEPTHS)
        alone = None
        for cores in sorted({1, processors()}):
            seconds, _ = timed(_games(agent, openings, cores), time.perf_counter)
            alone = alone or seconds
            row = {"terms": terms, "cores": cores, "games_per_second": _PLAYED_GAMES / seconds}
            rows.append({**row, "speed_up": alone / seconds})
    return rows


def _games(agent: AlphaBetaAgent, openings: Openings, jobs: int) -> Work:
    pairings = np.array([[0, 1, number] for number in range(len(openings))], np.int32)

    def work() -> int:
        games = play_games([agent, agent], pairings, openings, "standard", executor=Threads(jobs))
        return int(games.results[:, [NODES_BLACK, NODES_WHITE]].sum())

    return work


def searches(boards: Sequence[Board], agent: AlphaBetaAgent, depth: int) -> Work:
    """The searches of `search_rows` at one depth."""
    kernel = best_move if depth < DEEP_FROM else best_move_deep

    def search(own: Any, opp: Any, address: int) -> None:
        game.set_phase(own, opp, agent.cells.ctypes.data, address)
        kernel(own, opp, depth, address)

    return _counted(boards, new_context(STANDARD, table_bits=table_bits_for(0, depth)), search)


def _counted(boards: Sequence[Board], context: Any, search: Callable[..., Any]) -> Work:
    """A search of each board in a context, with the nodes of all; it takes own, opp, address."""

    def work() -> int:
        nodes = 0
        for board in boards:
            context[NODES] = context[STOPPED] = 0
            search(bits.U(board.own), bits.U(board.opp), context.ctypes.data)
            nodes += int(context[NODES])
        return nodes

    return work


def _a_position(work: Work, positions: int) -> Figures:
    seconds, nodes = timed(work)
    return {
        "milliseconds": seconds / positions * 1e3,
        "nodes": round(nodes / positions),
        "million_per_second": nodes / seconds / 1e6,
    }
